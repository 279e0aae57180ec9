# SPDX-License-Identifier: Apache-2.0
"""Ours beside other programs. Tables by the name of their place in the text."""
from tables.records import load


def peers():
    record = load("peers.json")[0][1]
    other = {entry["program"]: entry for entry in record["measured"] + record["published"]}
    rows = ["| the same problem | Asterism | another program |", "|---|---|---|"]

    cg = load("bench-cg-11pts-128.json")[0][1]["summary"]
    rows.append(f"| conjugate gradient, 11pts-128, two cores, in turn | {cg['asterism_ms']['median']:.1f} ms per iteration | "
                f"PETSc KSPCG {cg['petsc_ms']['median']:.1f} ms |")

    fmm = {c["setting"]: c for c in load("fmm-cpu-cube-1m.json")[0][1]["cases"]}
    for program, setting in (("exafmm-t", "accuracy 5"), ("ScalFMM 1.5", "order 7")):
        ours, theirs = fmm[setting], other[program]
        rows.append(f"| 10^6 charges of both signs in a cube, two cores | {ours['seconds']:.2f} s, errors {ours['potential_error']:.0e} "
                    f"and {ours['force_error']:.0e} | {program} ({theirs['setting']}) {theirs['seconds']:.2f} s, "
                    f"{theirs['error_potential']:.0e} and {theirs['error_force']:.0e} |")

    lbm = {c["setting"]: c["mlups"] for c in load("lbm-cpu-192.json")[0][1]["cases"]}
    rows.append(f"| lattice Boltzmann, 192^3, double, two cores | {lbm['size 192']:.0f} MLUPS | "
                f"waLBerla {other['waLBerla']['mlups']} MLUPS |")
    fluidx3d = other["FluidX3D"]
    rows.append(f"| lattice Boltzmann, single, one H200 | {single_on_h200():.0f} MLUPS | "
                f"FluidX3D {fluidx3d['mlups']} MLUPS (published: {fluidx3d['source']}) |")

    fdtd = load("fdtd-cpu-128.json")[0][1]["cases"]
    best = {p: max(c["mcells"] for c in fdtd if c.get("problem", {}).get("precision") == p) for p in ("single", "double")}
    theirs = {c["setting"].split()[0]: c["mcells"] for c in fdtd if "problem" not in c}
    rows.append(f"| Yee's scheme, 128^3, single, two cores | {best['single']:.0f} 10^6 cells/s | openEMS {theirs['openems']:.0f} |")
    rows.append(f"| Yee's scheme, 128^3, double, two cores | {best['double']:.0f} 10^6 cells/s | Meep {theirs['meep']:.0f} |")
    return "\n".join(rows)


def single_on_h200():
    """MLUPS of the cavity in single precision through StarPU, the best of the recorded sizes."""
    return max(c["mlups"] for c in load("lbm-h200.json")[0][1]["cases"] if c["flow"]["precision"] == "single")


TABLES = {"peers": peers}
