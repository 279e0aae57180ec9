#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Meshes of tetrahedra by rule, as MSH 4.1 on standard output, for asterism-cg --model.

structured_mesh.py beam LENGTH WIDTH HEIGHT CELLS_X CELLS_Y CELLS_Z
    A box from the origin. Groups: body; x0, x1, y0, y1, z0, z1, its sides.
structured_mesh.py plate HALF_LENGTH HALF_WIDTH THICKNESS CELLS
    A quarter of a plate, x and y > 0, with a hole of radius 1 around the origin; CELLS along a quarter of the hole. Groups:
    body; hole; x0, y0, the planes of symmetry; x1, y1, the edges; z0, z1, the faces.
"""
import itertools
import math
import sys


def tetrahedra(cells, node):
    """Six around the diagonal of each brick, positive where i, j, k are right-handed."""
    for cell in itertools.product(*map(range, cells)):
        for axes in itertools.permutations(range(3)):
            at, corners = list(cell), [node(*cell)]
            for axis in axes:
                at[axis] += 1
                corners.append(node(*at))
            odd = (axes[1] - axes[0]) % 3 != 1
            yield [corners[k] for k in ((0, 1, 3, 2) if odd else (0, 1, 2, 3))]


def beam(length, width, height, *cells):
    cells = [int(n) for n in cells]
    side = (length, width, height)
    places = {ijk: tuple(s * i / n for s, i, n in zip(side, ijk, cells))
              for ijk in itertools.product(*(range(n + 1) for n in cells))}
    planes = {f"{'xyz'[a]}{end}": (lambda x, a=a, end=end: abs(x[a] - end * side[a]) < 1e-9 * side[a])
              for a in range(3) for end in (0, 1)}
    return places, list(tetrahedra(cells, lambda *ijk: ijk)), planes


def plate(half_length, half_width, thickness, cells):
    """Rays from the hole to a square, and strips from there to the end; the sizes grow with the radius."""
    cells = 2 * math.ceil(cells / 2)
    growth = 1 + math.pi / 2 / cells
    rings = math.ceil(math.log(half_width) / math.log(growth))
    strips = math.ceil((half_length / half_width - 1) * cells / 2)
    places = {}
    for i, j, k in itertools.product(range(rings + strips + 1), range(cells + 1), (0, 1)):
        if i > rings and j > cells // 2:
            continue
        angle = math.pi / 2 * j / cells
        t = 2 * j / cells
        end = (half_width, half_width * t) if t <= 1 else (half_width * (2 - t), half_width)
        s = (half_width ** (min(i, rings) / rings) - 1) / (half_width - 1)
        x, y = ((1 - s) * math.cos(angle) + s * end[0], (1 - s) * math.sin(angle) + s * end[1])
        if i > rings:
            x += (half_length - half_width) * (i - rings) / strips
        places[i, j, k] = (0 if j == cells else x, 0 if j == 0 else y, k * thickness)
    bricks = (corners for corners in tetrahedra((rings + strips, cells, 1), lambda *ijk: ijk)
              if all(corner in places for corner in corners))
    near = lambda a, b: abs(a - b) < 1e-9 * half_length
    planes = {"hole": lambda x: near(math.hypot(x[0], x[1]), 1), "x0": lambda x: x[0] == 0, "y0": lambda x: x[1] == 0,
              "x1": lambda x: near(x[0], half_length), "y1": lambda x: near(x[1], half_width),
              "z0": lambda x: x[2] == 0, "z1": lambda x: x[2] == thickness}
    return places, list(bricks), planes


def faces(tets):
    """Those of a single tetrahedron."""
    seen = {}
    for tet in tets:
        for corners in itertools.combinations(tet, 3):
            seen.setdefault(frozenset(corners), []).append(corners)
    return [found[0] for found in seen.values() if len(found) == 1]


def write(places, tets, planes):
    number = {ijk: n + 1 for n, ijk in enumerate(places)}
    x = list(places.values())
    low, high = ([f(p[a] for p in x) for a in range(3)] for f in (min, max))
    box = " ".join(f"{c:.17g}" for c in low + high)
    surface = faces(tets)
    groups = [[face for face in surface if all(on(places[corner]) for corner in face)] for on in planes.values()]
    print("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames")
    print(len(planes) + 1)
    for tag, name in enumerate(planes, 1):
        print(f'2 {tag} "{name}"')
    print(f'3 1 "body"\n$EndPhysicalNames\n$Entities\n0 0 {len(planes)} 1')
    for tag in range(1, len(planes) + 1):
        print(f"{tag} {box} 1 {tag} 0")
    print(f"1 {box} 1 1 {len(planes)} " + " ".join(str(tag) for tag in range(1, len(planes) + 1)))
    print(f"$EndEntities\n$Nodes\n1 {len(x)} 1 {len(x)}\n3 1 0 {len(x)}")
    print("\n".join(str(n) for n in range(1, len(x) + 1)))
    print("\n".join(" ".join(f"{c:.17g}" for c in p) for p in x))
    elements = len(tets) + sum(len(group) for group in groups)
    print(f"$EndNodes\n$Elements\n{len(groups) + 1} {elements} 1 {elements}")
    n = itertools.count(1)
    for tag, group in enumerate(groups, 1):
        print(f"2 {tag} 2 {len(group)}")
        for face in group:
            print(next(n), *(number[corner] for corner in face))
    print(f"3 1 4 {len(tets)}")
    for tet in tets:
        print(next(n), *(number[corner] for corner in tet))
    print("$EndElements")


if __name__ == "__main__":
    shapes = {"beam": (beam, 6), "plate": (plate, 4)}
    if len(sys.argv) < 2 or sys.argv[1] not in shapes or len(sys.argv) != 2 + shapes[sys.argv[1]][1]:
        sys.exit(__doc__)
    write(*shapes[sys.argv[1]][0](*(float(argument) for argument in sys.argv[2:])))
