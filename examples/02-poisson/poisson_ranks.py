#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 2 over several processes: each makes the rows of some lines of nodes, and gets the solution there.

    mpirun -n 3 python3 poisson_ranks.py [NODES]    along x, default 200; half as many along y
"""
import sys

import numpy
import scipy.sparse

import asterism


def second_difference(nodes, h):
    return scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(nodes, nodes), format="csr") / h**2


def main():
    nx = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    ny = nx // 2
    hx, hy = 1 / (nx + 1), 0.5 / (ny + 1)
    with asterism.Session() as session:
        # lines [first, last) of nodes along x are this process's
        first, last = (ny * r // session.ranks for r in (session.rank, session.rank + 1))
        along_x = scipy.sparse.kron(scipy.sparse.eye(ny, format="csr")[first:last], second_difference(nx, hx))
        along_y = scipy.sparse.kron(second_difference(ny, hy)[first:last], scipy.sparse.eye(nx))
        rows = asterism.cg.Rows((along_x + along_y).tocsr(), first_row=first * nx)
        solver = asterism.cg.Solver(session, rows, preconditioner="none")
        # u = sin(k x) sin(m y): -(u_xx + u_yy) = (k^2 + m^2) u
        k, m = numpy.pi, 4 * numpy.pi
        x = hx * numpy.arange(1, nx + 1)
        y = hy * numpy.arange(first + 1, last + 1)
        exact = numpy.outer(numpy.sin(m * y), numpy.sin(k * x)).ravel()
        u = solver.solve((k**2 + m**2) * exact)
        error = abs(u - exact).max(initial=0)
        if session.rank == 0:
            print(f"{solver.rows} unknowns on {session.ranks} process(es): {solver.last.iterations} iterations, "
                  f"residual {solver.last.residual:.1e}")
        print(f"process {session.rank}: {solver.own_rows} rows, error {error:.2e}")
        # second order: the error is about (k^4 hx^2 + m^4 hy^2) / 12 (k^2 + m^2)
        if not solver.last.converged or error > 2 * (k**4 * hx**2 + m**4 * hy**2) / (12 * (k**2 + m**2)):
            sys.exit(1)


main()
