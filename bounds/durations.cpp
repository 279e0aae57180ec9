// SPDX-License-Identifier: Apache-2.0
#include "bounds/durations.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace asterism::bounds {

Aggregate parse_aggregate(const std::string& text) {
  if (text == "mean") return Aggregate::mean;
  if (text == "median") return Aggregate::median;
  if (text == "min") return Aggregate::minimum;
  bad_input("aggregate '{}': expected mean, median or min", text);
}

const std::string& symbol_of(const traces::Codelet& codelet) {
  return codelet.model.empty() ? codelet.name : codelet.model;
}

std::size_t Durations::Hash::operator()(const Key& key) const noexcept {
  const std::hash<std::string> hash;
  return hash(key.symbol) ^ (hash(key.kind) * 31) ^ (static_cast<std::size_t>(key.footprint) * 0x9e3779b97f4a7c15U);
}

void Durations::rate(const std::string& symbol, const std::string& kind, double flops_per_second) {
  double& best = best_.try_emplace({symbol, kind}, 0).first->second;
  best = std::max(best, flops_per_second);
}

void Durations::add(const traces::Recording& r, Source source, std::optional<std::uint32_t> rank) {
  static const std::string unnamed = "(no codelet)";
  // Tasks of a class often follow each other: the last slot is looked at first.
  Samples* slot = nullptr;
  std::uint32_t codelet = 0;
  std::uint32_t footprint = 0;
  std::uint32_t kind = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> best;
  for (const traces::Task& t : r.tasks) {
    if (!t.executed() || (rank && t.rank != *rank)) continue;
    const double seconds = t.duration();
    if (!(seconds >= 0))
      bad_input("{}: job {} ({}): starts at {} s and ends at {} s", r.name, t.id, r.codelet_name(t), t.start, t.end);
    const std::uint32_t its_kind = r.units[t.unit].kind;
    if (slot == nullptr || codelet != t.codelet || footprint != t.footprint || kind != its_kind) {
      codelet = t.codelet;
      footprint = t.footprint;
      kind = its_kind;
      const std::string& symbol = codelet == traces::none ? unnamed : symbol_of(r.codelets[codelet]);
      slot = &table_[{symbol, r.kinds[kind].name, footprint}][static_cast<std::size_t>(source)];
    }
    slot->seconds.push_back(seconds);
    if (t.flops > 0) {
      double& rate_of_kind = best[{codelet, kind}];
      rate_of_kind = std::max(rate_of_kind, t.flops / seconds);
    }
  }
  for (const auto& [key, value] : best)
    rate(key.first == traces::none ? unnamed : symbol_of(r.codelets[key.first]), r.kinds[key.second].name, value);
}

void Durations::add(const traces::PlatformRec& platform, const traces::Recording* of) {
  for (const traces::Timing& t : platform.timings) {
    if (t.samples == 0) continue;
    const std::string kind = of == nullptr ? traces::kind_of_architecture(t.architecture)
                                           : traces::kind_of_architecture(t.architecture, *of);
    Samples& s = table_[{t.model, kind, t.footprint}][static_cast<std::size_t>(Source::models)];
    const double mean = t.mean * 1e-6;
    const double deviation = t.deviation * 1e-6;
    const auto n = static_cast<double>(t.samples);
    s.minimum = s.count == 0 ? mean : std::min(s.minimum, mean);
    s.count += t.samples;
    s.sum += n * mean;
    s.squares += n * (deviation * deviation + mean * mean);
    if (t.flops && *t.flops > 0) rate(t.model, kind, *t.flops / mean);
  }
}

Estimate Durations::estimate(const Samples& s, Aggregate aggregate) {
  Estimate e;
  if (s.seconds.empty()) {
    const auto n = static_cast<double>(s.count);
    const double mean = s.sum / n;
    e.count = s.count;
    e.minimum = s.minimum;
    e.deviation = std::sqrt(std::max(0.0, s.squares / n - mean * mean));
    e.seconds = aggregate == Aggregate::minimum ? s.minimum : mean;
    return e;
  }
  const auto n = static_cast<double>(s.seconds.size());
  double sum = 0;
  for (const double t : s.seconds) sum += t;
  const double mean = sum / n;
  double squares = 0;
  for (const double t : s.seconds) squares += (t - mean) * (t - mean);
  e.count = s.seconds.size();
  e.minimum = *std::min_element(s.seconds.begin(), s.seconds.end());
  e.deviation = std::sqrt(squares / n);
  if (aggregate == Aggregate::median) {
    std::vector<double> sorted = s.seconds;
    std::sort(sorted.begin(), sorted.end());
    e.seconds = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  } else {
    e.seconds = aggregate == Aggregate::minimum ? e.minimum : mean;
  }
  return e;
}

std::optional<Estimate> Durations::find(const std::string& symbol, std::uint32_t footprint, const std::string& kind,
                                        const DurationOptions& options) const {
  const auto found = table_.find({symbol, kind, footprint});
  if (found == table_.end()) return std::nullopt;
  for (const Source source : options.order) {
    const Samples& samples = found->second[static_cast<std::size_t>(source)];
    if (samples.seconds.empty() && samples.count == 0) continue;
    Estimate e = estimate(samples, options.aggregate);
    e.source = source;
    return e;
  }
  return std::nullopt;
}

std::optional<double> Durations::best_rate(const std::string& symbol, const std::string& kind) const {
  const auto found = best_.find({symbol, kind});
  return found == best_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Durations::kinds() const {
  std::set<std::string> kinds;
  for (const auto& [key, samples] : table_) kinds.insert(key.kind);
  return {kinds.begin(), kinds.end()};
}

Rates read_rates(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) bad_input("{}: cannot be opened for reading", path.string());
  if (!std::filesystem::is_regular_file(path)) bad_input("{}: is not a regular file; expected rates", path.string());
  Rates rates;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (line.empty()) continue;
    const std::size_t first = line.find(',');
    const std::size_t second = first == std::string::npos ? first : line.find(',', first + 1);
    double value = 0;
    std::from_chars_result end{line.data(), std::errc::invalid_argument};
    if (second != std::string::npos) {
      std::size_t digits = second + 1;
      while (digits < line.size() && line[digits] == ' ') ++digits;
      end = std::from_chars(line.data() + digits, line.data() + line.size(), value);
    }
    if (end.ec != std::errc() || end.ptr != line.data() + line.size() || !(value > 0) || std::isinf(value)) {
      if (number == 1 && line == "codelet,kind,flop/s") continue;
      bad_input("{}:{}: found '{}', expected 'codelet,kind,flop/s' with a rate > 0", path.string(), number, line);
    }
    rates[{line.substr(0, first), line.substr(first + 1, second - first - 1)}] = value;
  }
  if (rates.empty()) bad_input("{}: holds no rate; expected lines 'codelet,kind,flop/s'", path.string());
  return rates;
}

}  // namespace asterism::bounds
