// SPDX-License-Identifier: Apache-2.0
// Runs of asterism-cg as the conjugate gradient paper describes its own, and what is taken from their records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/reproduce/simulations.hpp"

namespace asterism::apps::reproduce {

inline constexpr int most_gpus = 3;

/// How GPUs exchange data (section 5.1), in the paper's words; and StarPU's own variable for it.
struct Transfers {
  std::string name;
  const char* direct;
};
inline const std::vector<Transfers> all_transfers = {{"GPU - CPU - GPU", "0"}, {"GPU - GPU", "1"}};

/// A run: b block-rows on p GPUs, and in 2D as many block-columns.
struct CgCase {
  int blocks = 1, gpus = 1;
  std::string decomposition = "1D", exchange = "full";

  /// "1 GPU", "1 GPU, 3 block-rows" or "2 GPUs, 1D full".
  [[nodiscard]] std::string name() const;
};

/// A solver's run on a matrix: its options, and the machine where SpMV is as fast as on the paper's with it.
struct CgMatrix {
  std::vector<std::string> options;
  const char* platform;
};

/// The flow of sections 7.2 to 7.4 with CSR blocks of equally many non-zeros.
Simulation simulation_of(const CgMatrix& matrix, const CgCase& c, const Transfers& transfers, int iterations);

/// A finite element matrix of a bracket with thin ribs, fillets and holes, as irregular as that of a crankshaft,
/// audikw_1, on the machine with the rate of long rows.
struct Bracket {
  std::string mesh, element = "p2", numbering = "mesh";

  void add_options(CLI::App& app);
  /// Throws Error (bad_input) if there is no such mesh.
  [[nodiscard]] CgMatrix matrix() const;
};

/// Floating-point operations of an iteration: 2 nnz of the product, and 9 N of the vectors (section 6.1: 2 N of a dot
/// or an axpy, two of each, and N more), with which the paper's rates and its times agree.
double operations(const nlohmann::json& record);

/// Median over the iterations: without the first transfers of the matrix, which the paper does not time (5.4).
double milliseconds(const nlohmann::json& record);

}  // namespace asterism::apps::reproduce
