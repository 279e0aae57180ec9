// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/help.hpp"
#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/solver_options.hpp"
#include "apps/fdtd/machine_options.hpp"
#include "apps/fdtd/plot_rates.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/pictures/chart.hpp"
#include "runtime/machine/this_machine.hpp"

namespace asterism::apps::fdtd {
namespace {

using namespace asterism::fdtd;
using nlohmann::json;

struct PlotArguments {
  std::string plotter;  ///< size, mix or units
  std::string sizes = "20:160:20", size = "100", shares = "0:1:0.1", cpu_workers, streams, output;
  int bricks_per_gpu = 2, domains = 50, repetitions = 5;
  long steps = 50;
  Precision precision = Precision::double_precision;
  SessionOptions session;
  std::string json;
  bool quiet = false;
};

void add_common(CLI::App& app, PlotArguments& args) {
  app.add_option("--steps", args.steps, "Time steps of a measurement")
      ->check(CLI::Range(1L, 1000000000L))
      ->capture_default_str();
  app.add_option("--repetitions", args.repetitions,
                 "Repetitions of all points in turn: the chart has the median and the range")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_precision(app, args.precision);
  app.add_option("--output", args.output, "Name of the files without .csv and .png (default: fdtd-size, ...)");
  app.add_option("--json", args.json, "Write a record with all measurements");
  add_quiet(app, args.quiet);
  add_machine_options(app, args.session);
  add_help(app);
}

std::optional<int> parse_arguments(int argc, char** argv, PlotArguments& args) {
  CLI::App app(
      "Rates of the thesis' benchmark as a chart (PNG) and a table (CSV).\n\n"
      "  asterism-fdtd plot size --sizes 20:200:20\n"
      "  asterism-fdtd plot mix --size 400 --shares 0.8:1:0.02 --precision single\n"
      "  asterism-fdtd plot units --size 100 --cpu-workers 0,2,4 --gpu-streams 0,1,2\n",
      "asterism-fdtd plot");
  app.require_subcommand(1);
  CLI::App* size = app.add_subcommand("size", "Each unit alone - one core, each GPU - by the size of the domain");
  size->add_option("--sizes", args.sizes, "Cells along the edge of the cube: A,B,C or FIRST:LAST:STEP")
      ->capture_default_str();
  CLI::App* mix = app.add_subcommand("mix", "CPUs and GPUs on one domain, by the share of the GPUs");
  mix->add_option("--size", args.size, "Cells: N or NxMxK")->capture_default_str();
  mix->add_option("--shares,--gpu-share", args.shares, "Shares of the GPUs, 0 to 1: A,B,C or FIRST:LAST:STEP")
      ->capture_default_str();
  mix->add_option("--bricks-per-gpu", args.bricks_per_gpu, "Strips of a GPU")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  CLI::App* units = app.add_subcommand("units", "A farm, by CPU workers and streams per GPU");
  units->add_option("--size", args.size, "Cells of a domain: N or NxMxK")->capture_default_str();
  units->add_option("--domains", args.domains, "Number of domains")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  units->add_option("--cpu-workers", args.cpu_workers, "A,B,C or FIRST:LAST:STEP (default: powers of two, and all)");
  units->add_option("--gpu-streams", args.streams, "CUDA workers per GPU; 0: no GPU (default: 0,1,2 with a GPU)");
  for (CLI::App* sub : {size, mix, units}) add_common(*sub, args);
  if (const auto status = parse(app, argc, argv)) return status;
  args.plotter = app.get_subcommands().front()->get_name();
  if (args.output.empty()) args.output = "fdtd-" + args.plotter;
  require_writable("--output", args.output + ".csv");
  require_writable("--output", args.output + ".png");
  require_writable("--json", args.json);
  return std::nullopt;
}

std::vector<int> cpu_workers(const PlotArguments& args) {
  if (!args.cpu_workers.empty()) return whole_numbers("--cpu-workers", args.cpu_workers, 0);
  const int gpus = uses_gpus(args.session) ? visible_gpus() : 0;
  const int all = std::max(1, this_machine().cores - (gpus > 0 ? gpus + 1 : 0));  // who drives GPUs, and who submits
  std::vector<int> numbers;
  if (gpus > 0) numbers.push_back(0);
  for (int n = 1; n < all; n *= 2) numbers.push_back(n);
  numbers.push_back(all);
  return numbers;
}

std::vector<int> gpu_streams(const PlotArguments& args) {
  if (!args.streams.empty()) return whole_numbers("--gpu-streams", args.streams, 0);
  return uses_gpus(args.session) ? std::vector{0, 1, 2} : std::vector{0};
}

struct Plot {
  std::string title, x_label, x_column;
  std::vector<PlotPoint> points;
  json record;
};

void take(const PlotArguments& args, Plot& plot, ProgressLine& line) {
  if (plot.points.empty()) bad_input("plot {}: there is nothing to measure", args.plotter);
  measure(plot.points, args.repetitions, [&](double done) { line.show(done, "measuring"); });
}

Plot plot_of_sizes(const PlotArguments& args, int argc, char** argv, ProgressLine& line) {
  const std::vector<int> edges = whole_numbers("--sizes", args.sizes, 1);
  const Session session(args.session);
  Plot plot{"One unit alone", "cells along the edge of the domain", "edge",
            points_of_sizes(session, edges, args.precision, args.steps),
            record_header("asterism-fdtd plot", argc, argv, session)};
  take(args, plot, line);
  return plot;
}

Plot plot_of_shares(const PlotArguments& args, int argc, char** argv, ProgressLine& line) {
  const std::vector<double> of_gpus = shares("--shares", args.shares);
  const Problem problem = benchmark_problem(triple("--size", args.size), args.precision);
  SessionOptions options = args.session;
  if (uses_gpus(options) && args.bricks_per_gpu > 1) options.streams = 2;  // as the solver itself
  const Session session(options);
  Plot plot{fmt::format("One domain of {} x {} x {} cells", problem.cells[0], problem.cells[1], problem.cells[2]),
            "share of GPUs, %", "gpu_share_percent",
            points_of_shares(session, problem, of_gpus, args.bricks_per_gpu, args.steps),
            record_header("asterism-fdtd plot", argc, argv, session)};
  take(args, plot, line);
  return plot;
}

Plot plot_of_units(const PlotArguments& args, int argc, char** argv, ProgressLine& line) {
  SessionOptions options = args.session;
  choose_farm_scheduler(options);
  const Problem problem = benchmark_problem(triple("--size", args.size), args.precision);
  Plot plot{fmt::format("Farm of {} domains of {} x {} x {} cells", args.domains, problem.cells[0], problem.cells[1],
                        problem.cells[2]),
            "CPU workers",
            "cpu_workers",
            points_of_units(options, problem, cpu_workers(args), gpu_streams(args), args.domains, args.steps),
            {}};
  {
    const Session session(options);
    plot.record = record_header("asterism-fdtd plot", argc, argv, session);
    plot.title += ", " + session.scheduler();
  }
  take(args, plot, line);
  return plot;
}

struct Spread {
  double median, least, largest;  ///< Mcells/s
};
Spread spread_of(const PlotPoint& point) {
  const auto [least, largest] = std::minmax_element(point.cells_per_second.begin(), point.cells_per_second.end());
  return {median(point.cells_per_second) * 1e-6, *least * 1e-6, *largest * 1e-6};
}

void write_table(const std::string& path, const Plot& plot) {
  OutputFile file(path);
  file.write(
      fmt::format("line,{},repetitions,mcells_median,mcells_least,mcells_largest,gflops_median\n", plot.x_column));
  for (const PlotPoint& p : plot.points) {
    const Spread s = spread_of(p);
    file.write(fmt::format("\"{}\",{:.10g},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", p.line, p.x, p.cells_per_second.size(),
                           s.median, s.least, s.largest, s.median * p.flops_per_cell * 1e-3));
  }
  file.commit();
}

void draw(const std::string& path, const PlotArguments& args, const Plot& plot) {
  output::Chart chart{fmt::format("{}, {} precision", plot.title, name_of(args.precision)),
                      plot.x_label,
                      fmt::format("Mcells/s (median and range of {})", args.repetitions),
                      {}};
  for (const PlotPoint& p : plot.points) {
    if (chart.lines.empty() || chart.lines.back().name != p.line) chart.lines.push_back({p.line, {}});
    const Spread s = spread_of(p);
    chart.lines.back().points.push_back({p.x, s.median, s.least, s.largest});
  }
  for (output::ChartLine& line : chart.lines)
    std::stable_sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  output::write_chart(path, chart);
}

int measure_and_write(int argc, char** argv) {
  PlotArguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  Plot plot;
  {
    ProgressLine line(!args.quiet);
    const auto plotter = args.plotter == "size"  ? plot_of_sizes
                         : args.plotter == "mix" ? plot_of_shares
                                                 : plot_of_units;
    plot = plotter(args, argc, argv, line);
  }
  write_table(args.output + ".csv", plot);
  draw(args.output + ".png", args, plot);
  plot.record["plot"] = {{"plotter", args.plotter},
                         {"x", plot.x_label},
                         {"steps", args.steps},
                         {"repetitions", args.repetitions},
                         {"precision", name_of(args.precision)}};
  plot.record["points"] = json::array();
  for (const PlotPoint& p : plot.points) {
    const Spread s = spread_of(p);
    plot.record["points"].push_back({{"line", p.line},
                                     {"x", p.x},
                                     {"mcells", s.median},
                                     {"gflops", s.median * p.flops_per_cell * 1e-3},
                                     {"cells_per_second", p.cells_per_second}});
    fmt::print("  {}, {:.6g}: {:.5g} Mcells/s ({:.5g} to {:.5g})\n", p.line, p.x, s.median, s.least, s.largest);
  }
  if (!args.json.empty()) write_json(args.json, plot.record);
  for (const std::string& name : {args.output + ".csv", args.output + ".png", args.json})
    if (!name.empty()) fmt::print("wrote {}\n", name);
  return 0;
}

}  // namespace

int plot_command(int argc, char** argv) {
  return run("asterism-fdtd plot", [&] { return measure_and_write(argc, argv); });
}

}  // namespace asterism::apps::fdtd
