# SPDX-License-Identifier: Apache-2.0
"""Jobs beside their references: of structures and particles, and of sound as the tests that hold them record."""
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


def figures(method):
    """Properties of the tests by their names, numbers where they are some."""
    def value(text):
        try:
            return float(text)
        except (TypeError, ValueError):
            return text

    return {name: {key: value(text) for key, text in test.items()}
            for _, record in load(f"jobs-{method}*.json") for name, test in record["tests"].items()}


def table(rows):
    return "\n".join(["| job | figure | here | reference | difference |", "|---|---|---|---|---|",
                      *("| " + " | ".join(row) + " |" for row in rows)])


def sound():
    tests = figures("tdbem")
    spectra, spheres = tests["SpectraAreThoseOfTheSeries"], tests["SpheresApproachTheSeries"]
    worst = {boundary: max(spheres[f"{wave}_{boundary}_percent"] for wave in ("plane_wave", "monopole"))
             for boundary in ("rigid", "soft")}
    small, airliner = tests["OfSmallBodies"], tests["OfAnAirliner"]
    return table([
        *((f"{boundary} sphere, 642 vertices, plane wave and monopole, three observers, 40 frequencies down to -40 dB of the pulse",
           "scattered and total pressure, phase", "", "exact series",
           f"{spectra[boundary + '_db']:.3f} dB and {spectra[boundary + '_degrees']:.2f} degrees at most; allowed are 0.2 dB and "
           "2 degrees (`SpectraAreThoseOfTheSeries`)") for boundary in ("rigid", "soft")),
        ("sphere, plane wave or monopole, 642 vertices", "pressure over surface and time", "", "exact series",
         f"{worst['rigid']:.1f} % (rigid), {worst['soft']:.1f} % (soft) at most; falls with the square of the edges (`SpheresApproachTheSeries`)"),
        ("monopole 4096 m away, ellipsoid", "scattered pressure", "", "that of a plane wave",
         f"{tests['AFarMonopoleIsAPlaneWave']['percent']:.3f} % (`AFarMonopoleIsAPlaneWave`)"),
        ("box, two monopoles", "reciprocity", "", "0", f"{small['rigid_box_percent']:.2f} % (`Reciprocity.OfSmallBodies`)"),
        ("soft ellipsoid, two monopoles", "reciprocity", "", "0", f"{small['soft_ellipsoid_percent']:.3f} %"),
        ("airliner of 3,689 vertices, two monopoles", "reciprocity", "", "0",
         f"{airliner['airliner_percent']:.2f} %; allowed is 1 % (`Reciprocity.OfAnAirliner`)"),
        ("box turned by `--rotate`", "scattered pressure", "", "the wave turned instead",
         f"{tests['TurnedBodiesAreSeenFromTheOtherSide']['percent']:.4f} % (`TurnedBodiesAreSeenFromTheOtherSide`)"),
    ])


TABLES = {"jobs": jobs, "tdbem-jobs": sound}
