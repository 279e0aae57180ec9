// SPDX-License-Identifier: Apache-2.0
// A farm: many domains that have nothing to do with each other, each in one piece and advanced by all its steps on
// whatever unit the scheduler chooses (Skomedal 2013, section 2.6 of the thesis). The other mode, all units on one
// domain, is Simulation.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

struct FarmOptions {
  long steps = 200;
  int tasks_per_domain = 1;  ///< one after the other, each with its part of the steps
  int window = 1;            ///< domains that have memory at a time
  /// Fields come from main memory and go back there, instead of being made where they are used.
  bool transfers = false;
};

/// What became of a domain.
struct FarmAnswer {
  std::array<double, 3> sums{};  ///< of the components of E, the bits of Simulation::sums
  std::vector<int> workers;      ///< StarPU's numbers of the units that ran its tasks
};

/// Bytes of both fields of a domain.
std::size_t field_bytes(const Problem& problem);
/// As many domains as keep all units busy and, if each has `bytes`, half of the main memory free; one at least.
int farm_window(const Session& session, std::size_t bytes);

/// Which rank of a cluster takes each domain: in this order, the one that would be done with it first at speeds in
/// proportion to these, one for each rank; cells count.
std::vector<int> deal_domains(const std::vector<const Problem*>& domains, const std::vector<double>& speeds);

/// All domains, in this order as far as the scheduler keeps to it; several may be of one problem. `ended`: called now
/// and then with the number of domains that are done. Blocking. Throws Error (bad input) for domains that are not all
/// of one precision, or have materials, probes or initial fields, and for more tasks than steps.
std::vector<FarmAnswer> run_farm(const std::vector<const Problem*>& domains, const FarmOptions& options,
                                 const std::function<void(std::size_t)>& ended = {});

}  // namespace asterism::fdtd
