#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 3: the electrostatic energy of a protein of several chains, and how much of it binds the first half of the
atoms to the second. Atoms come from a PQR file on standard input: x, y, z in angstrom, charge in e, radius.

    zcat data/particles/actin_dimer_11754.pqr.gz | protein.py
"""
import sys

import numpy

import asterism


def main():
    # the last five words of a line are numbers
    atoms = numpy.array([line.split()[-5:-1] for line in sys.stdin if line.startswith(("ATOM", "HETATM"))], dtype=float)
    points, charge = numpy.ascontiguousarray(atoms[:, :3].T), numpy.ascontiguousarray(atoms[:, 3])
    first = numpy.arange(len(charge)) < len(charge) // 2
    with asterism.Session() as session:
        evaluator = asterism.fmm.Evaluator(session, points, coupling=asterism.fmm.COULOMB_KCAL_PER_MOL, evaluations=3)
        # other charges of the same atoms need no set-up
        halves = [evaluator.evaluate(numpy.where(of_half, charge, 0)).energy for of_half in (first, ~first)]
        result = evaluator.evaluate(charge)
    print(f"{len(charge)} atoms: energy {result.energy:.1f} kcal/mol, of the halves alone {halves[0]:.1f} and "
          f"{halves[1]:.1f}, between them {result.energy - sum(halves):.2f}")
    # Newton's third law: the forces cancel
    sys.exit(int(abs(result.field.sum()) > 1e-4 * abs(result.field).sum()))


main()
