# SPDX-License-Identifier: Apache-2.0
"""Files of NumPy and SciPy that programs read and write: answers checked with SciPy, wrong files refused in one line."""
import numpy
import pytest

import asterism
from refusal import refused

sparse = pytest.importorskip("scipy.sparse")


def matrix(n=60, seed=3):
    """Symmetric and diagonally dominant, entries anywhere."""
    a = sparse.random(n, n, 0.1, random_state=seed)
    a = a + a.T
    return (a + sparse.diags(1 + numpy.arange(n) / n + abs(a).sum(axis=1).A1)).tocsr()


def solve(*arguments):
    return asterism.programs.run("cg", "--gpus", 0, "--tolerance", 1e-10, "--quiet", *arguments)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_matrix_and_right_hand_side(form, tmp_path):
    a, b = matrix(), numpy.random.default_rng(4).standard_normal(60)
    sparse.save_npz(tmp_path / "a.npz", a.asformat(form), compressed=form != "csc")
    numpy.save(tmp_path / "b.npy", b)
    run = solve("--matrix", tmp_path / "a.npz", "--rhs", tmp_path / "b.npy", "--solution", tmp_path / "x.npy")
    x = numpy.load(tmp_path / "x.npy")
    assert x.shape == (60,) and x.dtype == numpy.float64
    assert numpy.linalg.norm(b - a @ x) <= 1.01e-10 * numpy.linalg.norm(b)
    assert run.summary["matrix"]["rows"] == 60


def test_solution_of_a_known_right_hand_side(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", matrix())
    solve("--matrix", tmp_path / "a.npz", "--rhs", "known", "--solution", tmp_path / "x.npy")
    assert abs(numpy.load(tmp_path / "x.npy") - 1).max() < 1e-8


def test_wrong_matrices_and_vectors(tmp_path):
    good = tmp_path / "a.npz"
    sparse.save_npz(good, matrix())

    def wrong(a, *words):
        sparse.save_npz(tmp_path / "wrong.npz", a)
        refused(lambda: solve("--matrix", tmp_path / "wrong.npz", "--solution", tmp_path / "x.npy"), "wrong.npz", *words)

    wrong(matrix()[:, :50], "60 x 50", "square")
    wrong(matrix().astype(complex), "data.npy", "c16", "float64")
    wrong(sparse.identity(5, format="dia"), '"dia"', "csr, csc, coo or bsr")
    wrong(sparse.triu(matrix()).tocsr(), "symmetric")
    a = matrix()
    numpy.savez(tmp_path / "lacking.npz", format=b"csr", shape=a.shape, data=a.data, indptr=a.indptr)
    refused(lambda: solve("--matrix", tmp_path / "lacking.npz"), "lacking.npz", "indices.npy")
    (tmp_path / "text.npz").write_text("no archive")
    refused(lambda: solve("--matrix", tmp_path / "text.npz"), "text.npz", "ZIP")

    def right(b, *words):
        numpy.save(tmp_path / "b.npy", b)
        refused(lambda: solve("--matrix", good, "--rhs", tmp_path / "b.npy", "--solution", tmp_path / "x.npy"), "b.npy", *words)

    right(numpy.ones(59), "(59,)", "(60,)")
    right(numpy.ones((60, 2)), "(60, 2)")
    right(numpy.ones(60, complex), "c16", "float64")
    right(numpy.full(60, numpy.nan), "value 0 is nan")
    right(numpy.array([None] * 60), "|O")
    refused(lambda: solve("--matrix", good, "--rhs", tmp_path / "none.npy"), "none.npy")
    assert not (tmp_path / "x.npy").exists()


def evaluate(*arguments):
    return asterism.programs.run("fmm", "--gpus", 0, "--quiet", *arguments)


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.float32])
def test_particles(dtype, tmp_path):
    particles = numpy.random.default_rng(5).uniform(-1, 1, (700, 4)).astype(dtype)
    numpy.save(tmp_path / "particles.npy", particles)
    evaluate("--input", tmp_path / "particles.npy", "--output", tmp_path / "result.npy")
    result = numpy.load(tmp_path / "result.npy")
    assert result.shape == (700, 8) and (result[:, :4] == particles).all()
    place, charge = particles[:, :3].astype(float), particles[:, 3].astype(float)
    apart = place[:, None] - place[None]
    r = numpy.linalg.norm(apart, axis=2)
    numpy.fill_diagonal(r, numpy.inf)
    potential = (charge / r).sum(axis=1)
    force = charge[:, None] * (charge[None, :, None] * apart / r[:, :, None]**3).sum(axis=1)
    assert numpy.linalg.norm(result[:, 4] - potential) < 1e-5 * numpy.linalg.norm(potential)
    assert numpy.linalg.norm(result[:, 5:] - force) < 1e-5 * numpy.linalg.norm(force)


def test_targets(tmp_path):
    places = numpy.random.default_rng(6).uniform(-1, 1, (500, 3))
    numpy.save(tmp_path / "particles.npy", places)  # without charges: each is 1
    numpy.save(tmp_path / "targets.npy", places[:40] + 0.01)
    evaluate("--input", tmp_path / "particles.npy", "--at", tmp_path / "targets.npy", "--output", tmp_path / "result.npy")
    result = numpy.load(tmp_path / "result.npy")
    potential = (1 / numpy.linalg.norm(places[:40, None] + 0.01 - places[None], axis=2)).sum(axis=1)
    assert result.shape[0] == 40 and numpy.linalg.norm(result[:, 4] - potential) < 1e-5 * numpy.linalg.norm(potential)


def test_wrong_particles(tmp_path):
    def wrong(array, *words):
        numpy.save(tmp_path / "wrong.npy", array)
        refused(lambda: evaluate("--input", tmp_path / "wrong.npy", "--output", tmp_path / "result.npy"), "wrong.npy", *words)

    wrong(numpy.ones((10, 5)), "(10, 5)", "(n, 3)")
    wrong(numpy.ones(12), "(12,)", "(n, 3)")
    wrong(numpy.ones((10, 3), int), "i8", "float64")
    wrong(numpy.empty((0, 3)), "(0, 3)")
    wrong(numpy.full((10, 3), numpy.inf), "inf")
    refused(lambda: evaluate("--input", tmp_path / "none.npy"), "none.npy")
    assert not (tmp_path / "result.npy").exists()
