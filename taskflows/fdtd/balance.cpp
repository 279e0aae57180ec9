#include "taskflows/fdtd/balance.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "taskflows/runtime/clock.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/output_file.hpp"
#include "taskflows/runtime/simulation.hpp"

namespace asterism::fdtd {
namespace {

using nlohmann::json;

/// Cells of a unit in a measurement: as in the problem, within these.
constexpr double fewest_cells = 32.0 * 32 * 32;
constexpr double most_cells_of_core = 128.0 * 128 * 128;
constexpr double most_cells_of_gpu = 384.0 * 384 * 384;
constexpr long warm_up = 4;
constexpr long sample_steps = 16;
/// A cut is moved when that is to save more than this share of a step.
constexpr double worth_moving = 0.02;

double cells_of_sample(const Problem& problem, bool gpus, int units) {
  const double most = gpus ? most_cells_of_gpu : most_cells_of_core;
  return std::clamp(cells_of(problem) / units, fewest_cells, most);
}

double measure(const Problem& like, const Session& session, bool gpus, int units) {
  const int side = static_cast<int>(std::lround(std::cbrt(cells_of_sample(like, gpus, units))));
  Problem sample;
  sample.cells = {side * units, side, side};
  sample.spacing = like.spacing;
  sample.dt = like.dt;
  sample.single_precision = like.single_precision;
  sample.materials = {{}};
  if (!like.material.empty()) sample.material.assign(static_cast<std::size_t>(cells_of(sample)), 0);
  const Division division = strips(sample, session, gpus ? 1 : 0, 1);
  Simulation simulation(sample, division.bricks, division.placement, best_overlap(sample, division));
  simulation.advance(warm_up);
  starpu_task_wait_for_all();
  const auto begin = Clock::now();
  simulation.advance(sample_steps);
  starpu_task_wait_for_all();
  const double seconds = seconds_since(begin);
  return static_cast<double>(sample_steps) * cells_of(sample) / seconds;
}

/// Machine, units, precision, media, and the power of two next to the cells of a unit.
std::string key_of(const Problem& problem, const Session& session, bool gpus, int units) {
  std::string names;
  for (const Unit& unit : session.units())
    if (unit.gpu && gpus && names.empty())
      names = unit.name.substr(unit.name.find('(') == std::string::npos ? 0 : unit.name.find('('));
  const Machine machine = this_machine();
  return fmt::format(
      "{} | {} | {} | {} | {} | 2^{} cells each", machine.host,
      gpus ? fmt::format("{} x GPU {}", units, names) : fmt::format("{} x core of {}", units, machine.processor),
      problem.single_precision ? "single" : "double", problem.material.empty() ? "vacuum" : "materials",
      gpus ? "strips" : "cores", std::lround(std::log2(cells_of_sample(problem, gpus, units))));
}

json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  json rates = json::parse(stream, nullptr, false);
  return rates.is_object() ? rates : json::object();
}

void keep(const std::filesystem::path& file, const std::string& key, double rate) {
  if (file.empty()) return;
  try {
    std::filesystem::create_directories(file.parent_path());
    json rates = read(file);
    rates[key] = rate;
    OutputFile out(file);
    out.write(rates.dump(1) + "\n");
    out.commit();
  } catch (const std::exception&) {  // measured again the next time
  }
}

double rate_of(const Problem& problem, const Session& session, bool gpus, int units,
               const std::filesystem::path& file) {
  const std::string key = key_of(problem, session, gpus, units);
  if (!file.empty()) {
    const json known = read(file);
    if (const auto found = known.find(key); found != known.end() && found->is_number() && found->get<double>() > 0)
      return found->get<double>();
  }
  const double rate = measure(problem, session, gpus, units);
  keep(file, key, rate);
  return rate;
}

}  // namespace

std::filesystem::path rates_file() {
  if (simulated) return {};  // measured in no time, and of a machine that may be described anew
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "asterism" / "fdtd-rates.json";
  if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache" / "asterism" / "fdtd-rates.json";
  return {};
}

Rates rates_of(const Problem& problem, const Session& session, const std::filesystem::path& file) {
  Rates rates;
  if (session.cpus() > 0) rates.cpus = rate_of(problem, session, false, session.cpus(), file);
  if (session.devices() > 0) rates.gpus = rate_of(problem, session, true, session.devices(), file);
  return rates;
}

void forget_rates(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
}

std::optional<double> better_share(const Problem& problem, double share_now, const Rates& busy, double together,
                                   double gpus_alone) {
  if (gpus_alone > together) return 1;
  const double share = busy.gpu_share();
  if (!(share > 0 && share < 1)) return std::nullopt;
  // the slower kind decides: its part over its rate
  const double slower = std::max(share_now / share, (1 - share_now) / (1 - share));
  const bool worth = slower > 1 + worth_moving && std::abs(share - share_now) * problem.cells[0] >= 1;
  return worth ? std::optional(share) : std::nullopt;
}

}  // namespace asterism::fdtd
