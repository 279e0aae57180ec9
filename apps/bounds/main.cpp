// SPDX-License-Identifier: Apache-2.0
// asterism-bounds: lower bounds on the makespan of a recorded task graph.
#include <fmt/format.h>

#include "apps/bounds/arguments.hpp"
#include "apps/bounds/report.hpp"
#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "traces/models/sampling.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::bounds {
namespace {

using namespace asterism::bounds;

traces::PlatformRec read_models(const Arguments& args) {
  traces::PlatformRec all;
  for (const auto& path : args.models) {
    const traces::PlatformRec one = std::filesystem::is_directory(path) ? traces::read_sampling(path, {args.model_host})
                                                                        : traces::read_platform_rec(path);
    all.timings.insert(all.timings.end(), one.timings.begin(), one.timings.end());
    all.memory_performance.insert(all.memory_performance.end(), one.memory_performance.begin(),
                                  one.memory_performance.end());
  }
  if (args.links_of_models && all.memory_performance.empty())
    bad_input("--links-of-models: the models hold no rates of links (memory_performance)");
  return all;
}

int bound_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;

  Durations durations;
  traces::Recording recording;
  traces::PlatformRec models;
  {
    ProgressLine progress(!args.quiet);
    const auto read = [&](const std::vector<std::filesystem::path>& paths) {
      traces::ReadOptions options;
      options.window = traces::Window::parse(args.window);
      options.progress = [&](double fraction) { progress.show(fraction, "reading " + paths.front().string()); };
      return traces::read(paths, options);
    };
    recording = read(args.recording);
    durations.add(recording, Source::recording);
    models = read_models(args);
    durations.add(models, &recording);
    // Whole recordings: durations measured before the part of interest (calibration) are as good.
    args.window = "all";
    for (const auto& path : args.durations) durations.add(read({path}), Source::others);
    if (!args.rates.empty()) args.options.rates = read_rates(args.rates);
    if (args.links_of_models) args.options.links = &models;
    progress.show(1, "solving");
  }
  const Bounds bounds = compute(recording, durations, args.options);
  const Report report{&recording, &bounds, args.all_missing};

  fmt::print("{}", table(report));
  if (!args.write_lp.empty()) {
    area_program(bounds.area.problem).write(args.write_lp);
    fmt::print("wrote {}\n", args.write_lp.string());
  }
  if (!args.json.empty()) {
    nlohmann::json record{{"program", "asterism-bounds"}, {"version", version()}};
    record.update(summary(report));
    write_json(args.json, record);
    fmt::print("wrote {}\n", args.json.string());
  }
  if (!args.csv.empty()) {
    write_csv(args.csv, report);
    fmt::print("wrote {}\n", args.csv.string());
  }
  if (!bounds.inconsistencies.empty())
    failed("{}: {}{}", recording.name, bounds.inconsistencies.front(),
           bounds.inconsistencies.size() > 1
               ? fmt::format(" (and {} more, see --json)", bounds.inconsistencies.size() - 1)
               : "");
  return 0;
}

}  // namespace
}  // namespace asterism::apps::bounds

int main(int argc, char** argv) {
  return asterism::apps::run("asterism-bounds", [&] { return asterism::apps::bounds::bound_and_report(argc, argv); });
}
