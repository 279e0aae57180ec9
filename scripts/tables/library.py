# SPDX-License-Identifier: Apache-2.0
"""Calls of the library beside the programs. Tables by the name of their place in the text."""
import statistics

from tables.records import load, machine


def calls():
    record = load("bench-library.json")[0][1]
    rows = [f"{machine(record)}, medians of {record['rounds']} rounds in turn.", "",
            "| solution | program | C++ | Python | arrays of the caller | memory that these and the call add: C++ | Python |",
            "|---|---|---|---|---|---|---|"]
    for case in record["cases"]:
        seconds = {way: statistics.median(run["seconds"] for run in several) for way, several in case["runs"].items()}
        added = {way: statistics.median(run["peak_bytes"] - run["before_bytes"] for run in case["runs"][way])
                 for way in ("cpp", "python")}
        rows.append(f"| `asterism-{case['method']}`, {case['case']} | {seconds['program']:.3f} s | "
                    f"{seconds['cpp']:.3f} s ({case['cpp_ratio']:.3f}) | {seconds['python']:.3f} s ({case['python_ratio']:.3f}) | "
                    f"{case['array_bytes'] / 1e6:.1f} MB | {added['cpp'] / 1e6:.1f} MB | {added['python'] / 1e6:.1f} MB |")
    return "\n".join(rows)


TABLES = {"library-calls": calls}
