# SPDX-License-Identifier: Apache-2.0
"""The fast multipole method: potential and field of charges, sum_j q_j K(|x_i - x_j|), in double precision."""
from __future__ import annotations

from typing import NamedTuple, Optional, Union

import numpy

import asterism
from asterism import _asterism
from asterism._arguments import array, count, number, shaped

__all__ = ["COULOMB_KCAL_PER_MOL", "Evaluator", "Result"]

#: Factor of charges in e and lengths in angstrom, for potentials in kcal/(mol e).
COULOMB_KCAL_PER_MOL: float = _asterism.coulomb_kcal_per_mol


class Result(NamedTuple):
    """What an evaluation found.

    potential: shape (n,). field: shape (n, 3), a view of three arrays; of points that act on each other, the force on
    each (charge times field). energy: half the sum of charge times potential, 0 where targets are apart.
    seconds: of the evaluation; of each vector of charges an equal part, where several are evaluated together.
    """

    potential: numpy.ndarray
    field: Optional[numpy.ndarray]
    energy: Union[float, numpy.ndarray]
    seconds: Union[float, numpy.ndarray]


class Evaluator:
    """Points, ready to be evaluated with any charges.

    points: shape (3, n), which is not copied and has to stay as it is until `move`; or (n, 3). Any unit of length.
    targets: points of the same kind where results are wanted instead; then points act on targets alone.
    kernel: laplace 1/r, inverse-square 1/r^2, yukawa exp(-kappa r)/r.
    softening: length epsilon, K(sqrt(r^2 + epsilon^2)).
    coupling: factor of potential and field (COULOMB_KCAL_PER_MOL; -G of gravity).
    accuracy: relative L2 errors of at most 10^-accuracy, 2 to 9.
    tree: auto, uniform, adaptive. height: its levels; group_size: cells per task; leaf_size: most points of a leaf of
    an adaptive tree (default: by rates of this machine). evaluations: how many are expected; more may pay for GPUs.
    vectors: of charges, as `evaluate` will mostly get them; the tree is the fastest one for so many.
    Raises BadInput for arrays of wrong shape, type or order, and places that are not finite.
    """

    def __init__(self, session: asterism.Session, points: numpy.ndarray, targets: Optional[numpy.ndarray] = None, *,
                 kernel: str = "laplace", kappa: float = 1, softening: float = 0, coupling: float = 1,
                 accuracy: int = 5, tree: str = "auto", height: Optional[int] = None, group_size: Optional[int] = None,
                 leaf_size: Optional[int] = None, evaluations: int = 1, vectors: int = 1) -> None:
        # the library reads these arrays for as long as this lives
        self._arrays = (array("points", points), None if targets is None else array("targets", targets))
        options = dict(kernel=str(kernel), tree=str(tree), kappa=number("kappa", kappa),
                       softening=number("softening", softening), coupling=number("coupling", coupling),
                       accuracy=count("accuracy", accuracy), height=count("height", height),
                       group_size=count("group_size", group_size), leaf_size=count("leaf_size", leaf_size),
                       evaluations=count("evaluations", evaluations), vectors=count("vectors", vectors))
        self._evaluator = _asterism.Evaluator(session._session, *self._arrays, options)
        session._users.add(self)

    def _close(self) -> None:
        self._evaluator.close()

    def evaluate(self, charge: numpy.ndarray, *, field: bool = True) -> Result:
        """Potential and field for charges of shape (number of sources,). field: whether it is wanted.

        Charges of shape (k, number of sources) are k evaluations; results then have k as first axis, energy and seconds
        too. On cores up to four are evaluated together, which takes less time; each has the bits that it has alone.
        Raises BadInput for wrong arrays, and Failed when a result is not finite, because points almost coincide.
        """
        shaped("charge", charge, (self.sources,), (None, self.sources))
        several = charge.shape[:-1]
        potential = numpy.empty((*several, self.targets))
        components = numpy.empty((3, *several, self.targets)) if field else None
        results = self._evaluator.evaluate_all(charge, potential, components)
        energy, seconds = numpy.reshape(results, (-1, 2)).T if several else results[0]
        return Result(potential, None if components is None else numpy.moveaxis(components, 0, -1), energy, seconds)

    def move(self, points: numpy.ndarray, targets: Optional[numpy.ndarray] = None) -> None:
        """Other places of as many points, without a new set-up: the tree is adapted."""
        arrays = (array("points", points), None if targets is None else array("targets", targets))
        self._evaluator.move(*arrays)
        self._arrays = arrays

    @property
    def sources(self) -> int:
        return self._evaluator.sources

    @property
    def targets(self) -> int:
        """Points that have results."""
        return self._evaluator.targets

    @property
    def height(self) -> int:
        """Levels of the tree."""
        return self._evaluator.height
