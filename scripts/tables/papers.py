# SPDX-License-Identifier: Apache-2.0
"""What the papers print, simulated. Tables by the name of their place in the text."""
import re

from tables.records import beside, load, reproduced


def reproduced_cg():
    """The paper's Tables 2 to 5, simulated."""
    tables = [(table, reproduced(record)) for table in ("2", "3", "4") for _, record in load(f"reproduce-cg-table{table}.json")]
    if not tables:
        return ""
    modes = ("GPU - CPU - GPU", "GPU - GPU")
    matrix = {"2": "11pts-256", "3": "11pts-128", "4": "like audikw_1"}
    out = ["| CG, Gflop/s: simulated (paper, difference) | " + " | ".join(f"{matrix[table]}, {mode}" for table, _ in tables for mode in modes) + " |",
           "|---|" + "---|" * (len(tables) * len(modes))]
    efficiency = "Speed-up and efficiency of 3 GPUs, 1D packed, "
    for prefix in ("", efficiency):
        for name in dict.fromkeys(name for section, name in tables[0][1] if section in [prefix + mode for mode in modes]):
            cells = [beside(f[prefix + mode, name]) for _, f in tables for mode in modes]
            out.append(f"| {name}{' of 3 GPUs, 1D packed' if prefix else ''} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def reproduced_figures():
    """What else the papers print and is simulated; figures that a paper gives none for are left out."""
    out = ["| figure | | paper | simulated | difference |", "|---|---|---|---|---|"]
    order = ("fmm-table", "fmm-figure", "lbm-", "fdtd-figure", "tdbem-figure")
    found = [(name.removeprefix("reproduce-").removesuffix(".json"), record) for name, record in load("reproduce-*.json")]
    found = [(kind, name, record) for name, record in found for kind in order if name.startswith(kind)]
    number = lambda name: [int(n) for n in re.findall(r"[0-9]+", name)]
    for _, name, record in sorted(found, key=lambda f: (order.index(f[0]), number(f[1]))):
        units = {s["title"]: f", {s['unit']}" if s["unit"] else "" for s in record["comparison"]["sections"]}
        for (section, figure), (paper, ours, difference) in reproduced(record).items():
            if paper is None or ours[0] is None:
                continue
            percentage = units[section] == ", %" or figure.endswith(", %")
            apart = f"{ours[0] - paper:+.1f} points" if percentage else f"{100 * difference[0]:+.1f} %"
            out.append(f"| `{name}` | {section}: {figure}{units[section]} | {paper:.4g} | {ours[0]:.4g} | {apart} |")
    return "\n".join(out) if len(out) > 2 else ""


TABLES = {
    "reproduced-cg": reproduced_cg,
    "reproduced-figures": reproduced_figures,
}
