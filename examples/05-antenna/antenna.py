#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 5: a dipole antenna, two conducting rods, and its far field at the frequency of which it is half a wave long.
The scene is text, as in a file of asterism-fdtd.

    antenna.py
"""
import sys

import numpy

import asterism

SCENE = """
courant = 0.95
time = 8e-9                 # s

[grid]
cells = [36, 36, 48]
spacing = [6e-3, 6e-3, 6e-3]
origin = [-0.111, -0.111, -0.147]

[faces]
all = "cpml"

[cpml]
thickness = 8

[[geometry]]                # one cell thick, from -69 mm to 69 mm but for the gap
shape = "box"
material = "pec"
low = [-0.003, -0.003, -0.069]
high = [0.003, 0.003, -0.003]

[[geometry]]
shape = "box"
material = "pec"
low = [-0.003, -0.003, 0.003]
high = [0.003, 0.003, 0.069]

[[sources]]
type = "dipole"
component = "Ez"
position = [-0.003, -0.003, 0]
waveform = { kind = "differentiated_gaussian", amplitude = 1e-3, width = 0.3e-9 }

[[far_fields]]
box = { low = [-0.045, -0.045, -0.093], high = [0.045, 0.045, 0.093] }
frequencies = [1e9]
theta = { from = 10, to = 90, count = 9 }
phi = [0]
"""


def main():
    with asterism.Session() as session:
        antenna = asterism.fdtd.Simulation.from_scene(session, SCENE)
        antenna.advance(antenna.steps)
        print(f"{antenna.steps} steps of {antenna.time_step:.3e} s")
        far = antenna.far_fields()
    worst = 0
    for direction in far:
        # a thin rod of half a wave: 1.64 (cos(pi/2 cos theta) / sin theta)^2 (Balanis, Antenna Theory, chapter 4)
        theta = numpy.radians(direction.theta)
        thin = 1.64 * (numpy.cos(numpy.pi / 2 * numpy.cos(theta)) / numpy.sin(theta))**2
        worst = max(worst, abs(direction.directivity - thin))
        print(f"theta {direction.theta:3.0f}: directivity {direction.directivity:.3f}, of a thin rod {thin:.3f}")
    sys.exit(int(worst > 0.1))


main()
