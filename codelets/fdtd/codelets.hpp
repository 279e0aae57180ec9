// The StarPU codelets of the finite-difference time-domain method, on CPUs and GPUs, each for float and double. Next to
// each: its arguments and, in order, the data that a task must be submitted with. A field of a brick, all three
// components, is one datum of 128-byte lines. Of a field with materials there are two more, the index of each entry
// and the table: [index R, table R] below, electric first.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <functional>

#include "codelets/fdtd/kernels/kernel_hook.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/observers/probes.hpp"
#include "runtime/buffers.hpp"

namespace asterism::fdtd::codelets {

/// A brick. Arrays of two have the electric field first.
struct Scheme {
  Grid grid{};
  Factors factors[2]{};
  std::int32_t media[2]{};  ///< are there materials?
};

/// A current along an entry of E, which takes from it in each step.
struct PointSource {
  std::int32_t component = 0, i = 0, j = 0, k = 0;
  double scale = 0;                                        ///< change of E by a current moment of 1 A m
  const std::function<double(double)>* current = nullptr;  ///< A m at a time; called by any thread
};

/// What a task does of a half-step.
struct Half {
  std::int32_t complete = 0;  ///< put ghosts of the other field in place first
  std::int32_t begins = 0;    ///< are the boxes the first ones of the half-step?
  std::int32_t received = 0;  ///< arrays with them, and their axes
  std::int32_t receive[3]{};
  std::int32_t wrapped = 0;  ///< axes along which the brick is its own neighbour
  std::int32_t wrap[3]{};
  std::int32_t boxes = 0;  ///< to be updated
  Box box[6]{};
  std::int32_t sent = 0;  ///< arrays for neighbours, and their axes
  std::int32_t send[3]{};
  std::int32_t extensions = 0;
  const Extending* extension = nullptr;
};

/// What strips that overlap along x do before and after their steps: planes of all components of both fields, E first,
/// component by component, from and to the neighbours below and above.
struct Overlap {
  std::int32_t planes = 0;  ///< that come from a neighbour; 0: no overlap
  std::int32_t first = 0;   ///< own planes: [first, end)
  std::int32_t end = 0;
  std::int32_t receive[2]{};  ///< from below, from above
  std::int32_t send[2]{};
};

/// H, then E, of some boxes of a brick.
/// electric RW, magnetic RW, [index R, table R]..., then for E and for H: received R..., sent W..., arrays of
/// extensions RW...; overlaps received R... and sent W...; [electric SCRATCH, magnetic SCRATCH]; [places R, record RW]
/// with probes. A field that is only read may be R.
struct AdvanceArgs {
  Work work;
  Scheme scheme;
  Half half[2];
  std::int32_t fused = 0;  ///< both fields in one pass, after the boxes of H and before those of E
  Box fused_cells[2]{};
  std::int64_t step = 0;     ///< steps that E has behind it
  std::int32_t steps = 1;    ///< several only without neighbours
  std::int32_t wave = 0;     ///< steps of a GPU in one pass through memory (update_steps); 0: one after the other
  std::int32_t scratch = 0;  ///< are there arrays for it, as GPUs need?
  Overlap overlap;
  std::int32_t ends = 0;  ///< is the step complete with this task?
  double dt = 0;
  std::int32_t sources = 0;
  const PointSource* source = nullptr;
  std::int32_t probes = 0;
  std::int32_t row = 0;  ///< of the record, of the first step
};
template <class T>
starpu_codelet& advance();

/// Steps of a domain in one piece, from zeros to sums without another task between.
/// electric W or RW, magnetic W or RW, as those of SumArgs of E: 3 n doubles W
struct DomainArgs {
  AdvanceArgs advance;     ///< no materials, extensions, overlaps and probes
  std::int32_t first = 0;  ///< fields become zeros before
  std::int32_t last = 0;   ///< sums are made after
};
template <class T>
starpu_codelet& domain();

/// Zeros.  electric W, magnetic W
struct ClearArgs {
  Work work;
  Grid grid{};
};
template <class T>
starpu_codelet& clear();

/// A box of entries of all components to and from an array, component by component, z fastest.  field R, array W /
/// field RW, array R
struct CopyArgs {
  Work work;
  Grid grid{};
  Box entries{};
};
template <class T>
starpu_codelet& store();
template <class T>
starpu_codelet& load();

/// The three components' sums over each plane of cells, one component after the other.  field R, 3 n doubles W
struct SumArgs {
  Work work;
  Grid grid{};
  Field field = Field::electric;
};
template <class T>
starpu_codelet& sum();

/// Energy of each plane of cells (kernels.hpp), whose ghosts of E are in place.
/// electric R, magnetic R, [index R, table R]..., [eps_r R], [mu_r R], energies W
struct EnergyArgs {
  Work work;
  Scheme scheme;
  double density[2]{};  ///< of Densities
};
template <class T>
starpu_codelet& energy();

}  // namespace asterism::fdtd::codelets
