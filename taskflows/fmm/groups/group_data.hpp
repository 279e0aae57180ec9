// SPDX-License-Identifier: Apache-2.0
// The data of the groups of a tree: structure, particles, expansions and results, each in main memory and as StarPU
// data. The names are those of RR-8513: a group has a list of far interactions, multipoles M, locals L, a near set.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fmm/kernels/layout.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"

namespace asterism::fmm {

/// Basis, shift matrix and M2L operators of one level, or of all.
struct PackedOperators {
  HostBuffer<double> packed;
  OperatorLayout layout;
  Handle handle;
};

/// The two expansions of the cells of a group.
enum class CellData { multipoles, locals };

/// Interactions of one M2L task.
struct ListData {
  HostBuffer<std::int32_t> packed;
  ListLayout layout;
  std::vector<std::int32_t> source_groups;
  std::int64_t pairs = 0;
  double flops = 0;
  Handle handle;
};

/// Cells of one group of one level.
struct CellGroup {
  HostBuffer<std::int32_t> packed;
  CellLayout layout;
  std::vector<ListData> lists;    ///< its interactions
  HostBuffer<double> expansions;  ///< multipoles, then locals, where CPUs and GPUs exchange them
  Handle cells, multipoles, locals;
};

/// Near results that a group of one rank has for leaves of another: at the rank that sends them and at the other.
struct NearMessage {
  int rank = 0;  ///< at the other end
  std::int32_t particles = 0;
  std::int32_t packed_parts = 0;
  HostBuffer<std::int32_t> parts;  ///< what the task that brings them together reads, packed
  HostBuffer<double> values;       ///< 4 x particles, where CPUs and GPUs exchange them
  Handle packing, data;
};

/// What one P2P task computes: the near field of a group, or of a piece of it.
struct NearGroup {
  std::int64_t set = 0;      ///< particles of its leaves and of the copies of neighbours
  std::int64_t results = 0;  ///< those that have a result, the first ones: all, or its leaves' targets
  std::int64_t pairs = 0;    ///< unordered pairs, or pairs of a source and a target
  HostBuffer<std::int32_t> packed;
  NearLayout layout;
  HostBuffer<double> particles;  ///< 4 x set; none: those of the group
  HostBuffer<double> values;     ///< 4 x results, where CPUs and GPUs exchange them
  bool large = true;             ///< in the half of P2P tasks with more work
  Handle near, particle_data, result;
};

/// Particles of one group of leaves.
struct ParticleGroup {
  std::int64_t own = 0;      ///< particles of its leaves that are acted on
  std::int64_t sources = 0;  ///< particles of its leaves that act
  /// With the copies of neighbours, unless its near field is divided, and with sources that are apart.
  std::int64_t set = 0;
  HostBuffer<std::int32_t> parts;          ///< runs of particles that the reduction adds, packed
  std::int32_t reduction_count = 0;        ///< their number
  std::int64_t added = 0;                  ///< particles that the reduction adds
  std::vector<std::int32_t> contributors;  ///< near sets that the reduction adds
  std::vector<NearMessage> near_out;
  HostBuffer<double> particles;  ///< 4 x set
  HostBuffer<double> result;     ///< 4 x own
  Handle particle_data, reduction_parts, result_data;
};

}  // namespace asterism::fmm
