# SPDX-License-Identifier: Apache-2.0
"""Jobs beside their references, as the tests that hold them record. Tables by the name of their place in the text."""
from tables.records import load


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


def tdbem():
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


TABLES = {"tdbem-jobs": tdbem}
