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
            for _, record in load(f"jobs-{method}.json") for name, test in record["tests"].items()}


def table(rows):
    return "\n".join(["| job | figure | here | reference | difference |", "|---|---|---|---|---|",
                      *("| " + " | ".join(row) + " |" for row in rows)])


def impedance(text):
    real, imaginary = (float(part) for part in text.split())
    return f"{real:.1f} {'+' if imaginary >= 0 else '-'} {abs(imaginary):.1f}j ohm"


def fdtd():
    tests = figures("fdtd")
    dipole, slab, cavity, sphere = (tests[name] for name in ("TheDipoleHasItsImpedance", "FluxesOfTheSlabAreAirys",
                                                             "ABraggCavityRingsDown", "ASphereScattersAsMieSays"))
    layers, cylinder = tests["MatricesAreOfSecondOrder"], tests["RoundCavitiesAreOfSecondOrder"]
    errors = [abs(sphere[f"square_micrometres_{f}_THz"] / sphere[f"mie_{f}_THz"] - 1) for f in (850, 925, 1000)]
    off = [abs(cavity[key] / cavity[f"exact_{key}"] - 1) for key in ("terahertz", "quality")]
    dipole_most = max(dipole[f"percent_{f}_MHz"] for f in (920, 960, 1000))
    return table([
        ("dipole of 150 mm, thin wires", "impedance at 0.96 GHz", impedance(dipole["ohm_960_MHz"]),
         impedance(dipole["moments_960_MHz"]) + ", method of moments",
         f"{dipole['percent_960_MHz']:.1f} % of the modulus, {dipole_most:.1f} % at most (`TheDipoleHasItsImpedance`)"),
        ("sphere of glass, 10 to 12 cells per wavelength in it", "scattering cross-section at 1000 THz",
         f"{sphere['square_micrometres_1000_THz']:.4f} µm$^2$", f"{sphere['mie_1000_THz']:.4f} µm$^2$, Mie's series",
         f"{min(errors):.1%} to {max(errors):.1%} at three frequencies (`ASphereScattersAsMieSays`)"),
        ("slab of glass", "transmission at 500 THz", f"{slab['transmission']:.4f}", f"{slab['airy']:.4f}, Airy",
         f"{slab['most_percent']:.3f} % at most at 36 frequencies (`FluxesOfTheSlabAreAirys`)"),
        ("cavity between mirrors", "frequency, Q", f"{cavity['terahertz']:.3f} THz, {cavity['quality']:.2f}",
         f"{cavity['exact_terahertz']:.3f} THz, {cavity['exact_quality']:.2f}, matrices of layers",
         f"{off[0]:.3%}, {off[1]:.2%} (`ABraggCavityRingsDown`)"),
        ("tilted layers, E across them and along", "order of convergence", f"{layers['e_across']:.2f}, {layers['e_along']:.2f}",
         "2", "(`MatricesAreOfSecondOrder`)"),
        ("cylinder of vacuum in a conductor, two modes", "order of convergence",
         f"{cylinder['tm010']:.2f}, {cylinder['te11']:.2f}", "2", "(`RoundCavitiesAreOfSecondOrder`)"),
    ])


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
         f"{tests['AFarMonopoleIsAPlaneWave']['percent']:.2f} % (`AFarMonopoleIsAPlaneWave`)"),
        ("box, two monopoles", "reciprocity", "", "0", f"{small['rigid_box_percent']:.2f} % (`Reciprocity.OfSmallBodies`)"),
        ("soft ellipsoid, two monopoles", "reciprocity", "", "0", f"{small['soft_ellipsoid_percent']:.3f} %"),
        ("airliner of 3,689 vertices, two monopoles", "reciprocity", "", "0",
         f"{airliner['airliner_percent']:.2f} %; allowed is 1 % (`Reciprocity.OfAnAirliner`, {airliner['seconds']:.0f} s)"),
        ("box turned by `--rotate`", "scattered pressure", "", "the wave turned instead",
         f"{tests['TurnedBodiesAreSeenFromTheOtherSide']['percent']:.4f} % (`TurnedBodiesAreSeenFromTheOtherSide`)"),
    ])


TABLES = {"fdtd-jobs": fdtd, "tdbem-jobs": tdbem}
