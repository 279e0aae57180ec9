#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 4: a slow stream past a body from a mesh, and its drag. The body is a ball of triangles, whose drag is known;
or that of a file (STL, OBJ, OFF, PLY, gmsh).

    flow.py [MESH]
"""
import sys

import numpy

import asterism


def ball(rings):
    """Vertices and triangles of a sphere with so many rings from pole to pole."""
    vertices, triangles, around = [(0, 0, 1)], [], 2 * rings
    for i in range(1, rings):
        for j in range(around):
            theta, phi = numpy.pi * i / rings, 2 * numpy.pi * j / around
            vertices.append((numpy.sin(theta) * numpy.cos(phi), numpy.sin(theta) * numpy.sin(phi), numpy.cos(theta)))
    last = len(vertices)
    vertices.append((0, 0, -1))
    for j in range(around):
        k = (j + 1) % around
        triangles.append((0, 1 + j, 1 + k))
        for i in range(rings - 2):
            a, b = 1 + i * around, 1 + (i + 1) * around
            triangles += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
        a = 1 + (rings - 2) * around
        triangles.append((a + j, last, a + k))
    return numpy.array(vertices, dtype=float), numpy.array(triangles, dtype=numpy.int32)


def main():
    file = sys.argv[1] if len(sys.argv) > 1 else ""
    cells, length = (60, 40, 40), 30.0 if file else 8.0
    velocity, reynolds = 0.05, 20.0
    vertices, triangles = (None, None) if file else ball(24)
    solid = asterism.lbm.solid_cells(cells, file, vertices=vertices, triangles=triangles, length=length)
    front = int((solid.max(axis=2) != 0).sum())  # cells that the stream sees

    inlet, outlet = asterism.lbm.wall(velocity), asterism.lbm.pressure()
    faces = {"-x": inlet, "+x": outlet, **{side: "periodic" for side in ("-y", "+y", "-z", "+z")}}
    with asterism.Session() as session:
        stream = asterism.lbm.Simulation(session, cells, faces=faces, solid=solid, collision="trt",
                                         velocity=(velocity, 0, 0),
                                         tau=asterism.lbm.relaxation_time(velocity, length, reynolds))

        # sound runs to and fro between inlet and outlet, with a period of 4 nx / 0.577 steps: the mean over two of them
        period, drags = round(4 * cells[0] / 0.577), []
        stream.advance(1000)
        stream.advance(2 * period, lambda step: drags.append(stream.force()[0] / (velocity**2 / 2 * front)), every=13)
    drag = sum(drags) / len(drags)
    print(f"{solid.sum()} solid cells, {front} in front: drag coefficient {drag:.2f}")
    if not file:
        # Schiller and Naumann 1933; the periodic neighbours add to it
        alone = 24 / reynolds * (1 + 0.15 * reynolds**0.687)
        print(f"a ball alone has {alone:.2f}")
        sys.exit(int(not 0.9 * alone < drag < 1.3 * alone))


main()
