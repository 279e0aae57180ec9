// SPDX-License-Identifier: Apache-2.0
// The five programs and StarPU's sessions, again and again in one process: neither memory, threads nor open files grow.
// RELIABILITY_SECONDS: how long each method runs, with one scheduler after another (default: 4);
// RELIABILITY_SESSIONS: how many sessions there are (default: 100). scripts/faults has the long runs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "apps/cg/run.hpp"
#include "apps/common/driver.hpp"
#include "apps/fdtd/run.hpp"
#include "apps/fmm/run.hpp"
#include "apps/lbm/run.hpp"
#include "apps/tdbem/run.hpp"
#include "runtime/session.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

/// Resident pages and what else a process may lose.
struct Held {
  double megabytes = 0;
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t files = 0;
};

std::ptrdiff_t entries(const char* folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

Held held() {
  long pages = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6, entries("/proc/self/task"),
          entries("/proc/self/fd")};
}

long number(const char* variable, long otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atol(value);
}

const std::array<const char*, 6> schedulers{"lws", "dmdas", "hprio", "eager", "cyclic", "heteroprio"};

/// The C library's arenas hold some tens of megabytes more or less until a hundred turns have made all of them: a short
/// run sees only what grows by megabytes in each turn, the long ones of scripts/faults see kilobytes.
constexpr long settled_rounds = 20;
constexpr double unsettled_megabytes = 100;
constexpr double settled_megabytes = 8;

/// `turn` runs once per scheduler in each round, until `enough(rounds)`. What is held after the first third of the
/// rounds is all there is to hold: a thousand more turns may add a megabyte for each of them at most a thousandth.
void expect_no_growth(const std::function<void(const char*)>& turn, const std::function<bool(long)>& enough) {
  std::vector<Held> after;
  for (long round = 0; round < 3 || !enough(round); ++round) {
    for (const char* const scheduler : schedulers) {
      turn(scheduler);
      if (testing::Test::HasFailure()) return;
    }
    after.push_back(held());
  }
  const Held& early = after[after.size() / 3];
  const Held& late = after.back();
  const auto turns = static_cast<double>((after.size() - after.size() / 3 - 1) * schedulers.size());
  testing::Test::RecordProperty("turns", static_cast<int>(after.size() * schedulers.size()));
  testing::Test::RecordProperty("megabytes_early", static_cast<int>(early.megabytes));
  testing::Test::RecordProperty("megabytes_late", static_cast<int>(late.megabytes));
  const bool settled = static_cast<long>(after.size()) >= 3 * settled_rounds;
  EXPECT_LE(late.megabytes, early.megabytes + (settled ? settled_megabytes : unsettled_megabytes) + 1e-3 * turns)
      << "after " << after.size() << " rounds; " << early.megabytes << " MB after a third of them";
  EXPECT_EQ(late.threads, early.threads);
  EXPECT_EQ(late.files, early.files);
}

struct Method {
  const char* name;
  int (*drive)(int argc, char** argv);
  std::vector<const char*> arguments;
};

std::ostream& operator<<(std::ostream& out, const Method& method) {
  return out << method.name;
}

template <class Run>
int drive(int argc, char** argv) {
  Run run;
  return apps::drive(argv[0], argc, argv, run);
}

class Endurance : public testing::TestWithParam<Method> {
 protected:
  Endurance() {
    fs::create_directories(folder_);
    setenv("STARPU_SILENT", "1", 1);
  }
  ~Endurance() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("asterism_endurance_" + std::to_string(getpid()));
};

/// Standard output goes nowhere.
class Quiet {
 public:
  Quiet() : before_(dup(STDOUT_FILENO)) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    std::fflush(stdout);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
  }
  ~Quiet() {
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    close(before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int before_;
};

TEST_P(Endurance, HoldsNoMoreAfterManyRuns) {
  const std::string checkpoint = (folder_ / "k.h5").string();
  const std::string record = (folder_ / "run.json").string();
  const auto turn = [&](const char* scheduler) {
    std::vector<std::string> words{GetParam().name};
    words.insert(words.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    words.insert(words.end(),
                 {"--cpus", "2", "--scheduler", scheduler, "--checkpoint", checkpoint, "--json", record, "--quiet"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const auto status = [&] {
      const Quiet quiet;
      return GetParam().drive(static_cast<int>(words.size()), argv.data());
    };
    ASSERT_EQ(status(), 0) << scheduler;
  };
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::seconds limit(number("RELIABILITY_SECONDS", 4));
  expect_no_growth(turn, [&](long) { return std::chrono::steady_clock::now() - begin >= limit; });
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Endurance,
    testing::Values(
        Method{"cg", drive<apps::cg::Run>, {"--stencil", "7pts-16", "--blocks", "4", "--flow", "fused", "--verify"}},
        Method{"fmm",
               drive<apps::fmm::Run>,
               {"--particles", "2000", "--charges", "ones", "--accuracy", "3", "--steps", "3", "--dt", "1e-6",
                "--verify"}},
        Method{"lbm", drive<apps::lbm::Run>, {"--size", "24", "--subdomains", "2x2x1", "--steps", "30", "--verify"}},
        Method{"fdtd", drive<apps::fdtd::Run>, {"--size", "24", "--strips", "4", "--steps", "30", "--verify"}},
        Method{"tdbem", drive<apps::tdbem::Run>, {"--unknowns", "42", "--group", "7", "--steps", "60", "--verify"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Sessions, LeaveNothingBehind) {
  const long sessions = number("RELIABILITY_SESSIONS", 100);
  long made = 0;
  const auto turn = [&](const char* scheduler) {
    SessionOptions options;
    options.cpus = 2;
    options.gpus = 0;
    options.scheduler = scheduler;
    const Session session(options);
    std::vector<double> data(64, 1.0);
    starpu_data_handle_t handle = nullptr;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(data.data()), data.size(),
                                sizeof(double));
    ASSERT_EQ(starpu_data_acquire(handle, STARPU_RW), 0);
    starpu_data_release(handle);
    starpu_data_unregister(handle);
    ++made;
  };
  expect_no_growth(turn, [&](long) { return made >= sessions; });
  RecordProperty("sessions", static_cast<int>(made));
}

}  // namespace
}  // namespace asterism
