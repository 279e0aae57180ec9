# SPDX-License-Identifier: Apache-2.0
"""Jobs beside their references: of structures and particles, and of fields and sound as the tests that hold them record."""
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
        more = line["figure"].endswith("at least") and found > reference
        difference = "" if reference == 0 or more else f"{abs(found / reference - 1):.1e}"
        rows.append(f"| {'' if line['job'] == before else line['job']} | {line['figure']} | {number(found, reference)}{unit} | "
                    f"{number(reference, found)}{unit} | {difference} | {line['by']} | `{line['test']}` in `{file_of(line['test'])}` |")
        before = line["job"]
    return "\n".join([*rows, "", f"Version {record['commit']}. Commands, in the root of the repository:", "", "```text",
                      *dict.fromkeys(line["command"] for line in record["jobs"] if line["command"]), "```"])


def orders():
    """Orders of convergence of structures, and the errors that they are of."""
    [(_, record)] = load("jobs-structures-particles.json")
    rows = ["| case | quantity | cells along a side | error, coarse and fine | order found | expected |", "|---|---|---|---|---|---|"]
    before = None
    for line in (line for line in record["jobs"] if "cells" in line):
        quantity = line["figure"].removeprefix("order of the ").removesuffix(", at least")
        errors = ", ".join(f"{error:.1e}" for error in line.get("errors", []))
        rows.append(f"| {'' if line['job'] == before else line['job']} | {quantity} | {line['cells']} | {errors} | {line['found']:.2f} | "
                    f"{line['reference']}{' or more' if line['figure'].endswith('at least') else ''} |")
        before = line["job"]
    return "\n".join(rows)


def figures(method):
    """Properties of the tests by their names, numbers where they are some."""
    def value(text):
        try:
            return float(text)
        except (TypeError, ValueError):
            return text

    found = {}
    for _, record in load(f"jobs-{method}*.json"):
        for name, test in record["tests"].items():
            found.setdefault(name, {}).update({key: value(text) for key, text in test.items()})
    return found


def table(rows):
    return "\n".join(["| job | figure | here | reference | difference |", "|---|---|---|---|---|",
                      *("| " + " | ".join(row) + " |" for row in rows)])


def impedance(text):
    real, imaginary = (float(part) for part in text.split())
    return f"{real:.1f} {'+' if imaginary >= 0 else '-'} {abs(imaginary):.1f}j ohm"


def percent(value, reference, digits=1):
    """How far they are apart."""
    return f"{100 * abs(value / reference - 1):.{digits}f} %"


def patches(of):
    """Both patch antennas beside openEMS on the same cells, and the paper."""
    published = 7.5  # GHz, measured: Sheen et al. 1990
    for name, job in (("patch_antenna", "patch of 12.45 x 16 mm"), ("patch_graded", "the same on a graded mesh of 55 % of the cells")):
        one = of[name]
        yield (job, "resonance", f"{one['GHz']:.2f} GHz", f"{one['openems_GHz']:.2f} GHz, openEMS on the same cells; {published} GHz, Sheen et al. 1990",
               f"{percent(one['GHz'], one['openems_GHz'])}; {percent(one['GHz'], published)}; reflections at most {one['most_dB_apart']:.2f} dB "
               "from openEMS'; frequencies are 0.02 GHz apart" + (" (`APatchResonatesWherePublished`)" if name == "patch_graded" else ""))


def graded(tests):
    """Layers on graded meshes beside the same cells everywhere."""
    of = tests["LayersTransmitAndReflectByTheory"]
    for key, name in (("glass", "glass"), ("drude", "a metal (Drude)"), ("lorentz", "a medium with a resonance (Lorentz)")):
        yield (f"layer of {name} on a graded mesh of {of[key + '_cells']:.0f} cells", "transmission and reflection of a plane wave", "",
               "Fresnel's coefficients and the waves between the surfaces",
               f"{of[key + '_percent']:.2f} % of the power at most at 15 frequencies, order {of[key + '_order']:.2f}; {of[key + '_equal_percent']:.2f} % on "
               f"{of[key + '_equal_cells']:.0f} equal cells" + (" (`LayersTransmitAndReflectByTheory`)" if key == "glass" else ""))


def antennas_and_photonics():
    tests = figures("fdtd")
    [(_, record)] = load("jobs-fdtd.json")
    dipole, slab, cavity, sphere = (tests[name] for name in ("TheDipoleHasItsImpedance", "FluxesOfTheSlabAreAirys",
                                                             "ABraggCavityRingsDown", "ASphereScattersAsMieSays"))
    layers, uneven = tests["MatricesAreOfSecondOrder"], tests["MatricesAreOfSecondOrderOnAGradedMesh"]
    cylinder = tests["RoundCavitiesAreOfSecondOrder"]
    errors = sorted(percent(sphere[f"square_micrometres_{f}_THz"], sphere[f"mie_{f}_THz"]) for f in (850, 925, 1000))
    dipole_most = max(dipole[f"percent_{f}_MHz"] for f in (920, 960, 1000))
    return table([
        ("dipole of 150 mm, thin wires", "impedance at 0.96 GHz", impedance(dipole["ohm_960_MHz"]),
         impedance(dipole["moments_960_MHz"]) + ", method of moments",
         f"{dipole_most:.1f} % of the modulus at most at three frequencies; allowed are 3 % (`TheDipoleHasItsImpedance`)"),
        *patches(record["openems"]),
        ("sphere of glass, 10 to 12 cells per wavelength in it", "scattering cross-section at 1000 THz",
         f"{sphere['square_micrometres_1000_THz']:.4f} µm$^2$", f"{sphere['mie_1000_THz']:.4f} µm$^2$, Mie's series",
         f"{errors[0]} to {errors[-1]} at three frequencies; allowed are 2 % (`ASphereScattersAsMieSays`)"),
        ("slab of glass", "transmission at 500 THz", f"{slab['transmission']:.4f}", f"{slab['airy']:.4f}, Airy",
         f"{slab['most_percent']:.3f} % at most at 36 frequencies (`FluxesOfTheSlabAreAirys`)"),
        ("cavity between mirrors", "frequency, Q", f"{cavity['terahertz']:.3f} THz, {cavity['quality']:.2f}",
         f"{cavity['exact_terahertz']:.3f} THz, {cavity['exact_quality']:.2f}, matrices of layers",
         f"{percent(cavity['terahertz'], cavity['exact_terahertz'], 3)}, {percent(cavity['quality'], cavity['exact_quality'], 2)} (`ABraggCavityRingsDown`)"),
        ("tilted layers, E across them and along", "order of convergence", f"{layers['e_across']:.2f}, {layers['e_along']:.2f}",
         "2", "(`MatricesAreOfSecondOrder`)"),
        ("the same on a graded mesh, cells of lengths 1 and 1.5 in turn", "order of convergence",
         f"{uneven['e_across']:.2f}, {uneven['e_along']:.2f}", "2", "(`MatricesAreOfSecondOrderOnAGradedMesh`)"),
        ("cylinder of vacuum in a conductor, two modes", "order of convergence",
         f"{cylinder['tm010']:.2f}, {cylinder['te11']:.2f}", "2", "(`RoundCavitiesAreOfSecondOrder`)"),
        ("the same on a graded mesh, cells of lengths 1 and 2 in turn", "order of convergence",
         f"{cylinder['tm010_graded']:.2f}, {cylinder['te11_graded']:.2f}", "2", ""),
        *graded(tests),
    ])


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


TABLES = {"jobs": jobs, "cg-orders": orders, "fdtd-jobs": antennas_and_photonics, "tdbem-jobs": sound}
