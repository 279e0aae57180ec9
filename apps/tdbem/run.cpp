// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/run.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "apps/common/program.hpp"
#include "apps/tdbem/statistics.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/checkpoint.hpp"

namespace asterism::apps::tdbem {

std::optional<int> Run::parse(int argc, char** argv) {
  return parse_arguments(argc, argv, arguments_);
}

std::optional<int> Run::prepare() {
  refuse_over_ranks(!arguments_.sharing.intervals.empty(), "--intervals");
  problem_case_ = asterism::tdbem::problem_case(arguments_.problem, arguments_.method);
  const FileOptions& files = arguments_.files;
  if (!files.spectrum.empty()) (void)spectrum_frequencies(problem_case_.problem, files.spectrum_options);
  // cores that assemble matrices have nothing to do while GPUs march
  SessionOptions& session = arguments_.common.session;
  const bool gpus_march =
      arguments_.sharing.sharing.value_or(asterism::tdbem::Sharing::gpus) == asterism::tdbem::Sharing::gpus;
  session.resting_cores = gpus_march && uses_gpus(session);
  // one for products, another one for the chain from step to step
  if (session.resting_cores && !simulated && std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr) session.streams = 2;
  if (!arguments_.statistics) return std::nullopt;
  if (rank_group().is_root()) print_statistics(arguments_, problem_case_);
  return 0;
}

void Run::calibrate() {
  tdbem::calibrate(arguments_, problem_case_);
}

/// Products for the next group beside the solutions of this one, where these have a stream of their own on all ranks.
bool Run::ahead_suits(const Session& session) const {
  const asterism::tdbem::Method& method = arguments_.method;
  return rank_group().everywhere(session.gpus() > session.devices() && arguments_.common.session.resting_cores &&
                                 method.group <= asterism::tdbem::max_group / 2);
}

void Run::solve(const Session& session) {
  const std::string& restart = arguments_.files.restart;
  arguments_.method.ahead = arguments_.ahead  ? *arguments_.ahead
                            : restart.empty() ? ahead_suits(session)
                                              : asterism::tdbem::checkpoint_ahead(restart);
  scheduler_ = session.scheduler();
  march_ = make_march(arguments_, problem_case_, session);
  march_->run();
}

void Run::describe(Report& report) {
  march_->describe(report);
}

std::vector<Verdict> Run::verify(Report& report) {
  if (!arguments_.common.verify) return {};
  const std::vector<Verdict> verdicts = march_->verify();
  nlohmann::json all = nlohmann::json::array();
  for (const Verdict& verdict : verdicts) {
    add_verdict(report, "verification", verdict);
    all.push_back(record_of(verdict));
  }
  report.record["verification"] = all;
  return verdicts;
}

void Run::measure(Report& report) {
  march_->measure(report);
}

std::string Run::title() const {
  return fmt::format("{}, {}", problem_case_.description, scheduler_);
}

}  // namespace asterism::apps::tdbem
