# SPDX-License-Identifier: Apache-2.0
"""Maxwell's equations by the finite-difference time-domain method on Yee's grid. SI units.

Arrays over cells have shape (nx, ny, nz). Entry (i, j, k) of a component lies at the lower corner of cell (i, j, k),
half a cell further along its own axis where it is of E, along both others where it is of H.
"""
from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

import asterism
from asterism import _asterism, _progress
from asterism._arguments import array, count, number, numbers, shaped

__all__ = ["FarField", "Flux", "Resonance", "Scattering", "Simulation", "Spectrum"]

#: Names of the faces, in their order.
FACES = ("-x", "+x", "-y", "+y", "-z", "+z")


class Spectrum(NamedTuple):
    """What a scene's monitor has seen of a component.

    frequencies: Hz, shape (f,). first: its first entry. values: transforms of the field, its unit times s,
    exp(+i w t): complex of shape (f, x, y, z).
    """

    monitor: str
    component: str
    frequencies: numpy.ndarray
    first: Tuple[int, int, int]
    values: numpy.ndarray


class FarField(NamedTuple):
    """What a scene's far field has in a direction at a frequency.

    number: of the scene's far field. frequency: Hz. theta, phi: degrees, from the z axis and from the x axis.
    e_theta, e_phi: E r exp(i k r), V s. radiated: transform of the power through the surface, J/Hz times 1/4.
    scattering_cross_section, radar_cross_section: m^2, with one plane wave and no dipoles, else None.
    """

    number: int
    frequency: float
    theta: float
    phi: float
    e_theta: complex
    e_phi: complex
    radiated: float
    directivity: float
    scattering_cross_section: Optional[float]
    radar_cross_section: Optional[float]


class Flux(NamedTuple):
    """The power through a plane of a scene at a frequency (Hz), towards growing coordinates, of transforms: J/Hz times 1/4."""

    name: str
    frequency: float
    power: float


class Resonance(NamedTuple):
    """What a scene's probe with `ringdown` says of a resonance.

    frequency: Hz. quality: Q. residual: root mean square of what one decaying oscillation does not explain, by that of all.
    """

    probe: str
    frequency: float
    quality: float
    residual: float


class Scattering(NamedTuple):
    """What the ports of a scene have seen at a frequency, phasors at exp(+i w t).

    frequency: Hz. generator: transform of its voltage, V s. impedance: into which it feeds, ohm. s: of each port from the
    one with the generator, by its own resistance, shape (ports,).
    """

    frequency: float
    generator: complex
    impedance: complex
    s: numpy.ndarray


Entry = Sequence[int]


class Simulation:
    """A domain and its fields.

    cells: nx, ny, nz. spacing: edges of a cell, m: one number or three.
    faces: electric or magnetic conductor, periodic, absorbing: one for all, or a dict with keys -x, +x, -y, +y, -z, +z,
       others being electric. absorbing_cells: thickness of absorbing layers, inside the grid.
    epsilon, mu: relative permittivity and permeability. sigma: conductivity, S/m (numpy.inf: a perfect conductor).
       sigma_m: magnetic loss, ohm/m. Each float64 of shape (nx, ny, nz), read once.
    sources: (component, entry, moment): component "ez", entry (i, j, k), moment float64 of shape (n,): A m of E at the
       middle of each step, V m of H at its beginning; zero after the last one.
    probes: (component, entry).
    courant: time step by the largest stable one in vacuum. precision: double or single. gpu_share: of the cells.
    Raises BadInput for sizes, materials, sources and probes that cannot be, arrays of wrong shape, type or order.
    """

    def __init__(self, session: asterism.Session, cells: Sequence[int], spacing: Union[float, Sequence[float]], *,
                 faces: Union[str, Dict[str, str]] = "electric", absorbing_cells: int = 10,
                 epsilon: Optional[numpy.ndarray] = None, mu: Optional[numpy.ndarray] = None,
                 sigma: Optional[numpy.ndarray] = None, sigma_m: Optional[numpy.ndarray] = None,
                 sources: Sequence[Tuple[str, Entry, numpy.ndarray]] = (),
                 probes: Sequence[Tuple[str, Entry]] = (), courant: float = 0.99, precision: str = "double",
                 gpu_share: Optional[float] = None) -> None:
        size = numbers("cells", cells, 3, count)
        materials = {name: shaped(name, values, size) for name, values in
                     dict(epsilon=epsilon, mu=mu, sigma=sigma, sigma_m=sigma_m).items() if values is not None}
        options = dict(
            cells=size, spacing=numbers("spacing", [spacing] * 3 if numpy.isscalar(spacing) else spacing, 3),
            faces=_faces(faces), absorbing_cells=count("absorbing_cells", absorbing_cells),
            courant=number("courant", courant), precision=str(precision),
            gpu_share=None if gpu_share is None else number("gpu_share", gpu_share),
            sources=[(str(component), numbers("entry", entry, 3, count), shaped("moment", moment, (None,)))
                     for component, entry, moment in sources],
            probes=[(str(component), numbers("entry", entry, 3, count)) for component, entry in probes])
        self._take(session, _asterism.Fdtd(session._session, options, materials))

    @classmethod
    def from_scene(cls, session: asterism.Session, text: str, folder: str = "") -> Simulation:
        """A scene in TOML, as a file of `asterism-fdtd --scene` has it; files that it names are relative to `folder`.

        Its [[outputs]] and [[slices]] are not written. `steps` is the number of steps that it asks for.
        Raises BadInput with line and key.
        """
        simulation = cls.__new__(cls)
        simulation._take(session, _asterism.Fdtd.from_scene(session._session, str(text), str(folder)))
        return simulation

    def _take(self, session: asterism.Session, simulation: _asterism.Fdtd) -> None:
        self._simulation = simulation
        session._users.add(self)

    def _close(self) -> None:
        self._simulation.close()

    def start(self) -> None:
        """Begins again at step 0 without set-up: fields, layers, probes and monitors are as new."""
        self._simulation.start()

    def set_moment(self, source: int, moment: numpy.ndarray) -> None:
        """Other values of a source, float64 of shape (n,), from the next step on."""
        if count("source", source) < 0:
            raise asterism.BadInput(f"source {source}: expected 0 or more")
        self._simulation.set_moment(source, shaped("moment", moment, (None,)))

    def advance(self, steps: int, progress: Union[None, bool, Callable[[int], None]] = None,
                every: Optional[int] = None) -> None:
        """So many time steps.

        progress: called with the step after each `every` of them (default 100) and after the last one; it may look at the
        fields, and what it raises ends the call. True: a bar on standard error, or in a notebook.
        Raises Failed for fields that are not finite.
        """
        _progress.advance(self._simulation, count("steps", steps), progress, count("every", every))

    def field(self, component: str, *, centres: bool = False, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """A component, "ex" to "hz", in V/m or A/m: after step n, E of n time steps and H of n - 1/2.

        Raw entries, of shape `shape`; with `centres` their means around the centre of each cell, shape `cells`.
        out: where it goes (default: a new array).
        """
        shape = self.cells if centres else self.shape
        out = numpy.empty(shape) if out is None else shaped("out", out, shape)
        self._simulation.field(str(component), array("out", out), bool(centres))
        return out

    def probe_values(self) -> numpy.ndarray:
        """Values of the probes after steps 1 to `step`, in V/m or A/m: shape (steps, probes)."""
        return self._simulation.probe_values()

    @property
    def probe_names(self) -> List[str]:
        """"gap.Ez" of a scene, "ez 1 2 3" otherwise."""
        return self._simulation.probe_names

    def spectra(self) -> List[Spectrum]:
        """What the monitors of a scene have seen so far."""
        return [Spectrum(monitor, component, frequencies, tuple(first), values)
                for monitor, component, frequencies, first, values in self._simulation.spectra()]

    def far_fields(self) -> List[FarField]:
        """What the far fields of a scene have, by far field, frequency and direction."""
        return [FarField(*one) for one in self._simulation.far_fields()]

    def fluxes(self) -> List[Flux]:
        """What passed through the planes of a scene so far, in the order of planes and frequencies."""
        return [Flux(*one) for one in self._simulation.fluxes()]

    def resonances(self) -> List[Resonance]:
        """What the probes of a scene with `ringdown` say, from what they have seen so far."""
        return [Resonance(*one) for one in self._simulation.resonances()]

    def scattering(self) -> List[Scattering]:
        """What the ports of a scene have seen so far, by frequency."""
        return [Scattering(*one) for one in self._simulation.scattering()]

    @property
    def step(self) -> int:
        return self._simulation.step

    @property
    def steps(self) -> int:
        """Steps that a scene asks for; 0 without one."""
        return self._simulation.steps

    @property
    def time_step(self) -> float:
        """In s."""
        return self._simulation.time_step

    @property
    def cells(self) -> Tuple[int, int, int]:
        return tuple(self._simulation.cells)

    @property
    def shape(self) -> Tuple[int, int, int]:
        """Entries along x, y, z: one more than cells beside a magnetic upper face."""
        return tuple(self._simulation.shape)

    @property
    def origin(self) -> Tuple[float, float, float]:
        """Lower corner of the domain of a scene, m."""
        return tuple(self._simulation.origin)


def _faces(given: Union[str, Dict[str, str]]) -> List[str]:
    if not isinstance(given, dict):
        given = dict.fromkeys(FACES, given)
    for name in given:
        if name not in FACES:
            raise asterism.BadInput(f"faces: {name!r}; expected {', '.join(FACES)}")
    return [str(given.get(name, "electric")) for name in FACES]
