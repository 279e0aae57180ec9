#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 2: Poisson's equation -(u_xx + u_yy) = f in a rectangle of sides 1 and 1/2, u = 0 on its sides, by five-point
differences. The matrix is made once; two right-hand sides are solved, each with a solution that is known.

    poisson.py [NODES]    along x, default 200; half as many along y
"""
import sys

import numpy
import scipy.sparse

import asterism


def second_difference(nodes, h):
    return scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(nodes, nodes)) / h**2


def main():
    nx = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    ny = nx // 2
    hx, hy = 1 / (nx + 1), 0.5 / (ny + 1)
    along_x = scipy.sparse.kron(scipy.sparse.eye(ny), second_difference(nx, hx))
    along_y = scipy.sparse.kron(second_difference(ny, hy), scipy.sparse.eye(nx))
    x = hx * numpy.arange(1, nx + 1)
    y = hy * numpy.arange(1, ny + 1)
    with asterism.Session() as session:
        solver = asterism.cg.Solver(session, along_x + along_y)
        for waves in (1, 3):
            # u = sin(k x) sin(4 pi y): -(u_xx + u_yy) = (k^2 + 16 pi^2) u, k = waves pi
            k, m = waves * numpy.pi, 4 * numpy.pi
            exact = numpy.outer(numpy.sin(m * y), numpy.sin(k * x)).ravel()
            u = solver.solve((k**2 + m**2) * exact)
            error = abs(u - exact).max()
            print(f"{nx * ny} unknowns, {waves} wave(s): {solver.last.iterations} iterations, "
                  f"residual {solver.last.residual:.1e}, error {error:.2e}")
            # second order: the error is about (k^4 hx^2 + m^4 hy^2) / 12 (k^2 + m^2)
            if not solver.last.converged or error > 2 * (k**4 * hx**2 + m**4 * hy**2) / (12 * (k**2 + m**2)):
                sys.exit(1)


main()
