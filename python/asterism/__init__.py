# SPDX-License-Identifier: Apache-2.0
"""Asterism: task-based numerical methods on CPUs and GPUs.

    import asterism
    with asterism.Session() as session:
        solver = asterism.cg.Solver(session, a)      # a: a SciPy sparse matrix, symmetric positive definite
        x = solver.solve(b)

Arrays are NumPy's, of float64 and in C order. They are read and written where they are, and not copied; an array of
another type or order is refused. While a call computes, other threads of Python run, and calls of several threads come
one after the other. Ctrl-C ends a solve, or time steps, with KeyboardInterrupt, after which solver, simulation and
session can be used again.
"""
from __future__ import annotations

import contextlib
import os
import weakref
from types import TracebackType
from typing import Iterator, Optional, Type, Union

from asterism import _asterism
from asterism._arguments import count
from asterism._asterism import BadInput, Error, Failed

__version__: str = _asterism.version()
__all__ = ["BadInput", "Error", "Failed", "Session", "cg", "fdtd", "fmm", "lbm", "programs", "tdbem", "traces"]


class Session:
    """The cores and GPUs that compute; one session at a time in a process.

    What is left out is chosen by the first solver, evaluator or simulation and stays for the life of the session. Between two calls
    its threads sleep. `close`, or the end of a `with`, ends the session with its solvers and evaluators.

    cpus, gpus: how many compute. scheduler: as STARPU_SCHED (default: cyclic for cg, hprio for fmm). trace: a folder that
    gets a recording of all tasks when the session ends, for asterism.traces.read; one that is there is replaced.
    Processes that mpirun or srun has started make one session together: all of them open it, call its methods and close
    it, in the same order. mpi4py may be there, and need not. cg alone computes over several.
    Raises BadInput for a number below 0, a scheduler that does not exist, and a second session.
    """

    def __init__(self, cpus: Optional[int] = None, gpus: Optional[int] = None, scheduler: str = "",
                 trace: Union[str, "os.PathLike[str]"] = "") -> None:
        self._session = _asterism.Session(count("cpus", cpus), count("gpus", gpus), str(scheduler), os.fspath(trace))
        self._users: weakref.WeakSet = weakref.WeakSet()

    def close(self) -> None:
        """Ends the session; its solvers, evaluators and simulations cannot be used any more."""
        for user in list(self._users):
            user._close()
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def cpus(self) -> int:
        """Cores that run tasks; 0 before the first solver or evaluator."""
        return self._session.cpus

    @property
    def gpus(self) -> int:
        """GPUs that run tasks; 0 before the first solver or evaluator."""
        return self._session.gpus

    @property
    def rank(self) -> int:
        """Number of this process, from 0."""
        return self._session.rank

    @property
    def ranks(self) -> int:
        """Processes; 1 where no launcher has started several."""
        return self._session.ranks

    def fail(self, error: str) -> None:
        """For a process that cannot make the solver, or its call, that the other processes make: raises BadInput on all."""
        self._session.fail(error)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """For what one of several processes looks at by itself: an error is one of the call that the others make."""
        try:
            yield
        except Exception as error:
            if self.ranks > 1:
                with contextlib.suppress(Error):
                    self._session.fail(str(error))
            raise

    @property
    def scheduler(self) -> str:
        """Name of the scheduler; empty before the first solver or evaluator."""
        return self._session.scheduler


from asterism import cg, fdtd, fmm, lbm, programs, tdbem, traces  # noqa: E402  they need Session
