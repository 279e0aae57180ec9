# SPDX-License-Identifier: Apache-2.0
"""The shapes of data/meshes, built with gmsh's OpenCASCADE kernel: each function returns its body, a list of one volume."""
import math


# ---- bracket, in millimetres -----------------------------------------------------------------------------------


def prism(cad, corners, axis, low, high):
    """Polygon in the plane across `axis` (corners: the two other coordinates, in the order x y z), from low to high."""
    point = [(lambda a, b: (low, a, b)), (lambda a, b: (a, low, b)), (lambda a, b: (a, b, low))][axis]
    points = [cad.addPoint(*point(a, b)) for a, b in corners]
    lines = [cad.addLine(p, q) for p, q in zip(points, points[1:] + points[:1])]
    face = cad.addPlaneSurface([cad.addCurveLoop(lines)])
    along = [0, 0, 0]
    along[axis] = high - low
    return [entity for entity in cad.extrude([(2, face)], *along) if entity[0] == 3]


def edges_in(gmsh, low, high):
    """Edges whose bounding boxes lie in a box."""
    inside = []
    for dimension, tag in gmsh.model.getEntities(1):
        box = gmsh.model.getBoundingBox(dimension, tag)
        if all(box[i] >= low[i] and box[i + 3] <= high[i] for i in range(3)):
            inside.append(tag)
    return inside


def bracket(gmsh):
    """An arm that carries a bearing, bolted to a wall at x = -13: plate on four feet with counterbored holes, web and flanges
    with thin ribs and round openings, hub with grooves and screw holes; fillets where the arm leaves the plate."""
    cad = gmsh.model.occ
    slack = 1e-3
    plate = cad.addBox(0, -55, -65, 16, 110, 130)
    cad.synchronize()
    corners = [edge for y in (-55, 55) for z in (-65, 65)
               for edge in edges_in(gmsh, (-slack, y - slack, z - slack), (16 + slack, y + slack, z + slack))]
    plate = cad.fillet([plate], corners, [14])

    side = [(16, -50), (16, 50), (215, 22), (215, -22)]
    arm = prism(cad, side, 1, -2.5, 2.5)
    for s in (-1, 1):
        arm += prism(cad, [(16, s * 50), (16, s * 42), (215, s * 14), (215, s * 22)], 1, -24, 24)
    arm += [(3, cad.addCylinder(-13, y, z, 14, 0, 0, 12)) for y in (-40, 40) for z in (-50, 50)]
    for x in (76, 118, 150, 176):
        rib = prism(cad, [(-20, -60), (20, -60), (20, 60), (-20, 60)], 0, x, x + 2.5)
        arm += cad.intersect(rib, prism(cad, side, 1, -30, 30))[0]
    arm.append((3, cad.addCylinder(215, -34, 0, 0, 68, 0, 26)))
    body = cad.fuse(plate, arm)[0]
    cad.synchronize()
    body = cad.fillet([body[0][1]], edges_in(gmsh, (16 - slack, -30, -60), (16 + slack, 30, 60)), [2.5])

    def hole(x, y, z, dx, dy, dz, radius):
        return (3, cad.addCylinder(x, y, z, dx, dy, dz, radius))

    holes = [hole(215, -40, 0, 0, 80, 0, 15), hole(215, 22, 0, 0, 2, 0, 16.5), hole(215, -24, 0, 0, 2, 0, 16.5),
             hole(215, 0, 0, 30, 0, 0, 1.5)]
    for y in (-40, 40):
        for z in (-50, 50):
            holes += [hole(-14, y, z, 31, 0, 0, 6.5), hole(9, y, z, 8, 0, 0, 11)]
    holes += [hole(x, -40, 0, 0, 80, 0, radius) for x, radius in ((47, 23), (97, 17), (134.5, 12), (164, 8))]
    for i in range(6):
        x, z = 215 + 20.7 * math.cos(i * math.pi / 3 + 0.2), 20.7 * math.sin(i * math.pi / 3 + 0.2)
        holes += [hole(x, -35, z, 0, 13, 0, 2), hole(x, 35, z, 0, -13, 0, 2)]
    return cad.cut(body, holes)[0]


# ---- airliner, in metres: x to the tail, y to the right wing, z up ---------------------------------------------


def section(cad, place, chord, thickness, blunt, points=24):
    """Symmetric NACA four-digit profile, its trailing edge `blunt` high; place(u, w): the point u behind the nose, w up."""
    def half(t):
        naca = 0.2969 * math.sqrt(t) + t * (-0.1260 + t * (-0.3516 + t * (0.2843 - t * 0.1036)))
        return 5 * thickness * chord * naca + t * blunt / 2
    along = [(1 - math.cos(math.pi * i / points)) / 2 for i in range(points + 1)]
    upper = [cad.addPoint(*place(chord * t, half(t))) for t in along]
    lower = upper[:1] + [cad.addPoint(*place(chord * t, -half(t))) for t in along[1:]]
    return cad.addWire([cad.addSpline(upper), cad.addLine(upper[-1], lower[-1]), cad.addSpline(lower[::-1])])


def loft(cad, wires, ruled=True):
    return cad.addThruSections(wires, -1, True, ruled)


def wing(cad, side):
    def at(x, y, z, chord, thickness, blunt, twist):
        c, s = math.cos(math.radians(twist)), math.sin(math.radians(twist))
        return section(cad, lambda u, w: (x + c * u + s * w, side * y, z - s * u + c * w), chord, thickness, blunt)
    return loft(cad, [at(11.0, 0, -1.15, 7.4, 0.145, 0.3, 2), at(14.4, 6.2, -0.62, 4.1, 0.13, 0.26, 1),
                      at(19.9, 16.6, 0.3, 2.0, 0.15, 0.22, -1)])


def tailplane(cad, side):
    def at(x, y, z, chord, blunt):
        return section(cad, lambda u, w: (x + u, side * y, z + w), chord, 0.12, blunt)
    return loft(cad, [at(28.3, 0, 0.75, 3.6, 0.24), at(31.6, 6.2, 1.3, 1.8, 0.2)])


def fin(cad):
    def at(x, z, chord, blunt):
        return section(cad, lambda u, w: (x + u, w, z), chord, 0.11, blunt)
    return loft(cad, [at(26.2, 0.9, 6.0, 0.26), at(31.2, 7.9, 2.3, 0.22)])


def fuselage(cad):
    """Half an ellipsoid, a cylinder, and circles that rise and shrink towards the tail."""
    radius, nose, tail = 1.98, 4.6, 23
    front = [(3, cad.addSphere(0, 0, 0, 1))]
    cad.rotate(front, 0, 0, 0, 0, 1, 0, math.pi / 2)  # its poles on the axis of the fuselage
    cad.dilate(front, 0, 0, 0, nose, radius, radius)
    cad.translate(front, nose, 0, 0)
    front = cad.intersect(front, [(3, cad.addBox(-1, -3, -3, nose + 1, 6, 6))])[0]
    rings = []
    for x, r, z in ((tail, radius, 0), (25.5, 1.86, 0.1), (28.5, 1.42, 0.48), (31.5, 0.82, 0.95), (34, 0.3, 1.3)):
        circle = cad.addCircle(x, 0, z, r)
        cad.rotate([(1, circle)], x, 0, z, 0, 1, 0, math.pi / 2)
        rings.append(cad.addWire([circle]))
    tube = (3, cad.addCylinder(nose, 0, 0, tail - nose, 0, 0, radius))
    return cad.fuse(front, [tube] + loft(cad, rings, ruled=False))[0]


def engine(cad, side):
    """Nacelle with an inlet, an exhaust and its cone, turned about its axis; and the pylon that holds it."""
    x, y, z = 10.6, side * 5.7, -2.05
    profile = [(1.1, 0), (1.1, 0.82), (0.25, 0.84), (0, 0.95), (0.2, 1.06), (1.3, 1.18), (2.6, 1.1), (3.5, 0.92),
               (3.5, 0.7), (3.1, 0.68), (3.1, 0.38), (4.25, 0.18), (4.25, 0)]
    p = [cad.addPoint(x + u, y, z + w) for u, w in profile]
    lip_and_cowl = [cad.addSpline(p[2:5]), cad.addSpline(p[4:8])]
    lines = [cad.addLine(a, b) for a, b in zip(p, p[1:] + p[:1]) if not 2 <= p.index(a) < 7]
    loop = cad.addCurveLoop(lines[:2] + lip_and_cowl + lines[2:])
    turned = cad.revolve([(2, cad.addPlaneSurface([loop]))], x, y, z, 1, 0, 0, 2 * math.pi)

    def at(height, u, chord):
        return section(cad, lambda a, b: (x + u + a, y + b, height), chord, 0.12, 0.2, points=12)
    return [entity for entity in turned if entity[0] == 3] + loft(cad, [at(z + 0.8, 1.3, 2.55), at(-0.5, 2.6, 3.2)])


def airliner(gmsh):
    cad = gmsh.model.occ
    parts = [fin(cad)]
    for side in (1, -1):
        parts += [wing(cad, side), tailplane(cad, side), engine(cad, side)]
    return cad.fuse(fuselage(cad), [entity for part in parts for entity in part])[0]
