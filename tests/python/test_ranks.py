# SPDX-License-Identifier: Apache-2.0
"""The Python package over several processes: run by mpirun with three, and with all other tests in one."""
import numpy
import pytest

import asterism
from refusal import refused

scipy_sparse = pytest.importorskip("scipy.sparse")
scipy_linalg = pytest.importorskip("scipy.sparse.linalg")


@pytest.fixture
def session():
    with asterism.Session(cpus=1, gpus=0) as opened:
        yield opened


def grid(nx=23, ny=19):
    def second(n):
        return scipy_sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))

    return (scipy_sparse.kron(scipy_sparse.eye(ny), second(nx)) +
            0.2 * scipy_sparse.kron(second(ny), scipy_sparse.eye(nx))).tocsr()


A = grid()
B = numpy.random.default_rng(1).uniform(-1, 1, A.shape[0])
X = scipy_linalg.spsolve(A.tocsc(), B)


def cut(session):
    """Rows of this process: the first has the fewest."""
    first, last = (A.shape[0] * r**2 // session.ranks**2 for r in (session.rank, session.rank + 1))
    return slice(first, last)


def is_last(session):
    return session.rank == session.ranks - 1


def test_rows_of_each_process(session):
    mine = cut(session)
    own = A[mine]
    for rows in (asterism.cg.Rows(own, mine.start),
                 asterism.cg.Rows((own.indptr, own.indices, own.data), mine.start, A.shape[0])):
        solver = asterism.cg.Solver(session, rows, tolerance=1e-12)
        assert (solver.rows, solver.first_row, solver.own_rows) == (A.shape[0], mine.start, mine.stop - mine.start)
        assert solver.entries == A.nnz
        x = solver.solve(B[mine])
        assert solver.last.converged
        assert abs(x - X[mine]).max() < 1e-9 * abs(X).max()
        both = solver.solve(numpy.stack([B[mine], -B[mine]]))
        assert (both == [x, -x]).all()


def test_rows_by_a_function(session):
    def row(i):
        return A.indices[A.indptr[i]:A.indptr[i + 1]], list(A.data[A.indptr[i]:A.indptr[i + 1]])

    solver = asterism.cg.Solver(session, asterism.cg.MatrixRows(A.shape[0], row), tolerance=1e-12)
    mine = slice(solver.first_row, solver.first_row + solver.own_rows)
    assert abs(solver.solve(B[mine]) - X[mine]).max() < 1e-9 * abs(X).max()

    def wrong(i):
        if is_last(session):
            raise KeyError(f"row {i}")
        return row(i)

    with pytest.raises(KeyError if is_last(session) else asterism.Failed, match="row"):
        asterism.cg.Solver(session, asterism.cg.MatrixRows(A.shape[0], wrong))


def test_an_error_of_one_process_is_one_of_all(session):
    mine = cut(session)
    other = "" if is_last(session) else f"process {session.ranks - 1}: "
    solver = asterism.cg.Solver(session, asterism.cg.Rows(A[mine], mine.start))
    shape = numpy.zeros(3) if is_last(session) else B[mine]
    refused(lambda: solver.solve(shape), other, "b: an array of shape")
    single = B[mine].astype(numpy.float32) if is_last(session) else B[mine]
    refused(lambda: solver.solve(single), other, "float32")

    def progress(iteration, residual):
        if is_last(session):
            raise IndexError("enough")

    with pytest.raises(IndexError if is_last(session) else asterism.Failed, match="enough"):
        solver.solve(B[mine], progress=progress)
    assert solver.solve(B[mine]) is not None and solver.last.converged
    own = A[mine].astype(numpy.float32) if is_last(session) else A[mine]
    refused(lambda: asterism.cg.Solver(session, asterism.cg.Rows(own, mine.start)), other, "data", "float32")
    nan = numpy.where(is_last(session), numpy.nan, B[mine])
    refused(lambda: solver.solve(nan), other, "is nan")
    if is_last(session):
        refused(lambda: session.fail("no such file"), "no such file")
    else:
        refused(lambda: solver.solve(B[mine]), other, "no such file")
    assert solver.solve(B[mine]) is not None and solver.last.converged


def test_what_needs_one_process(session):
    if session.ranks == 1:
        pytest.skip("nothing is refused")
    refused(lambda: asterism.cg.Solver(session, A), f"{session.ranks} processes", "Rows")
    refused(lambda: asterism.fmm.Evaluator(session, numpy.eye(3)), f"{session.ranks} processes")
    refused(lambda: asterism.lbm.Simulation(session, cells=(8, 8, 8)), f"{session.ranks} processes")
