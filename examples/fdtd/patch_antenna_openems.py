#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The patch antenna of patch_antenna.toml by openEMS (Debian: python3-openems), on the same cells with the same port.

patch_antenna_openems.py PORTS.csv: of asterism-fdtd; prints resonances of both, and how much the reflections differ.
"""
import csv
import os
import sys
import tempfile

import numpy as np

np.float, np.int = float, int  # which openEMS 0.0.35 asks NumPy for
from CSXCAD import ContinuousStructure  # noqa: E402
from openEMS import openEMS  # noqa: E402

rows = list(csv.DictReader(open(sys.argv[1])))
frequencies = np.array([float(row["frequency"]) for row in rows])
ours = np.array([float(row["feed.s_db"]) for row in rows])

fdtd = openEMS(NrTS=5000, EndCriteria=1e-9)
fdtd.SetGaussExcite(9e9, 5e9)
fdtd.SetBoundaryCond(["PML_8"] * 4 + ["PEC", "PML_8"])
structure = ContinuousStructure()
fdtd.SetCSX(structure)
grid = structure.GetGrid()
grid.SetDeltaUnit(1)  # m
x = -6.224e-3 + 0.389e-3 * np.arange(65)
y = -14.4e-3 + 0.4e-3 * np.arange(93)
z = 0.265e-3 * np.arange(23)
for axis, lines in zip("xyz", (x, y, z)):
    grid.SetLines(axis, lines)
top = z[3]
structure.AddMaterial("duroid", epsilon=2.2).AddBox([-1, -1, 0], [1, 1, top])
metal = structure.AddMetal("patch")
metal.AddBox([x[16], y[36], top], [x[48], y[76], top], priority=10)
metal.AddBox([x[21], y[21], top], [x[27], y[36], top], priority=10)  # the line
port = fdtd.AddLumpedPort(1, 50, [x[24], y[21], 0], [x[24], y[21], top], "z", 1.0, priority=20)
with tempfile.TemporaryDirectory() as folder:
    here = os.getcwd()
    fdtd.Run(folder)
    port.CalcPort(folder, frequencies)
    os.chdir(here)
theirs = 20 * np.log10(abs(port.uf_ref / port.uf_inc))


def resonance(reflection):
    return frequencies[reflection.argmin()] / 1e9


print(f"resonance: {resonance(ours):.2f} GHz, {ours.min():.2f} dB; openEMS {resonance(theirs):.2f} GHz, {theirs.min():.2f} dB")
print(f"reflections differ by {np.abs(ours - theirs).max():.2f} dB at most")
