# SPDX-License-Identifier: Apache-2.0
"""Weakly compressible flow by the lattice Boltzmann method, D3Q19.

Lattice units: cells and time steps are 1, densities are near 1, velocities small against the speed of sound, 0.577.
Arrays over cells have shape (nz, ny, nx).
"""
from __future__ import annotations

from typing import Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

import asterism
from asterism import _asterism, _progress
from asterism._arguments import count, number, numbers, shaped

__all__ = ["Body", "Face", "Simulation", "Totals", "parabola", "pressure", "relaxation_time", "solid_cells", "wall"]

#: Names of the faces, in their order.
FACES = ("-x", "+x", "-y", "+y", "-z", "+z")


class Face(NamedTuple):
    """What is beyond a face: see wall(), parabola() and pressure()."""

    kind: str
    velocity: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    density: float = 1.0


def wall(u: float = 0, v: float = 0, w: float = 0) -> Face:
    """A wall that moves at u, v, w cells per step: along the face a lid, into the domain an inlet."""
    return Face("wall", (number("u", u), number("v", v), number("w", w)))


def parabola(u: float = 0, v: float = 0, w: float = 0) -> Face:
    """An inlet of mean velocity u, v, w: a parabola across each axis between walls."""
    return Face("parabola", (number("u", u), number("v", v), number("w", w)))


def pressure(density: float = 1) -> Face:
    """An outlet of this density."""
    return Face("pressure", density=number("density", density))


class Totals(NamedTuple):
    """Sums over the fluid cells: of rho - 1, rho u (3 numbers) and rho u^2 / 2; and the largest |u|."""

    mass: float
    momentum: numpy.ndarray
    energy: float
    speed: float


def relaxation_time(velocity: float, length: float, reynolds: float) -> float:
    """tau = 3 velocity length / reynolds + 1/2; velocity in cells per step, length in cells."""
    return _asterism.relaxation_time(number("velocity", velocity), number("length", length),
                                     number("reynolds", reynolds))


class Body(NamedTuple):
    """A body in the fluid.

    file: a closed surface (STL, OBJ, OFF, PLY, gmsh); or vertices, shape (n, 3) in any unit, and triangles, int32 of
       shape (m, 3); none of them: shape, "sphere" or "cylinder" (along y, through the whole domain).
    length: of the body's longest side, or the diameter of the shape, in cells. degrees: turned about x, y and z.
    position: centre, in cells (default: nx / 4, ny / 2, nz / 2).
    walls: "staircase", half-way along links to solid cells, or "interpolated": where the surface is.
    """

    file: str = ""
    vertices: Optional[numpy.ndarray] = None
    triangles: Optional[numpy.ndarray] = None
    length: float = 1
    degrees: Sequence[float] = (0, 0, 0)
    position: Optional[Sequence[float]] = None
    shape: str = "sphere"
    walls: str = "staircase"

    def _options(self) -> dict:
        if (self.vertices is None) != (self.triangles is None):
            raise asterism.BadInput("vertices and triangles: expected both or none")
        if self.vertices is not None:
            shaped("vertices", self.vertices, (None, 3))
            shaped("triangles", self.triangles, (None, 3))
        return dict(file=str(self.file), vertices=self.vertices, triangles=self.triangles,
                    length=number("length", self.length), degrees=numbers("degrees", self.degrees, 3),
                    position=None if self.position is None else numbers("position", self.position, 3),
                    shape=str(self.shape), walls=str(self.walls))


def solid_cells(cells: Sequence[int], file: str = "", *, vertices: Optional[numpy.ndarray] = None,
                triangles: Optional[numpy.ndarray] = None, length: float, degrees: Sequence[float] = (0, 0, 0),
                position: Optional[Sequence[float]] = None, shape: str = "sphere") -> numpy.ndarray:
    """Cells whose centres lie in a body: uint8 of shape (nz, ny, nx), 1 in the body.

    cells: nx, ny, nz; the others as in Body. Raises BadInput for a surface that is not closed and a body that has no
    cell in the domain.
    """
    body = Body(file, vertices, triangles, length, degrees, position, shape)
    return _asterism.solid_cells(body._options(), numbers("cells", cells, 3, count))


class Simulation:
    """A flow and its state.

    cells: nx, ny, nz.
    faces: what is beyond the faces: one for all, or a dict with keys -x, +x, -y, +y, -z, +z, others being walls at
       rest; values are "wall", "periodic", "pressure", wall(u, v, w), parabola(u, v, w) or pressure(density).
    solid: uint8 or bool of shape (nz, ny, nx), not 0 where there is no fluid; copied. body: a Body instead.
    tau: relaxation time, 3 viscosity + 1/2. collision: bgk, trt or central-moments. magic: (tau - 1/2)(tau_odd - 1/2)
       of trt (default: 3/16), or of the third order of central-moments (default: its relaxation time is 1). smagorinsky:
       constant of the turbulence model. force: on the fluid, per cell and step. precision: double, single or half.
    sponge: cells of a layer before an outlet at +x that takes up eddies and sound, behind an inlet at -x.
    velocity: of the fluid at step 0, cells per step. gpu_share: of the cells, 0 to 1 (default: by rates of the machine).
    Raises BadInput for sizes, faces, times and velocities that cannot be, and arrays of wrong shape, type or order.
    """

    def __init__(self, session: asterism.Session, cells: Sequence[int], *,
                 faces: Union[str, Face, Dict[str, Union[str, Face]]] = "wall",
                 solid: Optional[numpy.ndarray] = None, body: Optional[Body] = None, tau: float = 0.6152, collision: str = "bgk",
                 magic: Optional[float] = None, smagorinsky: float = 0, force: Sequence[float] = (0, 0, 0),
                 precision: str = "double", velocity: Sequence[float] = (0, 0, 0),
                 sponge: int = 0, gpu_share: Optional[float] = None) -> None:
        size = numbers("cells", cells, 3, count)
        self._shape = tuple(reversed(size))
        if solid is not None:
            shaped("solid", solid, self._shape)
            if body is not None:
                raise asterism.BadInput("solid and body: expected one of them")
        options = dict(cells=size, faces=_faces(faces), collision=str(collision), tau=number("tau", tau),
                       magic=None if magic is None else number("magic", magic), smagorinsky=number("smagorinsky", smagorinsky),
                       force=numbers("force", force, 3), velocity=numbers("velocity", velocity, 3),
                       precision=str(precision), sponge=count("sponge", sponge), gpu_share=None if gpu_share is None else number("gpu_share", gpu_share))
        self._simulation = _asterism.Lbm(session._session, options, solid, None if body is None else body._options())
        session._users.add(self)

    def _close(self) -> None:
        self._simulation.close()

    def start(self, density: Optional[numpy.ndarray] = None, velocity: Optional[numpy.ndarray] = None) -> None:
        """Begins again at step 0, without set-up.

        density: shape (nz, ny, nx) (default: 1). velocity: shape (3, nz, ny, nx) (default: that of the constructor).
        """
        if density is not None:
            shaped("density", density, self._shape)
        if velocity is not None:
            shaped("velocity", velocity, (3, *self._shape))
        self._simulation.start(density, velocity)

    def advance(self, steps: int, progress: Union[None, bool, Callable[[int], None]] = None,
                every: Optional[int] = None) -> None:
        """So many time steps.

        progress: called with the step after each `every` of them (default 100) and after the last one; it may look at the
        flow, and what it raises ends the call. True: a bar on standard error, or in a notebook.
        Raises Failed for a flow that diverged; start() begins a new one.
        """
        _progress.advance(self._simulation, count("steps", steps), progress, count("every", every))

    def density(self, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """Shape (nz, ny, nx); 1 in solid cells. out: where it goes (default: a new array)."""
        out = numpy.empty(self._shape) if out is None else shaped("out", out, self._shape)
        self._simulation.fields(out, None)
        return out

    def velocity(self, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """Along x, y, z in cells per step: shape (3, nz, ny, nx); 0 in solid cells. out: where it goes."""
        shape = (3, *self._shape)
        out = numpy.empty(shape) if out is None else shaped("out", out, shape)
        self._simulation.fields(None, out)
        return out

    def force(self) -> numpy.ndarray:
        """Force of the fluid on all solid cells in the last step: shape (3,)."""
        return numpy.array(self._simulation.force())

    def moment(self, about: Sequence[float]) -> numpy.ndarray:
        """Moment of that force about a point, in cells: shape (3,).

        A body that reaches through a periodic face has a moment about that axis only: the others are meaningless.
        """
        return numpy.array(self._simulation.moment(numbers("about", about, 3)))

    def totals(self) -> Totals:
        """Sums over the fluid cells of the present step."""
        mass, momentum, energy, speed = self._simulation.totals()
        return Totals(mass, numpy.array(momentum), energy, speed)

    @property
    def step(self) -> int:
        return self._simulation.step

    @property
    def fluid_cells(self) -> int:
        return self._simulation.fluid_cells


def _faces(given: Union[str, Face, Dict[str, Union[str, Face]]]) -> tuple:
    if not isinstance(given, dict):
        given = dict.fromkeys(FACES, given)
    for name in given:
        if name not in FACES:
            raise asterism.BadInput(f"faces: {name!r}; expected {', '.join(FACES)}")
    faces = [given.get(name, "wall") for name in FACES]
    for face in faces:
        if not isinstance(face, (str, Face)):
            raise asterism.BadInput(f"faces: {face!r}; expected wall, periodic, pressure, wall(u, v, w), parabola(u, v, w) or pressure(density)")
    return tuple(tuple(Face(face) if isinstance(face, str) else face) for face in faces)
