# SPDX-License-Identifier: Apache-2.0
"""The default against a grid of options. Tables by the name of their place in the text."""
import re
import statistics

from tables.records import load, machine


def defaults():
    out = []
    for _, record in load("defaults-*.json"):
        # of the machine: which of its cores work is what a run chooses
        whole = re.sub(r"^\d+ CPU workers", f"{record['machine']['cores']} cores", machine(record))
        out += [f"Default over the best of a grid of units and pieces, {whole}, {record['rounds']} rounds in turn: "
                f"median {record['median_ratio']:.2f}, largest {record['largest_ratio']:.2f}", "",
                "| program | case | default | best of the grid | ratio | wall clock: first, later, ratio |", "|---|---|---|---|---|---|"]
        for case in record["cases"]:
            own, *_ = case["settings"]
            chosen = next(s for s in case["settings"] if s["options"] == case["best_seconds"])
            wall = f"{case['wall_ratio']:.2f}"
            if case.get("judged_by") == "wall_ratio":  # the wall clock decides this case
                wall = f"**{wall}**"
            milliseconds = [1e3 * statistics.median(s["seconds"]) for s in (own, chosen)]
            out.append(f"| `asterism-{case['method']}` | {case['case']} | {milliseconds[0]:.3g} ms | {milliseconds[1]:.3g} ms, "
                       f"`{case['best_seconds'] or 'default'}` | {case['ratio']:.2f} | {case['first_wall']:.2f} s, "
                       f"{statistics.median(own['wall']):.2f} s, {wall} |")
        out.append("")
    return "\n".join(out).strip()


TABLES = {"defaults": defaults}
