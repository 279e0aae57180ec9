// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/farm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "apps/common/help.hpp"
#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "apps/fdtd/machine_options.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/balance.hpp"
#include "taskflows/fdtd/farm.hpp"
#include "taskflows/fdtd/verify.hpp"

namespace asterism::apps::fdtd {
namespace {

using namespace asterism::fdtd;
using nlohmann::json;
using Rows = std::vector<std::pair<std::string, std::string>>;

struct FarmArguments {
  std::vector<std::array<int, 3>> sizes;
  int domains = 200;
  FarmOptions farm{validation_steps, 1, 0, false};  ///< window 0: by units and memory
  Precision precision = Precision::double_precision;
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
  add_help(app);
  std::string size = "100", sizes;
  auto* one = app.add_option("--size", size, "Cells of a domain: N or NxMxK")->capture_default_str();
  app.add_option("--sizes", sizes, "Cubes of several sizes in turn instead, A,B,C or FIRST:LAST:STEP")->excludes(one);
  app.add_option("--domains", args.domains,
                 "Number of domains; over several processes each takes as many as its units are fast")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
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
  app.add_flag("--transfers", args.farm.transfers,
               "Fields of a domain come from main memory and go back there, as in the thesis, section 4.6");
  add_precision(app, args.precision);
  add_simulate(add_machine_options(app, args.session), args.platform);
  app.add_option("--json", args.json, "Write a record of the run: options, times, rates, domains of each unit");
  app.add_flag("--verify", args.verify,
               "Compare the sum of Ez of each domain, bit for bit, with that of a run of all units on such a\n"
               "domain, and this with the published sum or a simple solver; exit status 1 when they differ");
  add_quiet(app, args.quiet);
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
    options.precision = args.precision;
    cases.push_back(make_case(options));
    if (args.verify) require_verifiable(cases.back(), args.farm.steps);
  }
  return cases;
}

/// The domains of this rank and what became of them.
struct OwnDomains {
  std::vector<std::size_t> numbers;
  std::vector<FarmAnswer> answers;  ///< in their order
};

/// A domain whose sum of Ez is not what it should be.
struct Wrong {
  std::size_t domain;
  double found;
  double expected;
};

/// Throws Error (failed) naming the first wrong domain of all ranks.
void fail_with_first(std::optional<Wrong> wrong, int domains) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<Wrong> all = rank_group().all_gather(wrong.value_or(Wrong{none, 0, 0}));
  const Wrong& first =
      *std::min_element(all.begin(), all.end(), [](const Wrong& a, const Wrong& b) { return a.domain < b.domain; });
  if (first.domain == none) return;
  if (!std::isfinite(first.found)) failed("domain {}: fields are not finite (NaN or infinite)", first.domain);
  failed("domain {} of {}: sum of Ez {:.17g}, expected {:.17g}", first.domain, domains, first.found, first.expected);
}

/// Every rank verifies its own domains.
void judge(const FarmArguments& args, const std::vector<Case>& cases, const OwnDomains& own, const Session& session,
           json& record, Rows& rows) {
  double worst = 0;
  std::optional<Wrong> wrong;
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
    for (std::size_t n = 0; n < own.numbers.size(); ++n) {
      const std::size_t domain = own.numbers[n];
      if (domain % cases.size() != c || own.answers[n].sums == expected) continue;
      if (!wrong || domain < wrong->domain) wrong = Wrong{domain, own.answers[n].sums[2], expected[2]};
    }
  }
  fail_with_first(wrong, args.domains);
  record["verification"] = {{"domains", args.domains}, {"error_by_allowed", worst}};
  rows.emplace_back("verified", fmt::format("{} domains, bit for bit", args.domains));
}

void check_numbers(const FarmArguments& args, const OwnDomains& own) {
  std::optional<Wrong> wrong;
  for (std::size_t n = own.numbers.size(); n-- > 0;)
    if (!std::isfinite(own.answers[n].sums[2])) wrong = Wrong{own.numbers[n], own.answers[n].sums[2], 0};
  fail_with_first(wrong, args.domains);
}

/// The sum of Ez over all domains in their order: the same bits whoever ran them.
void describe_sum(const OwnDomains& own, json& record) {
  struct Ended {
    std::size_t domain;
    double sum_of_ez;
  };
  std::vector<Ended> mine;
  for (std::size_t n = 0; n < own.numbers.size(); ++n) mine.push_back({own.numbers[n], own.answers[n].sums[2]});
  std::vector<Ended> all = rank_group().collect(std::span<const Ended>(mine));
  std::sort(all.begin(), all.end(), [](const Ended& a, const Ended& b) { return a.domain < b.domain; });
  double sum = 0;
  for (const Ended& domain : all) sum += domain.sum_of_ez;
  record["sum_of_ez"] = sum;
}

/// Domains of each unit; one whose tasks ran on several counts in parts.
void describe_units(const FarmArguments& args, const OwnDomains& own, const Session& session, json& record,
                    Rows& rows) {
  struct UnitDomains {
    char name[128];
    bool gpu;
    double domains;
  };
  std::map<int, double> taken;
  for (const FarmAnswer& answer : own.answers)
    for (const int worker : answer.workers) taken[worker] += 1.0 / args.farm.tasks_per_domain;
  std::vector<UnitDomains> mine;
  for (const Unit& unit : session.units()) {
    mine.push_back({{}, unit.gpu, taken[unit.worker]});
    unit.name.copy(mine.back().name, sizeof mine.back().name - 1);
  }
  record["units"] = json::array();
  rank_group().collect(std::span<const UnitDomains>(mine), [&](int rank, std::span<const UnitDomains> units) {
    for (const UnitDomains& unit : units) {
      record["units"].push_back({{"name", unit.name}, {"gpu", unit.gpu}, {"domains", unit.domains}});
      if (rank_group().distributed()) record["units"].back()["rank"] = rank;
      rows.emplace_back(rank_group().distributed() ? fmt::format("rank {}, {}", rank, unit.name) : unit.name,
                        fmt::format("{:.6g} domains", unit.domains));
    }
  });
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
  rows.emplace_back("rate",
                    fmt::format("{:.5g} Mcells/s, {:.4g} GFlop/s", cells / seconds * 1e-6, flops / seconds * 1e-9));
}

/// Domains of this rank; all of them in one process.
OwnDomains deal(const std::vector<const Problem*>& domains, const Session& session) {
  OwnDomains own;
  std::vector<double> speeds{1};
  if (rank_group().distributed()) {
    speeds.clear();
    KnownRates known = known_rates();
    for (const RankShare& rank : rank_shares(*domains.front(), session, Pieces::domains, std::nullopt, known).ranks)
      speeds.push_back(rank.of_gpus + rank.of_cores);
  }
  const std::vector<int> ranks = deal_domains(domains, speeds);
  for (std::size_t d = 0; d < domains.size(); ++d)
    if (ranks[d] == rank_group().rank()) own.numbers.push_back(d);
  return own;
}

double slowest_rank(double seconds) {
  const std::vector<double> all = rank_group().all_gather(seconds);
  return *std::max_element(all.begin(), all.end());
}

int run_and_report(int argc, char** argv) {
  FarmArguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  args.session.ranks = Ranks::any;
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
    OwnDomains own = deal(domains, session);
    std::vector<const Problem*> own_domains;
    for (const std::size_t d : own.numbers) own_domains.push_back(domains[d]);
    rank_group().barrier();
    const auto begin = Clock::now();
    own.answers = run_farm(own_domains, args.farm, [&](std::size_t ended) {
      const std::size_t all = own_domains.size();
      line.show(static_cast<double>(ended) / static_cast<double>(all), fmt::format("{} of {} domains", ended, all));
    });
    const double seconds = slowest_rank(seconds_since(begin));
    std::vector<std::string> sizes;
    for (const auto& s : args.sizes) sizes.push_back(fmt::format("{}x{}x{}", s[0], s[1], s[2]));
    record["farm"] = {{"sizes", sizes},
                      {"domains", args.domains},
                      {"steps", args.farm.steps},
                      {"tasks_per_domain", args.farm.tasks_per_domain},
                      {"window", args.farm.window},
                      {"transfers", args.farm.transfers},
                      {"precision", name_of(args.precision)}};
    rows.emplace_back("farm", fmt::format("{} domains of {} cells, {} steps, {} precision", args.domains,
                                          fmt::join(sizes, ", "), args.farm.steps, name_of(args.precision)));
    rows.emplace_back(
        "units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session.cpus(), session.devices(), session.scheduler()));
    rows.emplace_back("window", fmt::format("{} domains, {:.4g} MB", args.farm.window,
                                            static_cast<double>(bytes) * args.farm.window * 1e-6));
    if (simulated) rows.insert(rows.begin(), simulated_row());
    describe_units(args, own, session, record, rows);
    if (rank_group().distributed()) record["ranks"] = ranks_record(seconds);
    check_numbers(args, own);
    if (!simulated) describe_sum(own, record);
    if (args.verify) judge(args, cases, own, session, record, rows);
    describe_speed(args, cases, seconds, record, rows);
  }
  print_table(rows);
  if (!args.json.empty()) {
    write_json(args.json, record);
    if (rank_group().is_root()) fmt::print("wrote {}\n", args.json);
  }
  return 0;
}

}  // namespace

int farm_command(int argc, char** argv) {
  return run("asterism-fdtd farm", [&] { return run_and_report(argc, argv); });
}

}  // namespace asterism::apps::fdtd
