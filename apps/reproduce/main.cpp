// SPDX-License-Identifier: Apache-2.0
// asterism-reproduce: experiments of the papers, each with one command; what the paper prints beside what we get.
#include <fmt/format.h>

#include <algorithm>

#include "apps/common/program.hpp"
#include "apps/reproduce/comparison.hpp"
#include "apps/reproduce/experiment.hpp"
#include "base/error.hpp"
#include "base/version.hpp"

namespace asterism::apps::reproduce {
namespace {

struct Options {
  std::filesystem::path papers = folder_of_papers();
  std::string json, csv;
};

std::string joined_names(const std::vector<std::unique_ptr<Experiment>>& all) {
  std::string names;
  for (const auto& experiment : all) names += (names.empty() ? "" : ", ") + experiment->name();
  return names;
}

/// After the name, so that one may write `asterism-reproduce NAME --json F`.
void add_options(CLI::App& app, Options& options) {
  app.add_option("--json", options.json, "Write a record: the paper's figures, ours, differences");
  app.add_option("--csv", options.csv, "Write the table, a line per figure and column");
  app.add_option("--papers", options.papers, "Folder of the papers' figures, NAME.toml (default: installed ones)");
}

void list(const std::vector<std::unique_ptr<Experiment>>& all, const Options& options) {
  for (const auto& experiment : all) {
    const Paper paper = read_paper(options.papers, experiment->name());
    fmt::print("{}\n    {}\n    {}, {}\n", experiment->name(), paper.title, paper.paper, paper.place);
  }
}

int reproduce(int argc, char** argv) {
  const std::vector<std::unique_ptr<Experiment>> all = experiments();
  CLI::App app(
      "Repeats experiments of the papers and prints the figures of the paper beside ours, with the relative "
      "difference.\n\n"
      "  asterism-reproduce --list\n"
      "  asterism-reproduce tdbem-table1 --json table1.json\n"
      "  asterism-reproduce tdbem-table4 --mesh airliner.off --unknowns 6000",
      "asterism-reproduce");
  app.set_version_flag("--version", version_text("asterism-reproduce"));
  Options options;
  bool wanted_list = false;
  app.add_flag("--list", wanted_list, "Names of the experiments, with paper, table or figure");
  app.add_option("--papers", options.papers, "Folder of the papers' figures, NAME.toml (default: installed ones)");
  app.require_subcommand(0, 1);
  for (const auto& experiment : all) {
    CLI::App* const of = app.add_subcommand(experiment->name(), experiment->summary());
    experiment->add_options(*of);
    add_options(*of, options);
  }
  if (argc > 1 && argv[1][0] != '-' &&
      std::none_of(all.begin(), all.end(), [&](const auto& e) { return e->name() == argv[1]; }))
    bad_input("{}: no such experiment; expected one of {}", argv[1], joined_names(all));
  if (const auto status = parse(app, argc, argv)) return *status;
  if (wanted_list) {
    list(all, options);
    return 0;
  }
  for (const auto& experiment : all) {
    if (!app.got_subcommand(experiment->name())) continue;
    require_writable("--json", options.json);
    require_writable("--csv", options.csv);
    const Paper paper = read_paper(options.papers, experiment->name());
    const Outcome outcome = experiment->run(paper);
    const Comparison comparison = compare(paper, outcome.figures);
    print(experiment->name(), paper, comparison);
    if (!options.json.empty()) {
      nlohmann::json record = record_header("asterism-reproduce", command_line("asterism-reproduce", argc, argv));
      record["experiment"] = experiment->name();
      record["settings"] = outcome.settings;
      record["comparison"] = record_of(paper, comparison);
      write_json(options.json, record);
      fmt::print("\nwrote {}\n", options.json);
    }
    if (!options.csv.empty()) {
      write_csv(options.csv, paper, comparison);
      fmt::print("\nwrote {}\n", options.csv);
    }
    return 0;
  }
  bad_input("no experiment given; expected one of {}, or --list", joined_names(all));
}

}  // namespace
}  // namespace asterism::apps::reproduce

int main(int argc, char** argv) {
  return asterism::apps::run("asterism-reproduce", [&] { return asterism::apps::reproduce::reproduce(argc, argv); });
}
