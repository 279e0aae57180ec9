// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/cg/runs.hpp"

#include <fmt/format.h>

#include "apps/reproduce/data_file.hpp"

namespace asterism::apps::reproduce {

std::string CgCase::name() const {
  if (gpus > 1) return fmt::format("{} GPUs, {} {}", gpus, decomposition, exchange);
  if (blocks == 1) return "1 GPU";
  return decomposition == "1D" ? fmt::format("1 GPU, {} block-rows", blocks)
                               : fmt::format("1 GPU, {0} x {0} blocks", blocks);
}

Simulation simulation_of(const CgMatrix& matrix, const CgCase& c, const Transfers& transfers, int iterations) {
  Simulation s;
  s.label = fmt::format("{}, {}", c.name(), transfers.name);
  s.solver = "cg";
  s.platform = matrix.platform;
  s.arguments = matrix.options;
  s.arguments.insert(s.arguments.end(), {"--flow",          "refined",
                                         "--format",        "csr",
                                         "--balance",       "nonzeros",
                                         "--cpus",          "0",
                                         "--gpus",          std::to_string(c.gpus),
                                         "--blocks",        std::to_string(c.blocks),
                                         "--transfer",      c.exchange,
                                         "--decomposition", c.decomposition == "1D" ? "1d" : "2d",
                                         "--column-order",  c.decomposition == "1D" ? "ascending" : "local-first",
                                         "--iterations",    std::to_string(iterations)});
  s.environment = {{"STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", transfers.direct}};
  return s;
}

void Bracket::add_options(CLI::App& app) {
  app.add_option("--mesh", mesh, "Tetrahedra (default: meshes/bracket_fine.msh.gz of data/ or $ASTERISM_DATA)");
  app.add_option("--element", element, "p1 or p2")->check(CLI::IsMember({"p1", "p2"}))->capture_default_str();
  app.add_option("--numbering", numbering, "Numbering of the nodes, mesh or rcm; the paper permutes nothing")
      ->check(CLI::IsMember({"mesh", "rcm"}))
      ->capture_default_str();
}

CgMatrix Bracket::matrix() const {
  return {{"--mesh", data_file("--mesh", mesh, "meshes/bracket_fine.msh.gz").string(), "--element", element,
           "--numbering", numbering},
          "nehalem-m2070-rows"};
}

double operations(const nlohmann::json& record) {
  const nlohmann::json& matrix = record.at("matrix");
  return 2 * matrix.at("nonzeros").get<double>() + 9 * matrix.at("rows").get<double>();
}

double milliseconds(const nlohmann::json& record) {
  return record.at("ms_per_iteration").get<double>();
}

}  // namespace asterism::apps::reproduce
