# SPDX-License-Identifier: Apache-2.0
"""Jobs on structures and particles beside their references."""
import math
import re

from .records import load, root


def file_of(test):
    """The file that has the test SUITE.NAME, or the suite of a fixture with parameters."""
    suite, _, name = test.partition(".")
    wanted = rf"TEST(_F|_P)?\({suite}, {name}\)" if name else rf"TEST_P\({suite},"
    for path in sorted((root / "tests").rglob("*.cpp")):
        if re.search(wanted, path.read_text()):
            return path.relative_to(root)
    raise SystemExit(f"scripts/tables/jobs.py: no test {test}")


def number(value, reference):
    """With the digits that show where it leaves its reference."""
    if value == 0:
        return "0"
    if abs(value) < 1e-3 and reference == 0:
        return f"{value:.1e}"
    apart = abs(value - reference) / abs(reference or value)
    digits = min(12, max(3, 1 + math.ceil(-math.log10(apart)))) if apart > 0 else 3
    return f"{value:,.{digits}g}"


def jobs():
    """Every figure, its reference, the difference, where the reference is from, and the test that holds it."""
    [(_, record)] = load("jobs-structures-particles.json")
    rows = ["| job | figure | here | reference | difference | reference from | test |", "|---|---|---|---|---|---|---|"]
    before = None
    for line in record["jobs"]:
        found, reference, unit = line["found"], line["reference"], f" {line['unit']}" if line["unit"] else ""
        difference = "" if reference == 0 else f"{abs(found / reference - 1):.1e}"
        rows.append(f"| {'' if line['job'] == before else line['job']} | {line['figure']} | {number(found, reference)}{unit} | "
                    f"{number(reference, found)}{unit} | {difference} | {line['by']} | `{line['test']}` in `{file_of(line['test'])}` |")
        before = line["job"]
    return "\n".join([*rows, "", f"Version {record['commit']}. Commands:", "", "```text",
                      *dict.fromkeys(line["command"] for line in record["jobs"] if line["command"]), "```"])


TABLES = {"jobs": jobs}
