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


def together():
    """Seconds of several vectors together by those of one alone; of charges, of that with the default tree."""
    [(_, fmm)], [(_, cg)] = load("together-fmm-2cores.json"), load("together-cg-2cores.json")
    found = {("fmm", case["tree_for"], case["vectors"]): case["ratio"]["seconds"] for case in fmm["cases"]}
    found |= {("cg", case["unknowns"], case["vectors"]): case["ratio"]["seconds"] for case in cg["cases"]}
    rows = [f"{machine(fmm)}; {fmm['size']:,} points in a cube, accuracy 5; 100 iterations on a grid where each",
            f"point has 26 neighbours, {cg['size']}^3 points with an unknown each, {cg['size'] // 2}^3 with three.", "",
            "| together | charges, default tree | charges, tree of `vectors` = 4 | right-hand sides | of three unknowns |",
            "|---|---|---|---|---|"]
    for vectors in (1, 2, 3, 4, 8):
        cells = (found.get(key) for key in (("fmm", 1, vectors), ("fmm", 4, vectors), ("cg", 1, vectors), ("cg", 3, vectors)))
        rows.append(f"| {vectors} | " + " | ".join("" if ratio is None else f"{ratio:.2f}" for ratio in cells) + " |")
    return "\n".join(rows)


TABLES = {"library-calls": calls, "library-together": together}
