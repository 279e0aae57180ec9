// SPDX-License-Identifier: Apache-2.0
#include "apps/common/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "apps/common/files.hpp"
#include "apps/common/help.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "base/wall_clock.hpp"
#include "io/output_file.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/ending/sudden_end.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/ranks/rank_exchange.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps {
namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool& ended() {
  static bool value = false;
  return value;
}

/// One line, of rank 0 alone when all ranks have failed; a rank that fails by itself ends the others.
int report(const char* program, int status, const std::string& what, const char* kind = "error: ") {
  const RankGroup* ranks = nullptr;
  try {
    ranks = &rank_group();
  } catch (const Error&) {  // that is what went wrong
  }
  const bool together = ranks == nullptr || ranks->all_have_failed();
  if (!together)
    fmt::print(stderr, "{}: {}rank {}: {}\n", program, kind, ranks->rank(), one_line(what));
  else if (ranks == nullptr || ranks->is_root())
    fmt::print(stderr, "{}: {}{}\n", program, kind, one_line(what));
  if (ranks != nullptr) ranks->expect_the_end();
  if (!together || (ranks != nullptr && simulated_cluster())) ranks->abort(status);
  return status;
}

int status_of(const char* program, const std::function<int()>& body) {
  try {
    const int status = body();
    rank_group().expect_the_end();
    return status;
  } catch (const Stopped& stopped) {
    return report(program, stopped.exit_status(), stopped.what(), "");
  } catch (const Error& error) {
    return report(program, error.exit_status(), error.what());
  } catch (const std::bad_alloc&) {
    return report(program, 1, "out of memory");
  } catch (const std::exception& error) {
    return report(program, 1, error.what());
  }
}

}  // namespace

int run(const char* program, const std::function<int()>& body) {
  end_in_one_line(program);
  handle_stop_signals();
  // CUDA has 8 hardware queues unless told: a copy to another GPU would wait for a kernel of another stream.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  const int status = status_of(program, body);
  ended() = true;
  return status;
}

bool has_ended() {
  return ended();
}

namespace {

/// CLI11 2.1 never ends when an option that it does not know follows an empty argument.
void refuse_empty_arguments(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (*argv[i] == '\0')
      bad_input("the argument after {} is empty; expected an option or its value",
                i == 1 ? "the program's name" : argv[i - 1]);
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  refuse_empty_arguments(argc, argv);
  if (app.get_config_ptr() != nullptr) check_config(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return rank_group().is_root() ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    if (rank_group().is_root())
      fmt::print(stderr, "{}: error: {} (see --help)\n", app.get_name(), one_line(complaint(app, error)));
    return 2;
  }
  check_numbers(app);
  check_files(app);
  return std::nullopt;
}

void write_json(const std::filesystem::path& path, const nlohmann::json& record) {
  if (!rank_group().is_root()) return;
  OutputFile file(path);
  file.write(record.dump(1) + "\n");
  file.commit();
}

void refuse_over_ranks(bool wanted, const char* option) {
  if (wanted && rank_group().distributed())
    bad_input("{}: not over several processes yet; this run has {}", option, rank_group().ranks());
}

nlohmann::json ranks_record(double seconds) {
  struct Rank {
    Submitted submitted;
    double seconds;
  };
  nlohmann::json record = nlohmann::json::array();
  for (const Rank& rank : rank_group().all_gather(Rank{submitted(), seconds}))
    record.push_back({{"tasks", rank.submitted.tasks},
                      {"tasks_walked", rank.submitted.walked},
                      {"messages_sent", rank.submitted.messages},
                      {"bytes_sent", rank.submitted.bytes},
                      {"seconds", rank.seconds}});
  return record;
}

std::pair<std::string, std::string> ranks_row(const nlohmann::json& record) {
  double bytes = 0;
  double most = 0;
  for (const auto& rank : record) {
    bytes += rank["bytes_sent"].get<double>();
    most = std::max(most, rank["tasks_walked"].get<double>());
  }
  return {"ranks", fmt::format("{} processes, {:.3g} bytes sent, at most {:.0f} tasks looked at by one", record.size(),
                               bytes, most)};
}

void require_writable(const std::string& option, const std::filesystem::path& path) {
  if (path.empty()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path)) bad_input("{} {}: is a folder; expected a file", option, path.string());
  if (std::filesystem::is_other(path, ignored))
    bad_input("{} {}: is a device, a pipe or a socket; expected a new or a regular file", option, path.string());
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder))
    bad_input("{} {}: there is no folder {}", option, path.string(), folder.string());
  if (access(folder.c_str(), W_OK) != 0) bad_input("{} {}: the folder cannot be written to", option, path.string());
}

std::string command_line(const char* program, int argc, char** argv) {
  std::string command = program;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    command += " " + (argument.starts_with('/') ? argument.substr(argument.rfind('/') + 1) : argument);
  }
  return command;
}

nlohmann::json record_header(const char* program, const std::string& command) {
  nlohmann::json record;
  record["program"] = program;
  record["version"] = version();
  record["command"] = command;
  const std::time_t time = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  record["date"] = date;
  const Machine machine = this_machine();
  record["machine"] = {{"processor", machine.processor},
                       {"cores", machine.cores},
                       {"numa_nodes", machine.numa_nodes},
                       {"memory_bytes", machine.memory_bytes}};
  if (const Platform* platform = simulated_platform())
    record["simulated"] = {{"platform", platform->name}, {"description", platform->description}};
  int major = 0;
  int minor = 0;
  int release = 0;
  starpu_get_version(&major, &minor, &release);
  record["starpu"] = {{"version", fmt::format("{}.{}.{}", major, minor, release)}};
  return record;
}

nlohmann::json record_header(const char* program, int argc, char** argv, const Session& session) {
  nlohmann::json record = record_header(program, command_line(program, argc, argv));
  record["starpu"]["scheduler"] = session.scheduler();
  record["starpu"]["cpu_workers"] = session.cpus();
  record["starpu"]["cuda_workers"] = session.gpus();
  std::vector<std::string> names;
  for (const Unit& unit : session.units())
    if (unit.gpu) names.push_back(unit.name);
  record["starpu"]["gpus"] = names;
  nlohmann::json environment = nlohmann::json::object();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if ((text.starts_with("STARPU_") || text.starts_with("ASTERISM_CYCLIC")) && !text.starts_with("STARPU_SCHED_LIB"))
      environment[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  environment.erase("STARPU_HOME");
  environment.erase("STARPU_PERF_MODEL_DIR");
  record["starpu"]["environment"] = environment;
  return record;
}

SessionOptions calibration(SessionOptions of_run, const std::string& trace) {
  of_run.calibrate = true;
  of_run.scheduler.reset();
  if (!trace.empty()) of_run.trace = trace + "/calibration";
  return of_run;
}

namespace {

/// When a line was last shown: of the process, as some parts of a program have a line for each of many short steps.
std::atomic<double>& last_line() {
  static std::atomic<double> last = wall_seconds();
  return last;
}

}  // namespace

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && rank_group().is_root()), terminal_(isatty(STDERR_FILENO) == 1) {
  last_line();
}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(double fraction, const std::string& text) {
  if (!enabled_ || wall_seconds() - last_line() < (terminal_ ? 0.1 : 15)) return;
  last_line() = wall_seconds();
  const double share = std::clamp(fraction, 0.0, 1.0);
  if (!terminal_) {
    fmt::print(stderr, "{:.0f} %: {}\n", 100 * share, text);
    return;
  }
  shown_ = true;
  constexpr int width = 30;
  const int done = static_cast<int>(share * width);
  fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(static_cast<std::size_t>(done), '#'),
             std::string(static_cast<std::size_t>(width - done), '.'), text);
  std::fflush(stderr);
}

WaitingLine::WaitingLine(bool enabled, std::string text)
    : WaitingLine(enabled, std::move(text), std::chrono::seconds(isatty(STDERR_FILENO) == 1 ? 1 : 15)) {}

WaitingLine::WaitingLine(bool enabled, std::string text, std::chrono::duration<double> interval)
    : text_(std::move(text)), terminal_(isatty(STDERR_FILENO) == 1) {
  last_line();
  if (enabled && rank_group().is_root())
    thread_ = std::jthread([this, interval](const std::stop_token& stop) { watch(stop, interval); });
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void WaitingLine::watch(const std::stop_token& stop, std::chrono::duration<double> interval) {
  const double begin = wall_seconds();
  std::unique_lock lock(mutex_);
  bool shown = false;
  while (!ended_.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); })) {
    if (wall_seconds() - last_line() < interval.count()) continue;  // a part that counts has said how far it is
    last_line() = wall_seconds();
    fmt::print(stderr, "{}{}: {:.0f} s{}", terminal_ ? "\r\033[K" : "", text_, wall_seconds() - begin,
               terminal_ ? "" : "\n");
    std::fflush(stderr);
    shown = true;
  }
  if (shown && terminal_) fmt::print(stderr, "\r\033[K");
}

void print_table(const std::vector<std::pair<std::string, std::string>>& rows) {
  if (!rank_group().is_root()) return;
  std::size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  for (const auto& [name, value] : rows) fmt::print("  {:<{}}  {}\n", name, width, value);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace asterism::apps
