# SPDX-License-Identifier: Apache-2.0
"""Sound scattered by closed bodies, computed in time by boundary elements. SI units.

Pressures are by the peak of the incident wave.
"""
from __future__ import annotations

from typing import Callable, Optional, Sequence, Union

import numpy

import asterism
from asterism import _asterism, _progress
from asterism._arguments import count, number, numbers, shaped

__all__ = ["Simulation", "Wave"]


class Wave:
    """Plane waves and point sources with the same pulse, each scattered by itself.

    pulse: gaussian, exp(-s^2 / (2 w^2)) cos(2 pi frequency s); or ricker, (1 - s^2 / w^2) exp(-s^2 / (2 w^2)), whose
    spectrum is highest at the frequency. frequency: Hz (default: what the surface resolves). width: w of a gaussian, s
    (default: 2 / (2 pi frequency)). delay: time at which the pulse's centre passes the origin, or leaves a
    monopole, s. directions: where waves go to, (x, y, z) of any length but 0: one, or several (default: 0, 0, 1 without
    monopoles). monopoles: point sources outside of the bodies, one or several, m: the pressure is f(t - r / c) / r, so that
    the pulse f has its peak 1 at 1 m. They follow the plane waves.
    """

    def __init__(self, directions: Optional[Sequence] = None, *, pulse: str = "gaussian",
                 frequency: Optional[float] = None, width: Optional[float] = None, delay: float = 0,
                 monopoles: Sequence = ()) -> None:
        if directions is None:
            directions = () if len(monopoles) else (0, 0, 1)
        self._given = dict(pulse=str(pulse), frequency=_optional("frequency", frequency), width=_optional("width", width),
                           delay=number("delay", delay), directions=_points("directions", directions),
                           monopoles=_points("monopoles", monopoles))


class Simulation:
    """Bodies, their matrices and a march.

    vertices: float64 of shape (n, 3), m. triangles: int32 of shape (m, 3), vertices counted from 0, anticlockwise from
       outside; closed. Both are read once. turn_inward: turn bodies whose triangles face inward.
    wave: a Wave (default: one along z).
    boundary: rigid (values on the surface are the total pressure) or soft (its normal derivative, 1/m).
    speed: of sound, m/s. dt: time step, s; default by courant, speed times time step by the mean edge.
    observers: (x, y, z) outside of the bodies, where the scattered pressure is wanted: one, or several.
    precision: double or single. group: steps whose sums are computed at once, 1 to 16. solver: cg or mumps; tolerance:
       of cg. far_points, near_points, touching_points: quadrature points, as --far-points of asterism-tdbem.
    Raises BadInput for a surface that is not closed, a time step too long for the pulse, wrong arrays.
    """

    def __init__(self, session: asterism.Session, vertices: numpy.ndarray, triangles: numpy.ndarray,
                 wave: Optional[Wave] = None, *, boundary: str = "rigid", speed: float = 343,
                 dt: Optional[float] = None, courant: float = 0.5, observers: Sequence = (), turn_inward: bool = False,
                 precision: str = "double", group: int = 8, solver: str = "cg", tolerance: Optional[float] = None,
                 far_points: int = 7, near_points: int = 12, touching_points: int = 6) -> None:
        options = dict(boundary=str(boundary), speed=number("speed", speed), dt=_optional("dt", dt),
                       courant=number("courant", courant), observers=_points("observers", observers),
                       turn_inward=bool(turn_inward), precision=str(precision), group=count("group", group),
                       solver=str(solver), tolerance=_optional("tolerance", tolerance),
                       far_points=count("far_points", far_points), near_points=count("near_points", near_points),
                       touching_points=count("touching_points", touching_points))
        self._simulation = _asterism.Tdbem(session._session, shaped("vertices", vertices, (None, 3)),
                                           shaped("triangles", triangles, (None, 3)), options, _of(wave))
        session._users.add(self)

    def _close(self) -> None:
        self._simulation.close()

    def start(self, wave: Optional[Wave] = None) -> None:
        """Begins again with another wave: the matrices stay."""
        self._simulation.start(_of(wave))

    def advance(self, steps: Optional[int] = None, progress: Union[None, bool, Callable[[int], None]] = None,
                every: Optional[int] = None) -> None:
        """At least so many time steps, in whole groups (default: until the wave has passed and its echo has left).

        progress: called with the step after each `every` of them (default 100) or more and after the last one; it may look
        at the march, and what it raises ends the call. True: a bar on standard error, or in a notebook.
        Raises Failed for a march that breaks down.
        """
        wanted = max(self.steps - self.step, 0) if steps is None else count("steps", steps)
        _progress.advance(self._simulation, wanted, progress, count("every", every))

    def surface(self, wave: int = 0, step: Optional[int] = None, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """Values at the vertices, shape (n,), after the last step; or after one of the last group.

        Those of a soft body belong to half a time step before. out: where they go (default: a new array).
        """
        out = numpy.empty(self.unknowns) if out is None else shaped("out", out, (self.unknowns,))
        self._simulation.surface(out, count("wave", wave), count("step", step))
        return out

    def scattered(self) -> numpy.ndarray:
        """Scattered pressure at the observers in steps 0 to step - 1: shape (waves, observers, steps)."""
        return self._simulation.scattered()

    def incident(self) -> numpy.ndarray:
        """Pressure of the incident waves at the observers: shape (waves, observers, steps)."""
        return self._simulation.incident()

    def times(self) -> numpy.ndarray:
        """Times of steps 0 to step - 1, s: shape (steps,)."""
        return self._simulation.time(0) + self.time_step * numpy.arange(self.step)

    @property
    def step(self) -> int:
        """Steps that are done."""
        return self._simulation.step

    @property
    def steps(self) -> int:
        """Steps until the wave has passed and what it scattered has left."""
        return self._simulation.steps

    @property
    def time_step(self) -> float:
        """In s."""
        return self._simulation.time_step

    @property
    def unknowns(self) -> int:
        """One for each vertex."""
        return self._simulation.unknowns


def _optional(name: str, value: Optional[float]) -> Optional[float]:
    return None if value is None else number(name, value)


def _points(name: str, given: Sequence) -> list:
    points = list(given)
    if points and numpy.isscalar(points[0]):
        points = [points]
    return [numbers(name, point, 3) for point in points]


def _of(wave: Optional[Wave]) -> dict:
    if wave is not None and not isinstance(wave, Wave):
        raise asterism.BadInput(f"wave: a {type(wave).__name__}; expected a Wave")
    return (wave or Wave())._given
