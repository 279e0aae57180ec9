# SPDX-License-Identifier: Apache-2.0
"""Calls of the library beside the programs. Tables by the name of their place in the text."""
import statistics

from tables.records import load, machine


def calls():
    record = load("bench-library.json")[0][1]
    rows = [f"{machine(record)}, medians of {record['rounds']} rounds in turn.", "",
            "| solution | program | C++ | Python | arrays of the caller | peak memory: program | C++ | Python, of which before any array |",
            "|---|---|---|---|---|---|---|---|"]
    for case in record["cases"]:
        seconds, peak = ({way: statistics.median(run[key] for run in several) for way, several in case["runs"].items()}
                         for key in ("seconds", "peak_bytes"))
        before = statistics.median(run["interpreter_bytes"] for run in case["runs"]["python"])
        rows.append(f"| `asterism-{case['method']}`, {case['case']} | {seconds['program']:.3f} s | "
                    f"{seconds['cpp']:.3f} s ({case['cpp_ratio']:.3f}) | {seconds['python']:.3f} s ({case['python_ratio']:.3f}) | "
                    f"{case['array_bytes'] / 1e6:.0f} MB | {peak['program'] / 1e6:.0f} MB | {peak['cpp'] / 1e6:.0f} MB | "
                    f"{peak['python'] / 1e6:.0f}, {before / 1e6:.0f} MB |")
    return "\n".join(rows)


TABLES = {"library-calls": calls}
