#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 6: a pulse of sound meets a rigid box, and the spectrum of the mean pressure on the face that it meets:
long waves pass the box as if it were not there, short ones find a wall, where the pressure is about twice theirs.

    sound.py
"""
import sys

import numpy

import asterism


def box(sides, parts):
    """Vertices and triangles of a box around the origin, its sides cut into so many parts."""
    numbers, vertices, triangles = {}, [], []

    def vertex(*at):
        if at not in numbers:
            numbers[at] = len(vertices)
            vertices.append([sides[d] * (at[d] / parts[d] - 0.5) for d in range(3)])
        return numbers[at]

    for d in range(3):
        e, f = (d + 1) % 3, (d + 2) % 3  # with d a right-handed system
        for level in (0, parts[d]):
            for i in range(parts[e]):
                for j in range(parts[f]):
                    corner = []
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[d], at[e], at[f] = level, i + a, j + b
                        corner.append(vertex(*at))
                    if level == 0:
                        corner.reverse()  # outward
                    triangles += [corner[:3], [corner[0], *corner[2:]]]
    return numpy.array(vertices), numpy.array(triangles, dtype=numpy.int32)


def main():
    sides, speed = (0.4, 1.0, 0.8), 343.0
    vertices, triangles = box(sides, (4, 10, 8))
    face = vertices[:, 0] < -0.499 * sides[0]
    with asterism.Session() as session:
        sound = asterism.tdbem.Simulation(session, vertices, triangles, asterism.tdbem.Wave((1, 0, 0), pulse="ricker"),
                                          observers=[(-1.5, 0, 0)], speed=speed)
        pressure = []

        def listen(step):
            while len(pressure) < step:  # a group of steps
                pressure.append(sound.surface(step=len(pressure))[face].mean())

        sound.advance(progress=listen, every=8)
        dt, incident = sound.time_step, sound.incident()[0, 0]
        print(f"{sound.unknowns} unknowns, {sound.step} steps of {1e3 * dt:.4f} ms; "
              f"largest echo at the observer {abs(sound.scattered()).max():.3f}")
    frequencies = numpy.array([25, 50, 100, 200, 300])
    phases = numpy.exp(-2j * numpy.pi * numpy.outer(frequencies, dt * numpy.arange(len(pressure))))
    ratio = abs(phases @ pressure) / abs(phases @ incident)
    for frequency, one in zip(frequencies, ratio):
        print(f"{frequency} Hz: {one:.3f} of the incident pressure")
    sys.exit(int(not (abs(ratio[0] - 1) < 0.05 and 1.8 < ratio[-1] < 2.2)))


main()
