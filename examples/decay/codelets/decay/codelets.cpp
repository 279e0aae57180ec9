// SPDX-License-Identifier: Apache-2.0
#include "codelets/decay/codelets.hpp"

#include "codelets/decay/codelets_cuda.hpp"
#include "codelets/decay/kernels/costs.hpp"
#include "runtime/buffers.hpp"

namespace asterism::decay::codelets {
namespace {

void step_cpu(void** buffers, void* arguments) {
  const auto& a = as<StepArgs>(arguments);
  cpu::step(a.block, step_data(buffers, a));
}

double step_flops(const void* arguments, std::span<const Access> /*accesses*/) {
  const Block& block = static_cast<const StepArgs*>(arguments)->block;
  return flops_per_point * block.points;
}

}  // namespace

StepData step_data(void** buffers, const StepArgs& /*arguments*/) {
  Buffers next(buffers);
  StepData d;
  d.u = next.take<double>();
  return d;
}

Codelet step({.name = "decay_step", .variant = "double", .cpu = step_cpu, .cuda = gpu::step, .flops = step_flops});

}  // namespace asterism::decay::codelets
