// SPDX-License-Identifier: Apache-2.0
// asterism-compare: schedulers on any StarPU program.
#include <fmt/format.h>

#include "apps/common/program.hpp"
#include "apps/compare/campaign.hpp"
#include "apps/compare/plan.hpp"
#include "apps/compare/results.hpp"
#include "apps/compare/settings.hpp"
#include "base/error.hpp"

namespace asterism::apps::compare {
namespace {

int show_plan(const Settings& settings) {
  const std::vector<Run> runs = read_journal(settings.work);
  const std::vector<Step> steps = remaining_steps(settings, runs);
  fmt::print("{}\n  in {}: {} runs done, {} to do\n", shell_text(settings.command), settings.work.string(), runs.size(),
             steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    fmt::print("  {:>5}  {:<11} {:>3}  {}{}\n", runs.size() + i + 1, name_of(steps[i].phase), steps[i].repetition,
               steps[i].scheduler, steps[i].traced ? ", recorded" : "");
  return 0;
}

int compare_schedulers(int argc, char** argv) {
  Settings settings;
  if (const auto status = parse_arguments(argc, argv, settings)) return *status;
  if (settings.dry_run) return show_plan(settings);

  Journal journal(settings.work, identity_of(settings));
  if (settings.retry) journal.forget_failed();
  if (const int signal = run_campaign(settings, journal); signal != 0) {
    fmt::print(stderr,
               "asterism-compare: interrupted; {} finished runs are kept in {}: the same command (with --work {}) goes "
               "on from there\n",
               journal.runs().size(), settings.work.string(), settings.work.string());
    return 128 + signal;
  }

  const std::vector<Run>& runs = journal.runs();
  const Comparison comparison = evaluate_runs(settings, runs);
  fmt::print("{}\n", comparison_table(settings, comparison, runs));
  write_comparison_csv(settings, comparison, runs);
  write_json(settings.json, comparison_json(settings, comparison, runs));
  fmt::print("wrote {}\nwrote {}\n", settings.csv.string(), settings.json.string());
  if (write_page(settings, comparison))
    fmt::print("wrote {}\n", settings.html.string());
  else
    fmt::print("nothing was recorded: no page of charts\n");
  if (!settings.keep_traces) remove_other_recordings(settings, comparison, runs);
  std::size_t failures = 0;
  for (const Candidate& candidate : comparison.candidates) failures += static_cast<std::size_t>(candidate.failures);
  if (failures > 0) failed("{} of {} runs failed; --retry repeats them", failures, runs.size());
  return 0;
}

}  // namespace
}  // namespace asterism::apps::compare

int main(int argc, char** argv) {
  return asterism::apps::run("asterism-compare",
                             [&] { return asterism::apps::compare::compare_schedulers(argc, argv); });
}
