// SPDX-License-Identifier: Apache-2.0
#include "apps/common/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>

#include "base/error.hpp"
#include "base/wall_clock.hpp"

namespace asterism::apps {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int signal) {
  noted = signal;
}

constexpr double grace = 5;  ///< seconds between SIGTERM and SIGKILL
constexpr int tick_milliseconds = 100;

/// NAME=VALUE strings of the child.
std::vector<std::string> environment_of(const Process& process) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    const auto same = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(process.environment.begin(), process.environment.end(), same)) result.push_back(text);
  }
  for (const auto& [name, value] : process.environment)
    if (value) result.push_back(name + "=" + *value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Between fork and exec: only calls that are safe there. Does not return.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, const char* output,
                         const char* errors, pid_t parent, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGINT, &standard, nullptr);
  sigaction(SIGTERM, &standard, nullptr);
  const int none = open("/dev/null", O_RDONLY);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (none >= 0 && out >= 0 && err >= 0 && dup2(none, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(err, STDERR_FILENO) >= 0)
    execve(program, arguments, environment);
  const int reason = errno;
  [[maybe_unused]] const auto written = write(report, &reason, sizeof reason);
  _exit(126);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &termination_before_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &termination_before_, nullptr);
}

int InterruptGuard::signal() noexcept {
  return noted;
}

Outcome run_process(const Process& process, const std::function<void(double)>& tick) {
  std::vector<std::string> command = process.command;
  std::vector<std::string> variables = environment_of(process);
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> environment = pointers(variables);
  const std::string program = find_program(command.front());
  if (program.empty()) bad_input("{}: there is no such program", command.front());

  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) failed("pipe: {}", std::strerror(errno));
  const pid_t self = getpid();
  const double start = wall_seconds();
  const pid_t child = fork();
  if (child == 0)
    become(program.c_str(), arguments.data(), environment.data(), process.output.c_str(), process.errors.c_str(), self,
           report[1]);
  const int fork_error = errno;
  close(report[1]);
  if (child < 0) {
    close(report[0]);
    failed("{}: cannot be started: {}", program, std::strerror(fork_error));
  }
  setpgid(child, child);  // here too: whoever is first
  int reason = 0;
  ssize_t got = 0;
  do got = read(report[0], &reason, sizeof reason);
  while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got == sizeof reason) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    bad_input("{}: cannot be started: {}", program, std::strerror(reason));
  }

  Outcome outcome;
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  double asked = 0;  // when it was told to end
  int status = 0;
  rusage usage = {};
  while (true) {
    pollfd watched = {descriptor, POLLIN, 0};
    if (descriptor >= 0)
      poll(&watched, 1, tick_milliseconds);
    else
      poll(nullptr, 0, 1);  // a kernel older than pidfd_open
    const pid_t ended = wait4(child, &status, WNOHANG, &usage);
    const double elapsed = wall_seconds() - start;
    if (ended == child) {
      outcome.wall = elapsed;
      break;
    }
    if (asked == 0) {
      if (InterruptGuard::signal() != 0)
        outcome.end = Outcome::End::interrupted;
      else if (process.timeout > 0 && elapsed > process.timeout)
        outcome.end = Outcome::End::timed_out;
      if (outcome.end != Outcome::End::exited) {
        asked = elapsed;
        kill(-child, SIGTERM);
      }
    } else if (elapsed > asked + grace) {
      kill(-child, SIGKILL);
    }
    tick(elapsed);
  }
  if (descriptor >= 0) close(descriptor);
  if (outcome.end != Outcome::End::exited) {
    kill(-child, SIGKILL);  // what it left behind
  } else if (WIFSIGNALED(status)) {
    outcome.end = Outcome::End::signalled;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
  outcome.processor = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  outcome.memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

std::filesystem::path find_program(const std::string& name) {
  const auto runnable = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return runnable(name) ? std::filesystem::path(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (!name.empty() && runnable(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

std::string last_lines(const std::filesystem::path& file, std::size_t count) {
  std::deque<std::string> own;
  std::deque<std::string> remarks;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  constexpr std::streamoff most = 1 << 16;
  stream.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(stream.tellg()) - most));
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    std::deque<std::string>& lines = line.starts_with("[starpu]") ? remarks : own;
    lines.push_back(line);
    if (lines.size() > count) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : own.empty() ? remarks : own) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace asterism::apps
