// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/machine_options.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "apps/common/solver_options.hpp"
#include "base/error.hpp"

namespace asterism::apps::fdtd {
namespace {

constexpr double most_numbers = 1e4;

std::vector<double> numbers_between(std::string_view text, char mark, const std::string& option,
                                    const std::string& whole) {
  std::vector<double> numbers;
  for (;;) {
    const std::string_view part = text.substr(0, text.find(mark));
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || !std::isfinite(value))
      bad_input("{} {}: expected numbers A,B,C or a range FIRST:LAST:STEP", option, whole);
    numbers.push_back(value);
    if (part.size() == text.size()) return numbers;
    text.remove_prefix(part.size() + 1);
  }
}

std::vector<double> list(const std::string& option, const std::string& text) {
  if (text.find(':') == std::string::npos) return numbers_between(text, ',', option, text);
  const std::vector<double> range = numbers_between(text, ':', option, text);
  if (range.size() != 3 || !(range[2] > 0) || !(range[1] >= range[0]) ||
      (range[1] - range[0]) / range[2] >= most_numbers)
    bad_input("{} {}: expected FIRST:LAST:STEP, ascending, of at most {:g} numbers", option, text, most_numbers);
  std::vector<double> numbers;
  const auto steps = static_cast<int>(std::floor((range[1] - range[0]) / range[2] + 1e-9));
  for (int n = 0; n <= steps; ++n) numbers.push_back(range[0] + n * range[2]);
  return numbers;
}

}  // namespace

CLI::Option_group* add_machine_options(CLI::App& app, SessionOptions& session) {
  CLI::Option_group* group = add_machine_group(app);
  add_units(group, session,
            "As STARPU_SCHED: greedy (a free unit fetches a domain), assignment (batches worth\n"
            "ASTERISM_ASSIGNMENT_SECONDS at a unit's best speed), lws, dmdas, ...");
  return group;
}

void choose_farm_scheduler(SessionOptions& session) {
  if (!session.scheduler && std::getenv("STARPU_SCHED") == nullptr) session.scheduler = "greedy";
}

std::vector<int> whole_numbers(const std::string& option, const std::string& text, int least) {
  constexpr double most = 1e6;
  std::vector<int> numbers;
  for (const double value : list(option, text)) {
    if (value != std::floor(value) || value < least || value > most)
      bad_input("{} {}: found {:g}; expected whole numbers from {} on", option, text, value, least);
    numbers.push_back(static_cast<int>(value));
  }
  return numbers;
}

std::vector<double> shares(const std::string& option, const std::string& text) {
  std::vector<double> numbers = list(option, text);
  for (double& value : numbers) {
    if (!(value >= 0 && value <= 1 + 1e-9)) bad_input("{} {}: found {:g}; expected 0 to 1", option, text, value);
    value = std::min(value, 1.0);
  }
  return numbers;
}

}  // namespace asterism::apps::fdtd
