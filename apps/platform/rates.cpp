// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/rates.hpp"

#include <fmt/format.h>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "runtime/machine/known_rates.hpp"

namespace asterism::apps::platform {
namespace {

std::string file_of(const KnownRates& rates) {
  return rates.file().empty() ? "none: rates are not kept" : rates.file().string();
}

}  // namespace

int show_rates() {
  const KnownRates rates = known_rates();
  const RatedMachine& machine = rates.machine();
  std::vector<std::pair<std::string, std::string>> rows = {
      {"host", machine.host}, {"cores", fmt::format("{} of {}", machine.cores, machine.processor)}};
  for (const std::string& gpu : machine.gpus) rows.emplace_back("GPU", gpu);
  if (!machine.gpus.empty())
    rows.emplace_back("driver", fmt::format("{}, CUDA runtime {}", machine.driver, machine.runtime));
  rows.emplace_back("version", machine.version);
  rows.emplace_back("file", file_of(rates));
  for (const auto& [name, value] : rates.all()) rows.emplace_back(name, fmt::format("{:.1e}", value));
  if (rates.all().empty()) rows.emplace_back("rates", "none yet: programs measure what they need and keep it");
  print_table(rows);
  return 0;
}

int forget_rates() {
  KnownRates rates = known_rates();
  const std::size_t count = rates.all().size();
  if (!rates.forget()) failed("{}: cannot be written", rates.file().string());
  fmt::print("{} rates of this machine forgotten ({})\n", count, file_of(rates));
  return 0;
}

}  // namespace asterism::apps::platform
