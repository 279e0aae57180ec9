# SPDX-License-Identifier: Apache-2.0
"""The Python package: answers against NumPy's own, arrays in place, misuse in one line, threads, Ctrl-C."""
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import asterism
from refusal import refused

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture
def session():
    with asterism.Session(cpus=2, gpus=0) as opened:
        yield opened


def grid(nx=17, ny=13, weight=0.2):
    """Five points, with another weight along each axis."""
    def second(n):
        return scipy_sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))

    return (scipy_sparse.kron(scipy_sparse.eye(ny), second(nx)) +
            weight * scipy_sparse.kron(second(ny), scipy_sparse.eye(nx))).tocsr()


def direct(points, charge, targets):
    """Potential and field at targets of which none is a source."""
    apart = targets[:, None, :] - points[None, :, :]
    r = numpy.sqrt((apart**2).sum(axis=2))
    return (charge / r).sum(axis=1), (charge[None, :, None] * apart / r[:, :, None]**3).sum(axis=1)


def random(*shape, seed=1):
    return numpy.random.default_rng(seed).uniform(-1, 1, shape)


@pytest.mark.parametrize("preconditioner", ["auto", "none", "jacobi", "block-jacobi", "ssor", "amg"])
def test_solves(session, preconditioner):
    a, b = grid(), random(221)
    solver = asterism.cg.Solver(session, a, preconditioner=preconditioner, tolerance=1e-10)
    x = solver.solve(b)
    assert solver.last.converged and len(solver.last.history) == solver.last.iterations + 1
    assert numpy.linalg.norm(b - a @ x) <= 1e-10 * numpy.linalg.norm(b) * 1.01
    assert preconditioner in ("auto", solver.preconditioner)


def test_every_format_and_type_has_the_same_bits(session):
    a, b = grid(), random(221)
    x = asterism.cg.Solver(session, a).solve(b)
    wide = (a.indptr.astype(numpy.int64), a.indices.astype(numpy.int64), a.data)
    for other in (a.tocoo(), a.tocsc(), scipy_sparse.csr_array(a), (a.indptr, a.indices, a.data), wide):
        assert (asterism.cg.Solver(session, other).solve(b) == x).all()


def test_solutions_go_where_they_are_wanted(session):
    a, b = grid(), random(3, 221)
    solver = asterism.cg.Solver(session, a)
    x = numpy.zeros((3, 221))
    assert solver.solve(b, x) is x
    for right, solution in zip(b, x):
        assert (solver.solve(right) == solution).all()
    assert solver.solve(b[2], x[2], start=True) is not None and solver.last.iterations == 0


def test_wrong_matrices(session):
    a, b = grid(), random(221)
    make = asterism.cg.Solver
    refused(lambda: make(session, numpy.eye(3)), "a: a ndarray", "sparse matrix")
    refused(lambda: make(session, a[:10]), "shape (10, 221)", "square")
    refused(lambda: make(session, a.astype(numpy.float32)), "data", "float32", "float64")
    refused(lambda: make(session, (a.indptr, a.indices.astype(float), a.data)), "indices", "float64", "int32")
    refused(lambda: make(session, (a.indptr, a.indices, a.data[::-1])), "data", "C order")
    refused(lambda: make(session, (a.indptr, a.indices, list(a.data))), "data: a list", "NumPy array")
    refused(lambda: make(session, (a.indptr[:-1], a.indices, a.data)), "columns", "row_begin")
    refused(lambda: make(session, scipy_sparse.triu(a)), "not symmetric")
    refused(lambda: make(session, a, preconditioner="ilu"), "preconditioner ilu", "block-jacobi")
    refused(lambda: make(session, a, blocks=1.5), "blocks 1.5", "whole number")
    refused(lambda: make(session, a, tolerance="small"), "tolerance 'small'", "number")
    solver = make(session, a)
    refused(lambda: solver.solve(b[:5]), "b: an array of shape (5,)", "(221,)")
    refused(lambda: solver.solve(b.astype(numpy.float32)), "b: an array of float32")
    refused(lambda: solver.solve(random(442)[::2]), "b: an array that is not in C order")
    refused(lambda: solver.solve(b, numpy.zeros(220)), "x: an array of shape (220,)")
    fixed = numpy.zeros(221)
    fixed.flags.writeable = False
    refused(lambda: solver.solve(b, fixed), "x: an array that is read-only")
    refused(lambda: solver.solve(numpy.full(221, numpy.nan)), "b[0] is nan")
    refused(lambda: make(session, scipy_sparse.csr_matrix([[1.0, 2.0], [2.0, 1.0]]), preconditioner="none").solve(
        numpy.array([1.0, -1.0])), "not positive definite")
    assert solver.solve(b) is not None and solver.last.converged


def test_errors_are_of_their_kinds():
    assert issubclass(asterism.BadInput, asterism.Error) and issubclass(asterism.BadInput, ValueError)
    assert issubclass(asterism.Failed, asterism.Error) and issubclass(asterism.Failed, RuntimeError)


def test_sessions(session):
    refused(asterism.Session, "second session")
    assert session.cpus == 0 and session.scheduler == ""
    solver = asterism.cg.Solver(session, grid())
    assert session.cpus == 2 and session.gpus == 0 and session.scheduler == "cyclic"
    session.close()
    refused(lambda: session.cpus, "closed")
    refused(lambda: asterism.cg.Solver(session, grid()), "closed")
    refused(lambda: solver.solve(random(221)), "closed")
    session.close()
    with asterism.Session(cpus=1, gpus=0) as another:
        asterism.cg.Solver(another, grid()).solve(random(221))
        assert another.cpus == 1


def test_several_right_hand_sides(session):
    b = random(5, 221)
    for preconditioner in ("jacobi", "ssor"):  # at once, and one after the other
        solver = asterism.cg.Solver(session, grid(), preconditioner=preconditioner)
        told = []
        x = solver.solve(b, progress=lambda iteration, residual: told.append(iteration))
        assert x.shape == (5, 221) and len(solver.results) == 5 and solver.last is solver.results[-1] and told
        iterations = [one.iterations for one in solver.results]
        for right, solution, count in zip(b, x, iterations):
            assert (solver.solve(right) == solution).all() and solver.last.iterations == count
    assert solver.solve(numpy.empty((0, 221))).shape == (0, 221) and solver.results == []


def test_wrong_sessions():
    refused(lambda: asterism.Session(cpus=-1), "cpus -1")
    refused(lambda: asterism.Session(cpus="all"), "cpus 'all'", "whole number")
    refused(lambda: asterism.Session(scheduler="best"), "scheduler best", "cyclic")


def test_evaluates(session):
    points, charge, at = random(3000, 3) * [1, 2, 0.5], random(3000, seed=2), random(200, 3, seed=3) + [0.1, 0, 0.9]
    for places, targets in ((points, at), (numpy.ascontiguousarray(points.T), numpy.ascontiguousarray(at.T))):
        evaluator = asterism.fmm.Evaluator(session, places, targets, coupling=2.5)
        result = evaluator.evaluate(charge)
        potential, field = direct(points, charge, at)
        assert numpy.linalg.norm(result.potential - 2.5 * potential) < 1e-5 * numpy.linalg.norm(2.5 * potential)
        assert result.field.shape == (200, 3)
        assert numpy.linalg.norm(result.field - 2.5 * field) < 1e-5 * numpy.linalg.norm(2.5 * field)


def test_points_that_act_on_each_other(session):
    points, charge = random(3, 2500), random(2500, seed=2)
    evaluator = asterism.fmm.Evaluator(session, points, height=3, group_size=8)
    first = evaluator.evaluate(charge)
    some = numpy.arange(0, 2500, 50)
    for i in some:
        others = numpy.arange(2500) != i
        potential, field = direct(points.T[others], charge[others], points.T[i:i + 1])
        assert abs(first.potential[i] - potential[0]) < 1e-3 * abs(first.potential).max()
        assert (abs(first.field[i] - charge[i] * field[0]) < 1e-3 * abs(first.field).max()).all()
    assert first.energy == pytest.approx((charge * first.potential).sum() / 2)
    assert abs(first.field.sum()) < 1e-4 * abs(first.field).sum()
    other = evaluator.evaluate(2 * charge, field=False)  # a power of two: the same bits, shifted
    assert (other.potential == 2 * first.potential).all() and other.field is None
    both = evaluator.evaluate(numpy.array([charge, 2 * charge]))
    assert both.potential.shape == (2, 2500) and both.field.shape == (2, 2500, 3) and both.energy.shape == (2,)
    assert (both.potential[0] == first.potential).all() and (both.field[0] == first.field).all()
    assert both.energy[1] == pytest.approx(4 * first.energy)
    evaluator.move(points + 0.5)
    assert evaluator.evaluate(charge).potential == pytest.approx(first.potential, abs=1e-4 * abs(first.potential).max())


def test_wrong_points(session):
    make = asterism.fmm.Evaluator
    points = random(100, 3)
    refused(lambda: make(session, random(100, 2)), "points", "(100, 2)", "(N, 3)")
    refused(lambda: make(session, points.T), "points", "C order")
    refused(lambda: make(session, points.astype(int)), "points", "int64", "float64")
    refused(lambda: make(session, points.tolist()), "points: a list")
    refused(lambda: make(session, points, accuracy=1), "accuracy 1")
    refused(lambda: make(session, points, kernel="r"), "kernel r", "yukawa")
    evaluator = make(session, points)
    refused(lambda: evaluator.evaluate(random(99)), "charge", "(99,)", "(100,)")
    refused(lambda: evaluator.move(random(99, 3)), "99 points, expected 100")
    twice = make(session, numpy.array([[0.0, 0, 0], [0, 0, 1e-156]]))
    refused(lambda: twice.evaluate(numpy.ones(2)), "not finite", kind=asterism.Failed)
    assert numpy.isfinite(evaluator.evaluate(random(100)).potential).all()


def slow_solver(session):
    """One whose solve takes far longer than a test."""
    return asterism.cg.Solver(session, grid(60, 50), preconditioner="none", tolerance=0, max_iterations=10**8)


def test_other_threads_run_while_it_computes(session):
    solver = slow_solver(session)
    seen = []

    def stop(iteration, residual):
        if len(seen) > 20:
            raise StopIteration

    def count():
        while len(seen) <= 20:
            seen.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(StopIteration):
        solver.solve(random(3000), progress=stop)
    thread.join()


def test_ctrl_c_ends_a_solve(session):
    solver = slow_solver(session)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(random(3000))
    assert time.monotonic() - begin < 10
    good = asterism.cg.Solver(session, grid())
    good.solve(random(221))
    assert good.last.converged


def test_a_program_may_end_with_everything_open():
    done = subprocess.run([sys.executable, "-c", "import asterism, numpy; s = asterism.Session(cpus=2, gpus=0); "
                           "e = asterism.fmm.Evaluator(s, numpy.eye(3)); print(e.evaluate(numpy.ones(3)).energy)"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(3 / 2**0.5)
