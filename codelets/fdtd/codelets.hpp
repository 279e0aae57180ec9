// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of the finite-difference time-domain method, on CPUs and GPUs, each for float and double. Next to
// each: its arguments and, in order, the data that a task must be submitted with. A field of a brick, all three
// components, is one datum of 128-byte lines. Of a field with materials there are two more, the index of each entry
// and the table, and one on a graded mesh, the inverse lengths: [index R, table R, lengths R] below, electric first.
#pragma once

#include "codelets/fdtd/kernels/observers/probes.hpp"
#include "codelets/fdtd/steps.hpp"
#include "runtime/codelet.hpp"

namespace asterism::fdtd::codelets {

/// H, then E, of some boxes of a brick, or whole steps (steps.hpp).
/// electric RW, magnetic RW, [index R, table R, lengths R]..., then for E and for H: received R..., sent W..., arrays
/// of hooks RW...; arrays of the coupling R...; overlaps received R... and sent W...; [electric SCRATCH, magnetic
/// SCRATCH]; [places R, record RW] with probes. A field that is only read may be R.
extern PrecisionCodelet advance;

/// Steps of a domain in one piece, from zeros to sums without another task between.
/// electric W or RW, magnetic W or RW, [electric SCRATCH, magnetic SCRATCH], [3 n doubles W, as of sum]
struct DomainArgs {
  AdvanceArgs advance;          ///< no materials, hooks, overlaps and probes
  bool begins_at_zero = false;  ///< fields become zeros before
  bool ends_in_sums = false;    ///< sums of E are made after
};
extern PrecisionCodelet domain;

/// Zeros.  electric W, magnetic W
struct ClearArgs {
  Work work;
  Grid grid{};
};
extern PrecisionCodelet clear;

/// A box of entries of all components to and from an array, component by component, z fastest.  field R, array W /
/// field RW, array R
struct CopyArgs {
  Work work;
  Grid grid{};
  Box entries{};
};
extern PrecisionCodelet store;
extern PrecisionCodelet load;

/// The three components' sums over each plane of cells, one component after the other.  field R, 3 n doubles W
struct SumArgs {
  Work work;
  Grid grid{};
  Field field = Field::electric;
};
extern PrecisionCodelet sum;

/// Energy of each plane of cells (kernels.hpp), whose ghosts of E are in place.
/// electric R, magnetic R, [index R, table R, lengths R]..., [eps_r R], [mu_r R], energies W
struct EnergyArgs {
  Work work;
  Scheme scheme;
  double density[2]{};  ///< of Densities
};
extern PrecisionCodelet energy;

}  // namespace asterism::fdtd::codelets
