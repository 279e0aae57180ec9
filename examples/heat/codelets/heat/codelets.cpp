// SPDX-License-Identifier: Apache-2.0
#include "codelets/heat/codelets.hpp"

#include "codelets/heat/codelets_cuda.hpp"
#include "codelets/heat/kernels/costs.hpp"
#include "runtime/buffers.hpp"

namespace asterism::heat::codelets {
namespace {

void step_cpu(void** buffers, void* arguments) {
  const auto& a = as<StepArgs>(arguments);
  cpu::step(a.block, step_data(buffers, a));
}

double step_flops(const void* arguments, std::span<const Access> /*accesses*/) {
  const Block& block = static_cast<const StepArgs*>(arguments)->block;
  return flops_per_point * points(block.rows, block.columns);
}

}  // namespace

StepData step_data(void** buffers, const StepArgs& a) {
  Buffers next(buffers);
  StepData d;
  d.u = next.take<const double>();
  d.v = next.take<double>();
  d.first = next.take<double>();
  d.last = next.take<double>();
  if (a.has_below) d.below = next.take<const double>();
  if (a.has_above) d.above = next.take<const double>();
  return d;
}

Codelet step({.name = "heat_step", .variant = "double", .cpu = step_cpu, .cuda = gpu::step, .flops = step_flops});

}  // namespace asterism::heat::codelets
