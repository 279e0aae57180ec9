# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradient: A x = b with a sparse, symmetric and positive definite matrix, in double precision."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Union

import numpy

import asterism
from asterism import _asterism, _progress
from asterism._arguments import array, count, number, shaped

__all__ = ["Result", "Solver"]


@dataclass
class Result:
    """What a solve did.

    outcome: "converged"; "max_iterations"; or "stagnated", when the tolerance is beyond what double precision reaches.
    iterations: their number. residual: ||b - A x|| / ||b||, computed anew at the end.
    history: ||r|| / ||b|| before the first and after each iteration. seconds: from the first iteration to the end.
    """

    outcome: str
    iterations: int
    residual: float
    history: numpy.ndarray
    seconds: float

    @property
    def converged(self) -> bool:
        return self.outcome == "converged"


class Solver:
    """A matrix, ready to be solved with any number of right-hand sides.

    a: a SciPy sparse matrix or array of shape (n, n); or the arrays (indptr, indices, data) of compressed sparse rows:
       n + 1 offsets, columns that increase within a row, both triangles. Arrays of CSR in float64 and indices in int32
       are not copied and have to stay as they are; other formats of SciPy are converted.
    preconditioner: auto (none, jacobi or amg, by the estimated condition), none, jacobi, block-jacobi, ssor, amg.
    preconditioner_block: rows of a diagonal block of block-jacobi (default 3), or of a node of ssor and amg.
    tolerance: a solve ends when ||b - A x|| <= tolerance ||b||, or after max_iterations.
    flow: fused, pipelined, refined or naive. blocks: block-rows (default: one per unit).
    check_symmetry: compare each entry with its mirror.
    Raises BadInput for arrays of wrong shape, type or order and for a matrix that is not symmetric.
    """

    def __init__(self, session: asterism.Session, a: Any, *, preconditioner: str = "auto",
                 preconditioner_block: Optional[int] = None, tolerance: float = 1e-8, max_iterations: int = 10000,
                 flow: str = "fused", blocks: Optional[int] = None, check_symmetry: bool = True) -> None:
        if hasattr(a, "tocsr"):
            if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
                raise asterism.BadInput(f"a: a matrix of shape {a.shape}; expected a square one")
            rows = a.tocsr()
            if not rows.has_sorted_indices:
                rows = rows.sorted_indices()
            a = (rows.indptr, rows.indices, rows.data)
        if not isinstance(a, tuple) or len(a) != 3:
            raise asterism.BadInput(f"a: a {type(a).__name__}; expected a sparse matrix or (indptr, indices, data)")
        # the library reads these arrays for as long as this lives
        self._arrays = tuple(shaped(name, values, (None,)) for name, values in zip(("indptr", "indices", "data"), a))
        self._ends = (number("tolerance", tolerance), count("max_iterations", max_iterations))
        self._solver = _asterism.Solver(
            session._session, *self._arrays, str(preconditioner), count("preconditioner_block", preconditioner_block),
            *self._ends, str(flow), count("blocks", blocks), bool(check_symmetry))
        session._users.add(self)
        self.last: Optional[Result] = None
        self.results: List[Result] = []

    def _close(self) -> None:
        self._solver.close()

    def solve(self, b: numpy.ndarray, x: Optional[numpy.ndarray] = None, *, start: bool = False,
              progress: Union[None, bool, Callable[[int, float], None]] = None) -> numpy.ndarray:
        """Solves for one right-hand side b of shape (n,), or for k of shape (k, n); returns x of the same shape.

        x: where the solution goes (default: a new array); with `start`, it begins from the values there.
        progress: called every few iterations with the iteration and ||r|| / ||b||; what it raises ends the solve. True: a
        bar on standard error, or in a notebook.
        `last` has the Result, of the last right-hand side, and `results` those of all. A solve that does not converge
        raises nothing. On cores up to eight are solved at once, for which each product reads the matrix once, unless
        flow or preconditioner is one that cannot; x has the same bits. Then progress has the largest residual.
        Raises BadInput for wrong arrays, values that are not finite, and a matrix that is not positive definite.
        """
        n = self.rows
        shaped("b", b, (n,), (None, n))
        if x is None:
            if start:
                raise asterism.BadInput("start: expected x, with which the solve begins")
            x = numpy.empty(b.shape)
        if array("x", x).shape != b.shape:
            raise asterism.BadInput(f"x: an array of shape {x.shape}; expected {b.shape}, as b")
        with _progress.solve(progress, *self._ends) as tell:
            records = self._solver.solve_all(b, x, bool(start), tell)
        self.results = [Result(**record) for record in records]
        self.last = self.results[-1] if records else None
        return x

    @property
    def rows(self) -> int:
        return self._solver.rows

    @property
    def entries(self) -> int:
        """Non-zeros of the matrix."""
        return self._solver.entries

    @property
    def preconditioner(self) -> str:
        """The one that is used, which auto has chosen."""
        return self._solver.preconditioner

    @property
    def reason(self) -> str:
        """Why auto has chosen it, in figures."""
        return self._solver.reason
