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
        # u = x (1 - x) y (1/2 - y), whose second differences are exact: -(u_xx + u_yy) = 2 y (1/2 - y) + 2 x (1 - x)
        x = hx * numpy.arange(1, nx + 1)
        y = hy * numpy.arange(first + 1, last + 1)
        exact = numpy.outer(y * (0.5 - y), x * (1 - x)).ravel()
        u = solver.solve(numpy.add.outer(2 * y * (0.5 - y), 2 * x * (1 - x)).ravel())
        error = abs(u - exact).max(initial=0)
        if session.rank == 0:
            print(f"{solver.rows} unknowns on {session.ranks} process(es): {solver.last.iterations} iterations, "
                  f"residual {solver.last.residual:.1e}")
        print(f"process {session.rank}: {solver.own_rows} rows, error {error:.2e}")
        if not solver.last.converged or error > 1e-8:  # of values up to 1/64
            sys.exit(1)


main()
