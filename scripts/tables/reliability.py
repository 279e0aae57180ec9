# SPDX-License-Identifier: Apache-2.0
"""Fuzzing of readers, injected faults, compute-sanitizer. Tables by the name of their place in the text."""
from tables.records import load


def fuzz():
    rows = ["| reader | mutated inputs | found |", "|---|---|---|"]
    for _, record in load("fuzz-*.json"):
        for reader in record["readers"]:
            rows.append(f"| {reader['reader']} | {reader['inputs']:,} | {reader['found']} |")
        rows.append(f"| all, at {record['commit']} | {sum(r['inputs'] for r in record['readers']):,} | {sum(r['found'] for r in record['readers'])} |")
    return "\n".join(rows)


METHODS = ["cg", "fmm", "lbm", "fdtd", "tdbem"]


def faults():
    ((_, record),) = load("faults.json")
    parts = record["parts"]
    assert all(case["passed"] for part in parts.values() for case in part.values() if isinstance(case, dict))
    bits, kills, ranks, endurance = (parts[part] for part in ("bits", "kills", "ranks", "endurance"))
    of_bits = {m: [value for name, value in bits[m].items() if name.startswith("bits of")] for m in METHODS}
    rows = [("bits of a checkpoint flipped, in turn in each of its parts: all refused",
             lambda m: f"{sum(of_bits[m])} in {len(of_bits[m])}"),
            ("killed at a system call: resumed with the same bits", lambda m: kills[m]["kills"]),
            ("disk full at a system call: resumed with the same bits", lambda m: kills[m]["disk_full"]),
            ("of these, newest checkpoint torn: resumed from the one before", lambda m: kills[m]["torn"]),
            ("one of two ranks killed: all end, and go on from the checkpoint where there is one",
             lambda m: f"{ranks[m]['killed']}, {ranks[m]['resumed']} with one"),
            ("runs in one process for an hour, schedulers in turn: memory after a third and at the end",
             lambda m: f"{endurance[m]['turns']:,} runs: {endurance[m]['megabytes_early']}, {endurance[m]['megabytes_late']} MB")]
    sessions = endurance["sessions"]
    commits = sorted({part["version"].split("commit ")[1].split(")")[0] for part in parts.values()})
    return "\n".join(["| | " + " | ".join(METHODS) + " |", "|---" * (len(METHODS) + 1) + "|",
                      *(f"| {what} | " + " | ".join(str(of(m)) for m in METHODS) + " |" for what, of in rows), "",
                      f"{sessions['sessions']:,} sessions in one process: {sessions['megabytes_early']} MB after a third, "
                      f"{sessions['megabytes_late']} MB at the end. Versions {', '.join(commits)}."])


def sanitizers():
    """One table of all records: what was run again has the newest number."""
    records = sorted((record for _, record in load("sanitize-*.json")), key=lambda r: r["date"])
    tools = sorted({tool for record in records for tool in record["tools"]})
    found, tests = {}, {}
    for record in records:
        for tool, cases in record["tools"].items():
            for name, case in cases.items():
                tests[name] = max(tests.get(name, 0), case.get("tests", 0))
                if case["errors"] is not None:
                    found[name, tool] = f"{case['errors']}, {record['commit']}"
    machines = " or ".join(dict.fromkeys(record["machine"] for record in records))
    rows = [f"Errors that compute-sanitizer finds on {machines}, and the version (-: not ended in its time)", "",
            "| | " + " | ".join(tools) + " |", "|---" * (len(tools) + 1) + "|"]
    for name in sorted(tests):
        what = f"`{name}`, {tests[name]} tests" if tests[name] else f"flow `{name}`"
        rows.append(f"| {what} | " + " | ".join(found.get((name, tool), "-") for tool in tools) + " |")
    return "\n".join(rows)


TABLES = {"fuzz": fuzz, "faults": faults, "sanitizers": sanitizers}
