#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a matrix in every form of scipy.sparse.save_npz() that is read, some that are not, and vectors, into a folder.
Status 77: SciPy is missing."""
import sys

try:
    import numpy
    from scipy import io, sparse
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

folder = sys.argv[1]
random = numpy.random.default_rng(7)
n = 60
dense = numpy.where(random.random((n, n)) < 0.1, random.standard_normal((n, n)), 0.0)
dense += numpy.diag(numpy.arange(1.0, n + 1))
dense = dense.astype(numpy.float32).astype(numpy.float64)  # not symmetric: rows and columns must not be confused
matrix = sparse.csr_matrix(dense)
io.mmwrite(f"{folder}/expected.mtx", matrix, symmetry="general", precision=17)


def wide(m):
    for name in ("indices", "indptr", "row", "col"):
        if hasattr(m, name):
            setattr(m, name, getattr(m, name).astype(numpy.int64))
    return m


for form in ("csr", "csc", "coo", "bsr"):
    m = sparse.bsr_matrix(matrix, blocksize=(3, 2)) if form == "bsr" else matrix.asformat(form)
    sparse.save_npz(f"{folder}/{form}_compressed.npz", m)
    sparse.save_npz(f"{folder}/{form}_stored.npz", m, compressed=False)
    sparse.save_npz(f"{folder}/{form}_single.npz", m.astype(numpy.float32))
    sparse.save_npz(f"{folder}/{form}_wide.npz", wide(m.copy()))
shuffled = matrix.tocoo()
order = random.permutation(shuffled.nnz)
half = shuffled.data[order] / 2
sparse.save_npz(f"{folder}/repeated.npz",
                sparse.coo_matrix((numpy.tile(half, 2), (numpy.tile(shuffled.row[order], 2),
                                                         numpy.tile(shuffled.col[order], 2))), shape=(n, n)))
sparse.save_npz(f"{folder}/dia.npz", sparse.identity(4, format="dia"))
sparse.save_npz(f"{folder}/oblong.npz", sparse.csr_matrix(numpy.ones((3, 4))))
sparse.save_npz(f"{folder}/complex.npz", matrix.astype(complex))
parts = {"format": b"csr", "shape": (2, 2), "data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2]}
for name, change in {
        "far": {"indices": [0, 2]},
        "negative": {"indices": [0, -1]},
        "descending": {"indptr": [0, 2, 1]},
        "beyond": {"indptr": [0, 1, 3]},
        "pointers": {"indptr": [0, 2]},
        "lengths": {"indices": [0, 1, 1]},
        "pickled": {"data": numpy.array([1.0, None], dtype=object)},
        "real_indices": {"indices": [0.0, 1.0]},
        "empty": {"shape": (2**31 - 1, 2**31 - 1)},
}.items():
    numpy.savez(f"{folder}/{name}.npz", **{**parts, **change})
numpy.savez(f"{folder}/lacking.npz", **{k: v for k, v in parts.items() if k != "indices"})
values = [0.1, -2.0, 3e300]
numpy.save(f"{folder}/vector.npy", values)
numpy.save(f"{folder}/column.npy", numpy.array(values)[:, None])
numpy.save(f"{folder}/single.npy", numpy.array([0.5, -2.0, 3.0], dtype=numpy.float32))
numpy.save(f"{folder}/integers.npy", [1, -2, 3])
numpy.save(f"{folder}/swapped.npy", numpy.array(values, dtype=">f8"))
numpy.save(f"{folder}/four.npy", numpy.ones(4))
numpy.save(f"{folder}/infinite.npy", [1.0, numpy.inf, 2.0])
numpy.save(f"{folder}/objects.npy", numpy.array([1, None, 2], dtype=object))
