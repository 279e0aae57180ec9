# SPDX-License-Identifier: Apache-2.0
"""Fuzzing of readers. Tables by the name of their place in the text."""
from tables.records import load


def fuzz():
    rows = ["| reader | mutated inputs | found |", "|---|---|---|"]
    for _, record in load("fuzz-*.json"):
        for reader in record["readers"]:
            rows.append(f"| {reader['reader']} | {reader['inputs']:,} | {reader['found']} |")
        rows.append(f"| all, at {record['commit']} | {sum(r['inputs'] for r in record['readers']):,} | {sum(r['found'] for r in record['readers'])} |")
    return "\n".join(rows)


TABLES = {"fuzz": fuzz}
