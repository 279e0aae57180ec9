#include "apps/fdtd/farm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/fdtd/machine_options.hpp"
#include "apps/fdtd/verify.hpp"
#include "taskflows/fdtd/farm.hpp"
#include "taskflows/runtime/clock.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/simulation.hpp"

namespace asterism::apps::fdtd {
namespace {

using namespace asterism::fdtd;
using nlohmann::json;
using Rows = std::vector<std::pair<std::string, std::string>>;

struct FarmArguments {
  std::vector<std::array<int, 3>> sizes;
  int domains = 200;
  FarmOptions farm{validation_steps, 1, 0};  ///< window 0: by units and memory
  bool single_precision = false;
  SessionOptions session;
  Simulated platform;  ///< to simulate, if any
  std::string json;
  bool verify = false;
  bool quiet = false;
};

std::optional<int> parse_arguments(int argc, char** argv, FarmArguments& args) {
  CLI::App app(
      "Many independent domains, each the thesis' benchmark in one piece, on all units: the farms of Skomedal\n"
      "(Heterogeneous FDTD for Seismic Processing, 2013).\n\n"
      "  asterism-fdtd farm --size 100 --domains 200 --scheduler assignment --verify\n"
      "  asterism-fdtd farm --sizes 80:160:20 --domains 500 --precision single --json farm.json\n",
      "asterism-fdtd farm");
  app.get_formatter()->column_width(44);
  std::string size = "100", sizes;
  auto* one = app.add_option("--size", size, "Cells of a domain: N or NxMxK")->capture_default_str();
  app.add_option("--sizes", sizes, "Instead: cubes of several sizes in turn, A,B,C or FIRST:LAST:STEP")->excludes(one);
  app.add_option("--domains", args.domains, "Number of domains")->check(CLI::Range(1, 10000000))->capture_default_str();
  app.add_option("--steps", args.farm.steps, "Time steps of each")
      ->check(CLI::Range(1L, 1000000000L))
      ->capture_default_str();
  app.add_option("--tasks-per-domain", args.farm.tasks_per_domain,
                 "Tasks that share the steps; between two the scheduler may move a domain")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--window", args.farm.window,
                 "Domains that have memory at a time (default: 4 per unit, in at most half of the main memory)")
      ->check(CLI::Range(1, 1000000));
  add_precision(app, args.single_precision);
  add_simulate(add_machine_options(app, args.session), args.platform);
  app.add_option("--json", args.json, "Write a record of the run: options, times, rates, domains of each unit");
  app.add_flag("--verify", args.verify,
               "Compare the sum of Ez of each domain, bit for bit, with that of a run of all units on such a\n"
               "domain, and this with the published sum or a simple solver; exit status 1 when they differ");
  app.add_flag("--quiet", args.quiet, "No progress line");
  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.platform);
  refuse_when_simulated(args.verify, "--verify");
  if (sizes.empty()) {
    args.sizes = {triple("--size", size)};
  } else {
    for (const int n : whole_numbers("--sizes", sizes, 1)) args.sizes.push_back({n, n, n});
  }
  require_writable("--json", args.json);
  return std::nullopt;
}

/// One case for each size.
std::vector<Case> make_cases(const FarmArguments& args) {
  std::vector<Case> cases;
  for (const std::array<int, 3>& cells : args.sizes) {
    CaseOptions options;
    options.cells = cells;
    options.single_precision = args.single_precision;
    cases.push_back(make_case(options));
    if (args.verify) require_verifiable(cases.back(), args.farm.steps);
  }
  return cases;
}

/// Throws Error (failed) naming the first domain with a wrong answer.
void judge(const FarmArguments& args, const std::vector<Case>& cases, const std::vector<FarmAnswer>& answers,
           const Session& session, json& record, Rows& rows) {
  double worst = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Problem& problem = cases[c].problem;
    const Division division = strips(problem, session, session.cpus() > 0 ? 0 : 1, 1);
    Simulation together(problem, division.bricks, division.placement);
    together.advance(args.farm.steps);
    const std::array<double, 3> expected = together.sums(Field::electric);
    const Verdict verdict = verify(cases[c], together, division, args.farm.steps);
    if (!verdict.right())
      failed("{}: {}: {:.3e}, expected at most {:.1e}", cases[c].describe, verdict.against, verdict.error,
             verdict.allowed);
    worst = std::max(worst, verdict.error / verdict.allowed);
    for (std::size_t d = c; d < answers.size(); d += cases.size())
      if (answers[d].sums != expected)
        failed("domain {} of {}: sum of Ez {:.17g}, expected {:.17g}", d, answers.size(), answers[d].sums[2],
               expected[2]);
  }
  record["verification"] = {{"domains", answers.size()}, {"error_by_allowed", worst}};
  rows.emplace_back("verified", fmt::format("{} domains, bit for bit", answers.size()));
}

void check_numbers(const std::vector<FarmAnswer>& answers) {
  for (std::size_t d = 0; d < answers.size(); ++d)
    if (!std::isfinite(answers[d].sums[2])) failed("domain {}: fields are no numbers any more (NaN or infinite)", d);
}

/// Domains of each unit; one whose tasks ran on several counts in parts.
void describe_units(const FarmArguments& args, const std::vector<FarmAnswer>& answers, const Session& session,
                    json& record, Rows& rows) {
  std::map<int, double> taken;
  for (const FarmAnswer& answer : answers)
    for (const int worker : answer.workers) taken[worker] += 1.0 / args.farm.tasks_per_domain;
  record["units"] = json::array();
  for (const Unit& unit : session.units()) {
    record["units"].push_back({{"name", unit.name}, {"gpu", unit.gpu}, {"domains", taken[unit.worker]}});
    rows.emplace_back(unit.name, fmt::format("{:.6g} domains", taken[unit.worker]));
  }
}

void describe_speed(const FarmArguments& args, const std::vector<Case>& cases, double seconds, json& record,
                    Rows& rows) {
  double cells = 0, flops = 0;
  for (int d = 0; d < args.domains; ++d) {
    const Problem& p = cases[static_cast<std::size_t>(d) % cases.size()].problem;
    cells += cells_of(p) * static_cast<double>(args.farm.steps);
    flops += benchmark_flops(p.cells, args.farm.steps);
  }
  record["seconds"] = seconds;
  record["domains_per_second"] = args.domains / seconds;
  record["mcells"] = cells / seconds * 1e-6;
  record["gflops"] = flops / seconds * 1e-9;
  rows.emplace_back("time", fmt::format("{:.4g} s, {:.4g} domains/s", seconds, args.domains / seconds));
  rows.emplace_back("rate", fmt::format("{:.5g} Mcells/s, {:.4g} GFlop/s by formula (4.1)", cells / seconds * 1e-6,
                                        flops / seconds * 1e-9));
}

int run_and_report(int argc, char** argv) {
  FarmArguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  choose_farm_scheduler(args.session);
  const std::vector<Case> cases = make_cases(args);
  std::vector<const Problem*> domains;
  std::size_t bytes = 0;
  for (int d = 0; d < args.domains; ++d) {
    domains.push_back(&cases[static_cast<std::size_t>(d) % cases.size()].problem);
    bytes = std::max(bytes, field_bytes(*domains.back()));
  }
  json record;
  Rows rows;
  {
    const Session session(args.session);
    record = record_header("asterism-fdtd farm", argc, argv, session);
    if (args.farm.window == 0) args.farm.window = farm_window(session, bytes);
    ProgressLine line(!args.quiet);
    const auto begin = Clock::now();
    const std::vector<FarmAnswer> answers = run_farm(domains, args.farm, [&](std::size_t ended) {
      line.show(static_cast<double>(ended) / args.domains, fmt::format("{} of {} domains", ended, args.domains));
    });
    const double seconds = seconds_since(begin);
    std::vector<std::string> sizes;
    for (const auto& s : args.sizes) sizes.push_back(fmt::format("{}x{}x{}", s[0], s[1], s[2]));
    record["farm"] = {{"sizes", sizes},
                      {"domains", args.domains},
                      {"steps", args.farm.steps},
                      {"tasks_per_domain", args.farm.tasks_per_domain},
                      {"window", args.farm.window},
                      {"precision", args.single_precision ? "single" : "double"}};
    rows.emplace_back(
        "farm", fmt::format("{} domains of {} cells, {} steps, {} precision", args.domains, fmt::join(sizes, ", "),
                            args.farm.steps, args.single_precision ? "single" : "double"));
    rows.emplace_back(
        "units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session.cpus(), session.devices(), session.scheduler()));
    rows.emplace_back("window", fmt::format("{} domains, {:.4g} MB", args.farm.window,
                                            static_cast<double>(bytes) * args.farm.window * 1e-6));
    if (simulated) rows.insert(rows.begin(), simulated_row());
    describe_units(args, answers, session, record, rows);
    check_numbers(answers);
    if (args.verify) judge(args, cases, answers, session, record, rows);
    describe_speed(args, cases, seconds, record, rows);
  }
  print_table(rows);
  if (!args.json.empty()) {
    write_json(args.json, record);
    fmt::print("wrote {}\n", args.json);
  }
  return 0;
}

}  // namespace

int farm_command(int argc, char** argv) {
  return run("asterism-fdtd farm", [&] { return run_and_report(argc, argv); });
}

}  // namespace asterism::apps::fdtd
