// What the task flow has to know about an interaction kernel, whatever its type.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "codelets/fmm/p2p_codelet.hpp"
#include "runtime/submit.hpp"

namespace asterism::fmm {

/// The near field of one group, ready to be computed.
struct NearTask {
  NearLayout layout;
  std::int64_t particles = 0;  ///< of the set
  std::int64_t pairs = 0;      ///< unordered
  Access set, sources, result;
  int priority = 0;
  int worker = -1;  ///< as TaskOptions::worker
};

struct Interaction {
  std::string name;
  RadialKernel radial;  ///< K as a function of r^2
  RadialKernel slope;   ///< K'(r) / r as a function of r^2
  bool homogeneous = false;
  int degree = 0;             ///< K(a r) = a^degree K(r)
  double flops_per_pair = 0;  ///< per unordered pair, anti-symmetry exploited
  std::function<void(const NearTask&)> submit_near;
};

/// A kernel as described in codelets/fmm/kernels/near/kernel_function.hpp. One's own: write the struct, compile the CPU
/// kernels with the CMake function asterism_fmm_kernels, and pass it here.
template <class Kernel>
Interaction interaction(const Kernel& kernel) {
  Interaction i;
  i.name = Kernel::name;
  i.homogeneous = Kernel::homogeneous;
  i.degree = Kernel::degree;
  i.flops_per_pair = flops_mutual<Kernel>;
  const auto evaluate = [kernel](double r2, bool slope) {
    double value = 0;
    double derivative = 0;
    kernel(r2, value, derivative);
    return slope ? derivative : value;
  };
  i.radial = [evaluate](double r2) { return evaluate(r2, false); };
  i.slope = [evaluate](double r2) { return evaluate(r2, true); };
  i.submit_near = [kernel, flops = i.flops_per_pair](const NearTask& t) {
    codelets::P2PArgs<Kernel> arguments{{static_cast<double>(t.pairs) * flops, 0}, t.layout, t.particles, kernel};
    submit(codelets::p2p<Kernel>(), arguments, {t.set, t.sources, t.result},
           {t.priority, codelets::class_flops(arguments.work.flops), t.worker});
  };
  return i;
}

}  // namespace asterism::fmm
