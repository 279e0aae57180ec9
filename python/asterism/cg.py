# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradient: A x = b with a sparse, symmetric and positive definite matrix, in double precision."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy

import asterism
from asterism import _asterism, _progress
from asterism._arguments import array, count, number, shaped

__all__ = ["MatrixRows", "Result", "Rows", "Solver"]


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


@dataclass
class Rows:
    """Consecutive rows of a matrix: over several processes those that this one has, which follow on those before it.

    own: a SciPy sparse matrix or array of shape (k, n); or the arrays (indptr, indices, data) of compressed sparse rows,
         with columns of the whole matrix. first_row: the first of them in the whole matrix.
    order: n, rows of the whole matrix (of a SciPy matrix it is known).
    """

    own: Any
    first_row: int = 0
    order: Optional[int] = None


@dataclass
class MatrixRows:
    """A matrix by a function of its rows; each process asks for as many of them as any other.

    order: rows of the whole matrix. fill: called with the number of a row; returns its columns, which increase, and its
    values.
    """

    order: int
    fill: Callable[[int], Tuple[Any, Any]]


def _arrays_of(a: Any, square: bool) -> Tuple[tuple, Optional[int]]:
    """The arrays (indptr, indices, data), and the number of columns where it is known."""
    columns = None
    if hasattr(a, "tocsr"):
        if len(a.shape) != 2 or (square and a.shape[0] != a.shape[1]):
            raise asterism.BadInput(f"a: a matrix of shape {a.shape}; expected a square one")
        columns = a.shape[1]
        rows = a.tocsr()
        if not rows.has_sorted_indices:
            rows = rows.sorted_indices()
        a = (rows.indptr, rows.indices, rows.data)
    if not isinstance(a, tuple) or len(a) != 3:
        raise asterism.BadInput(f"a: a {type(a).__name__}; expected a sparse matrix or (indptr, indices, data)")
    arrays = tuple(shaped(name, values, (None,)) for name, values in zip(("indptr", "indices", "data"), a))
    _asterism.check_indices("indptr", arrays[0])
    _asterism.check_indices("indices", arrays[1])
    _asterism.check_values("data", arrays[2])
    return arrays, columns


def _filled_by(function: Callable[[int], Tuple[Any, Any]]) -> Callable[[int], tuple]:
    """As the compiled part calls it."""
    def fill(row: int) -> tuple:
        columns, values = function(row)
        return numpy.asarray(columns), numpy.asarray(values)

    return fill


class Solver:
    """A matrix, ready to be solved with any number of right-hand sides.

    a: a SciPy sparse matrix or array of shape (n, n); or the arrays (indptr, indices, data) of compressed sparse rows:
       n + 1 offsets, columns that increase within a row, both triangles. Arrays of CSR in float64 and indices in int32
       are not copied and have to stay as they are; other formats of SciPy are converted. Or Rows, or MatrixRows: over
       several processes one of these two. Then right-hand sides and solutions are those of the rows of this process,
       auto is none, and what is wrong on one process raises on all.
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
        with session._alone():
            options = {
                "preconditioner": str(preconditioner),
                "preconditioner_block": count("preconditioner_block", preconditioner_block),
                "tolerance": number("tolerance", tolerance), "max_iterations": count("max_iterations", max_iterations),
                "flow": str(flow), "blocks": count("blocks", blocks), "check_symmetry": bool(check_symmetry)}
            if isinstance(a, MatrixRows):
                matrix: tuple = (count("order", a.order), _filled_by(a.fill))
            else:
                rows = a if isinstance(a, Rows) else None
                # the library reads these arrays for as long as this lives
                self._arrays, columns = _arrays_of(a if rows is None else rows.own, rows is None)
                order = columns if rows is None or rows.order is None else count("order", rows.order)
                matrix = (*self._arrays, None if rows is None else count("first_row", rows.first_row), order or 0)
        self._solver = _asterism.Solver(session._session, *matrix, options)
        self._session = session
        self._ends = (options["tolerance"], options["max_iterations"])
        session._users.add(self)
        self.last: Optional[Result] = None
        self.results: List[Result] = []

    def _close(self) -> None:
        self._solver.close()

    def solve(self, b: numpy.ndarray, x: Optional[numpy.ndarray] = None, *, start: bool = False,
              progress: Union[None, bool, Callable[[int, float], None]] = None) -> numpy.ndarray:
        """Solves for one right-hand side b of shape (n,), or for k of shape (k, n); returns x of the same shape. Over
        several processes n is own_rows.

        x: where the solution goes (default: a new array); with `start`, it begins from the values there.
        progress: called every few iterations with the iteration and ||r|| / ||b||; what it raises ends the solve. True: a
        bar on standard error, or in a notebook.
        `last` has the Result, of the last right-hand side, and `results` those of all. A solve that does not converge
        raises nothing. On cores up to eight are solved at once, for which each product reads the matrix once, unless
        flow or preconditioner is one that cannot; x has the same bits. Then progress has the largest residual.
        Raises BadInput for wrong arrays, values that are not finite, and a matrix that is not positive definite.
        """
        n = self.own_rows
        with self._session._alone():
            _asterism.check_values("b", shaped("b", b, (n,), (None, n)))
            if x is None:
                if start:
                    raise asterism.BadInput("start: expected x, with which the solve begins")
                x = numpy.empty(b.shape)
            if array("x", x).shape != b.shape:
                raise asterism.BadInput(f"x: an array of shape {x.shape}; expected {b.shape}, as b")
            _asterism.check_results("x", x)
        with _progress.solve(progress, *self._ends) as tell:
            records = self._solver.solve_all(b, x, bool(start), tell)
        self.results = [Result(**record) for record in records]
        self.last = self.results[-1] if records else None
        return x

    @property
    def rows(self) -> int:
        """Rows of the whole matrix."""
        return self._solver.rows

    @property
    def first_row(self) -> int:
        """First of the rows of this process that right-hand sides and solutions are of; 0 in one process."""
        return self._solver.first_row

    @property
    def own_rows(self) -> int:
        """Their number; in one process all."""
        return self._solver.own_rows

    @property
    def entries(self) -> int:
        """Non-zeros of the whole matrix."""
        return self._solver.entries

    @property
    def preconditioner(self) -> str:
        """The one that is used, which auto has chosen."""
        return self._solver.preconditioner

    @property
    def reason(self) -> str:
        """Why auto has chosen it, in figures."""
        return self._solver.reason
