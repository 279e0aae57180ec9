// SPDX-License-Identifier: Apache-2.0
// What is said about a march: what was run, on what units, and how fast it was.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>

#include "apps/tdbem/march.hpp"
#include "codelets/tdbem/kernels/costs.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/results/traits.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;
using nlohmann::json;

namespace {

double mean_iterations(const SolveTally& tally) {
  return static_cast<double>(tally.iterations) / static_cast<double>(std::max<std::int64_t>(tally.solves, 1));
}

}  // namespace

template <class T>
json PrecisionMarch<T>::problem_record() const {
  const Problem& p = problem_;
  return {{"body", case_.description},
          {"unknowns", p.surface.unknowns()},
          {"triangles", p.surface.triangles.size()},
          {"boundary", name_of(p.boundary)},
          {"diameter", p.surface.diameter},
          {"edges", {p.surface.edges.shortest, p.surface.edges.mean, p.surface.edges.longest}},
          {"speed", p.speed},
          {"dt", p.dt},
          {"first_step", p.first_step},
          {"steps", case_.steps},
          {"waves", p.waves.size()},
          {"observers", p.observers.size()},
          {"precision", name_of(p.precision)}};
}

template <class T>
json PrecisionMarch<T>::matrices_record() const {
  const LagCounts& counts = matrices_->structure().counts;
  return {{"largest_lag", counts.largest_lag},
          {"values", counts.values},
          {"padded_values", counts.padded_values},
          {"mean_length", counts.mean_length()},
          {"longest", counts.longest},
          {"initial_values", counts.initial},
          {"bytes", matrices_->bytes()},
          {"blocks", matrices_->blocks()},
          {"structure_seconds", structure_seconds_},
          {"assembly_seconds", assembly_seconds_},
          {"point_pairs", matrices_->point_pairs()},
          {"point_pairs_per_second", assembly_seconds_ > 0 ? matrices_->point_pairs() / assembly_seconds_ : 0}};
}

template <class T>
json PrecisionMarch<T>::method_record() const {
  return {{"kernel", name_of(args_.method.kernel)},
          {"group", args_.method.group},
          {"ahead", args_.method.ahead},
          {"solver", problem_.solver == asterism::tdbem::Solver::factorisation ? "mumps" : "cg"},
          {"tolerance", problem_.limits.tolerance},
          {"sharing", name_of(sharing_)},
          {"balance", args_.sharing.target == Target::mean ? "paper" : "fixed-point"},
          {"shares", simulation_->shares()}};
}

template <class T>
void PrecisionMarch<T>::describe(Report& report) {
  const Problem& p = problem_;
  const LagCounts& counts = matrices_->structure().counts;
  report.record["problem"] = problem_record();
  report.record["matrices"] = matrices_record();
  report.record["method"] = method_record();
  if (!balancing_.empty()) report.record["balancing"] = balancing_;
  const SolveTally tally = simulation_->tally();
  if (!simulated)
    report.record["solutions"] = {{"count", tally.solves},
                                  {"mean_iterations", mean_iterations(tally)},
                                  {"most_iterations", tally.most_iterations},
                                  {"largest_residual", tally.residual}};
  auto& rows = report.rows;
  rows.emplace_back("problem", fmt::format("{}, {} waves, {} observers, {} precision", case_.description,
                                           p.waves.size(), p.observers.size(), name_of(p.precision)));
  rows.emplace_back("time",
                    fmt::format("{} steps of {:.4g} s from {:.4g} s, c dt / h = {:.2f}", case_.steps, p.dt,
                                static_cast<double>(p.first_step) * p.dt, p.speed * p.dt / p.surface.edges.mean));
  rows.emplace_back(
      "matrices",
      fmt::format("Kmax {}, {:.4g} values in row-vectors of {:.2f} on average and {} at most, {:.2f} GB in {} blocks",
                  counts.largest_lag, static_cast<double>(counts.values), counts.mean_length(), counts.longest,
                  matrices_->bytes() * 1e-9, matrices_->blocks()));
  if (args_.method.kernel != Kernel::panels) rows.emplace_back("kernel", name_of(args_.method.kernel));
  rows.emplace_back(
      "units",
      fmt::format("{} CPUs, {} GPUs, scheduler {}{}", session_.cpus(), session_.devices(), session_.scheduler(),
                  simulation_->workers() > 1 && sharing_ != Sharing::scheduler
                      ? fmt::format(", blocks of each: {}", fmt::join(simulation_->shares(), ", "))
                      : ""));
  if (rank_group().distributed()) describe_ranks(report);
  if (disk_during_) describe_disk(report);
}

/// The part of each rank, and what it has sent.
template <class T>
void PrecisionMarch<T>::describe_ranks(Report& report) const {
  report.record["ranks"] = ranks_record(march_seconds_);
  struct Rank {
    std::int64_t blocks, values, bytes_sent;
  };
  Rank mine{matrices_->own().size(), 0, bytes_sent_};
  for (const std::size_t b : matrices_->own_blocks()) mine.values += matrices_->values(b);
  const std::vector<Rank> all = rank_group().all_gather(mine);
  double most = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const double per_step =
        static_cast<double>(all[r].bytes_sent) / static_cast<double>(std::max<std::int64_t>(timed_steps_, 1));
    most = std::max(most, per_step);
    json& record = report.record["ranks"][r];
    record["blocks"] = all[r].blocks;
    record["values"] = all[r].values;
    record["bytes_sent_per_step"] = per_step;
  }
  report.rows.push_back(ranks_row(report.record["ranks"]));
  report.rows.back().second += fmt::format("; {:.4g} bytes per step from one", most);
}

/// Bytes from the disk; a pass over the slices serves a group of steps.
template <class T>
double PrecisionMarch<T>::read_per_pass() const {
  return static_cast<double>(disk_during_->read) * static_cast<double>(args_.method.group) /
         static_cast<double>(std::max<std::int64_t>(timed_steps_, 1));
}

template <class T>
void PrecisionMarch<T>::describe_disk(Report& report) const {
  const auto memory = starpu_memory_get_total(STARPU_MAIN_RAM);
  report.record["disk"] = {
      {"memory_bytes", memory},     {"read_before", disk_before_->read}, {"written_before", disk_before_->written},
      {"read", disk_during_->read}, {"written", disk_during_->written},  {"read_per_pass", read_per_pass()}};
  report.rows.emplace_back(
      "disk", fmt::format("{:.2f} GB in memory; {:.3f} GB read per pass over {:.3f} GB of slices, {:.3f} GB written",
                          static_cast<double>(memory) * 1e-9, read_per_pass() * 1e-9, matrices_->bytes() * 1e-9,
                          static_cast<double>(disk_before_->written + disk_during_->written) * 1e-9));
}

template <class T>
void PrecisionMarch<T>::measure(Report& report) {
  output_->finish(*simulation_, args_.method);
  report.written = written_;
  const std::vector<std::string> files = output_->written();
  report.written.insert(report.written.end(), files.begin(), files.end());
  if (!args_.files.spectrum.empty()) report_spectrum(report);
  measure_rates(report);
}

/// What was transformed, and a warning where it is cut off.
template <class T>
void PrecisionMarch<T>::report_spectrum(Report& report) const {
  const std::vector<double> f = spectrum_frequencies(problem_, args_.files.spectrum_options);
  const LeftAtEnd& left = output_->left();
  report.record["spectrum"] = {{"frequencies", {f.front(), f.back()}}, {"count", f.size()}, {"left_at_end", left.part}};
  report.rows.emplace_back("spectrum", fmt::format("{} frequencies from {:.4g} to {:.4g} Hz, {:.3g} % of the largest "
                                                   "scattered pressure left at the end",
                                                   f.size(), f.front(), f.back(), 100 * left.part));
  if (left.part > most_left_at_end && rank_group().is_root())
    fmt::print(stderr,
               "asterism-tdbem: warning: --spectrum: {:.3g} % of the largest scattered pressure of wave {} is left at "
               "observer {} at the end, expected at most {:g} %: take a longer --duration\n",
               100 * left.part, left.wave, left.observer, 100 * most_left_at_end);
}

template <class T>
void PrecisionMarch<T>::measure_rates(Report& report) const {
  if (assembly_seconds_ > 0)
    report.rows.emplace_back(
        "assembly", fmt::format("{:.3f} s, {:.4g} point pairs per second", structure_seconds_ + assembly_seconds_,
                                matrices_->point_pairs() / assembly_seconds_));
  if (timed_steps_ == 0) return;
  const double step = march_seconds_ / static_cast<double>(timed_steps_);
  const double achieved = matrices_->bytes() / (step * args_.method.group);
  const auto values = static_cast<double>(matrices_->structure().counts.values);
  const double flops = product_flops(values, 1, static_cast<int>(problem_.waves.size())) / step;
  const SolveTally tally = simulation_->tally();
  json& record = report.record;
  record["seconds"] = march_seconds_;
  record["timed_steps"] = timed_steps_;
  record["seconds_per_step"] = step;
  record["gflops"] = flops * 1e-9;
  record["bandwidth"] = {{"achieved", achieved}};
  record["tasks"] = simulation_->tasks();
  report.rows.emplace_back(
      "march", fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} GFlop/s{}", march_seconds_, step * 1e3, flops * 1e-9,
                           simulated ? "" : fmt::format(", {:.1f} iterations with M^0", mean_iterations(tally))));
  // ranks of one machine would contend during the measurement
  if (matrices_->bytes() >= smallest_bound_by_memory && !rank_group().distributed())
    measure_bandwidth_share(report, achieved);
}

/// The rate at which slices were read, by what the units can read.
template <class T>
void PrecisionMarch<T>::measure_bandwidth_share(Report& report, double achieved) const {
  const Bandwidth bandwidth = known_bandwidth();
  const bool gpus = session_.devices() > 0;
  const bool cores = session_.cpus() > 0 && sharing_ != Sharing::gpus &&
                     (!gpus || sharing_ == Sharing::scheduler || simulation_->shares().front() > 0);
  const double ceiling = (gpus ? bandwidth.gpu_read * session_.devices() : 0) + (cores ? bandwidth.cpu_read : 0);
  report.record["bandwidth"]["read"] = ceiling;
  report.record["bandwidth"]["share"] = achieved / ceiling;
  report.rows.emplace_back(
      "memory",
      fmt::format("{:.1f} GB/s of slices, one pass for {} steps, {:.0f} % of measured read bandwidth ({:.0f} GB/s)",
                  achieved * 1e-9, args_.method.group, 100 * achieved / ceiling, ceiling * 1e-9));
}

template class PrecisionMarch<float>;
template class PrecisionMarch<double>;

}  // namespace asterism::apps::tdbem
