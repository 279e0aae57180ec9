// SPDX-License-Identifier: Apache-2.0
#include "schedulers/schedule_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace asterism::schedulers {

ScheduleFile read_schedule_file(const std::string& path) {
  ScheduleFile file;
  std::ifstream in(path);
  const auto wrong = [&](long line, const std::string& what) {
    return ScheduleFile{{}, path + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what};
  };
  if (!in) return wrong(0, std::string("cannot be read: ") + std::strerror(errno));
  struct Record {
    std::optional<long> order, worker, priority;
  };
  std::vector<std::pair<long, ScheduledTask>> found;
  Record record;
  std::string text;
  long line = 0;
  for (bool more = true; more;) {
    more = static_cast<bool>(std::getline(in, text));
    if (!more) text.clear();
    ++line;
    if (text.empty()) {
      if (record.order && !record.worker) return wrong(line, "expected SpecificWorker in the record that ends here");
      if (record.order)
        found.push_back(
            {*record.order, {static_cast<int>(*record.worker), static_cast<int>(record.priority.value_or(0))}});
      record = {};
      continue;
    }
    for (const auto& [field, value] : {std::pair<const char*, std::optional<long>*>{"SubmitOrder: ", &record.order},
                                       {"SpecificWorker: ", &record.worker},
                                       {"Priority: ", &record.priority}}) {
      if (text.rfind(field, 0) != 0) continue;
      long number = 0;
      const char* const begin = text.data() + std::strlen(field);
      const char* const end = text.data() + text.size();
      const auto read = std::from_chars(begin, end, number);
      if (read.ec != std::errc() || read.ptr != end || number > 2147483647 || number < -2147483647)
        return wrong(line, "expected a whole number after " + std::string(field) + ", found '" + begin + "'");
      *value = number;
    }
  }
  if (found.empty()) return wrong(0, "no record with SubmitOrder");
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].first == found[i - 1].first)
      return wrong(0, "two records have SubmitOrder " + std::to_string(found[i].first));
    file.tasks.push_back(found[i].second);
  }
  return file;
}

}  // namespace asterism::schedulers
