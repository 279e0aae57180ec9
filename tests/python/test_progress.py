# SPDX-License-Identifier: Apache-2.0
"""The bar of `progress=True`, with tqdm and without it, on a stream of text."""
import builtins
import re

import numpy
import pytest

import asterism

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture
def session():
    with asterism.Session(cpus=2, gpus=0) as opened:
        yield opened


@pytest.fixture(params=["tqdm", "line"])
def shown(request, monkeypatch, capsys):
    """What was written to standard error since the last call."""
    if request.param == "tqdm":
        pytest.importorskip("tqdm")
    else:
        ordinary = builtins.__import__

        def without(name, *arguments, **named):
            if name.startswith("tqdm"):
                raise ImportError(name)
            return ordinary(name, *arguments, **named)

        monkeypatch.setattr(builtins, "__import__", without)
    return lambda: capsys.readouterr().err


def test_steps(session, shown):
    flow = asterism.lbm.Simulation(session, (8, 7, 6))
    flow.advance(30)
    assert shown() == ""
    flow.advance(120, progress=True)
    assert flow.step == 150
    fields = asterism.fdtd.Simulation(session, (9, 8, 7), 1e-3)
    fields.advance(12, True, every=5)
    text = shown()
    assert "120/120" in text and "12/12" in text and text.endswith("\n")


def test_a_solve(session, shown):
    a = scipy_sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(400, 400))
    solver = asterism.cg.Solver(session, a, preconditioner="none")
    x = solver.solve(numpy.ones(400), progress=True)
    assert solver.last.converged and (x == solver.solve(numpy.ones(400))).all()
    last = shown().rstrip().split("\r")[-1]
    iteration = int(re.search(r"iteration (\d+), residual \d", last)[1])
    assert "100%" in last and 0 < iteration <= solver.last.iterations


def test_a_bar_ends_with_the_call(session, shown):
    flow = asterism.lbm.Simulation(session, (16, 16, 16), tau=0.5001, faces={"+z": asterism.lbm.wall(0.28)})
    with pytest.raises(asterism.Failed):
        flow.advance(10**5, progress=True)
    text = shown()
    assert text.endswith("\n") and "/100000" in text
