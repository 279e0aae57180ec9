// SPDX-License-Identifier: Apache-2.0
// Pieces of an arena as StarPU data: written by tasks in any order, read as one vector without a copy, their
// memory given back. Every test starts StarPU anew, as programs that measure several configurations do.
#include "runtime/codelet.hpp"
#include "runtime/memory/arena.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"

namespace asterism {
namespace {

constexpr unsigned limit_seconds = 60;  ///< a hang ends the program

/// piece[k] = first + k
struct WriteArgs {
  double first;
};
void write_task(void** buffers, void* arguments) {
  const auto& args = *static_cast<const WriteArgs*>(arguments);
  double* elements = elements_of(buffers[0]);
  for (std::size_t k = 0; k < count_of(buffers[0]); ++k) elements[k] = args.first + static_cast<double>(k);
}

/// piece *= 2
void double_task(void** buffers, void* /*arguments*/) {
  double* elements = elements_of(buffers[0]);
  for (std::size_t k = 0; k < count_of(buffers[0]); ++k) elements[k] *= 2;
}

/// What a task that reads several pieces sees of them.
struct Seen {
  std::vector<const double*> elements;
  std::vector<const double*> window;
  std::vector<std::size_t> count;
  std::vector<double> values;  ///< of the window
};
struct ReadArgs {
  Seen* seen;
  int buffers;
  std::size_t length;  ///< of the window to copy, 0 none
};
void read_task(void** buffers, void* arguments) {
  const auto& args = *static_cast<const ReadArgs*>(arguments);
  for (int i = 0; i < args.buffers; ++i) {
    args.seen->elements.push_back(elements_of(buffers[i]));
    args.seen->window.push_back(window_of(buffers[i]));
    args.seen->count.push_back(count_of(buffers[i]));
  }
  args.seen->values.assign(args.seen->window[0], args.seen->window[0] + args.length);
}

Codelet writing({.name = "test_write", .variant = "", .cpu = write_task, .cuda = nullptr});
Codelet doubling({.name = "test_double", .variant = "", .cpu = double_task, .cuda = nullptr});
Codelet reading({.name = "test_read", .variant = "", .cpu = read_task, .cuda = nullptr});

class ArenaTest : public testing::Test {
 protected:
  ArenaTest() {
    alarm(limit_seconds);
    setenv("STARPU_WORKERS_NOBIND", "1", 0);
    SessionOptions options;
    options.cpus = 2;
    options.gpus = 0;
    session_ = std::make_unique<Session>(options);
  }
  ~ArenaTest() override {
    session_.reset();
    alarm(0);
  }

  static Seen read(const std::vector<Handle>& pieces, std::size_t length) {
    Seen seen;
    std::vector<Access> accesses;
    for (const Handle& piece : pieces) accesses.push_back({piece, STARPU_R});
    submit(reading, ReadArgs{&seen, static_cast<int>(pieces.size()), length}, accesses);
    starpu_task_wait_for_all();
    return seen;
  }

  std::unique_ptr<Session> session_;
};

std::vector<double> counted(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST_F(ArenaTest, PiecesWrittenByTasksAreOneVector) {
  const std::vector<std::size_t> sizes{5, 1, 32, 7, 100};
  const std::size_t n = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  Arena arena(n);
  EXPECT_EQ(arena.size(), n);
  std::vector<Handle> pieces;
  std::size_t offset = 0;
  std::vector<std::size_t> offsets;
  for (const std::size_t size : sizes) {
    offsets.push_back(offset);
    pieces.push_back(arena.piece(offset, size, "piece", {}));
    offset += size;
  }
  for (const std::size_t k : {3U, 0U, 4U, 1U, 2U})  // the order of writing does not matter
    submit(writing, WriteArgs{static_cast<double>(offsets[k])}, {{pieces[k], STARPU_W}});
  const Seen seen = read(pieces, n);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    EXPECT_EQ(seen.window[k], seen.window[0]);
    EXPECT_EQ(seen.elements[k], seen.window[0] + offsets[k]);
    EXPECT_EQ(seen.count[k], sizes[k]);
  }
  EXPECT_EQ(seen.values, counted(n));
}

TEST_F(ArenaTest, TheHostSeesAPieceInItsPlace) {
  Arena arena(30);
  std::vector<Handle> pieces;
  for (std::size_t k = 0; k < 3; ++k) pieces.push_back(arena.piece(10 * k, 10, "piece", {}));
  for (std::size_t k = 0; k < 3; ++k)
    submit(writing, WriteArgs{10.0 * static_cast<double>(k)}, {{pieces[k], STARPU_W}});
  submit(doubling, 0, {{pieces[1], STARPU_RW}});
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(starpu_data_acquire(pieces[k], STARPU_R), 0);
    const auto* values = static_cast<const double*>(starpu_data_handle_to_pointer(pieces[k], STARPU_MAIN_RAM));
    for (std::size_t i = 0; i < 10; ++i)
      EXPECT_EQ(values[i], (k == 1 ? 2 : 1) * static_cast<double>(10 * k + i)) << k << ", " << i;
    EXPECT_EQ(starpu_data_get_size(pieces[k]), 80U);
    starpu_data_release(pieces[k]);
  }
}

TEST_F(ArenaTest, PlainVectorsLookTheSame) {
  std::vector<double> memory = counted(12);
  Seen seen;
  const Handle plain = Handle::vector(memory.data(), memory.size(), sizeof(double), "plain");
  submit(reading, ReadArgs{&seen, 1, 12}, {{plain, STARPU_R}});
  starpu_task_wait_for_all();
  EXPECT_EQ(seen.elements[0], memory.data());
  EXPECT_EQ(seen.window[0], memory.data());
  EXPECT_EQ(seen.count[0], 12U);
}

// StarPU 1.4 has no function that returns a name
TEST_F(ArenaTest, Coordinates) {
  Arena arena(10);
  const Handle a = arena.piece(0, 4, "p[0]", {3, 5});
  const Handle b = arena.piece(4, 6, "p[0<-7]", {7, 0});
  int where[2] = {-1, -1};
  EXPECT_EQ(starpu_data_get_coordinates_array(a, 2, where), 2U);
  EXPECT_EQ(where[0], 3);
  EXPECT_EQ(where[1], 5);
  EXPECT_EQ(starpu_data_get_coordinates_array(b, 2, where), 2U);
  EXPECT_EQ(where[0], 7);
  EXPECT_EQ(where[1], 0);
}

TEST_F(ArenaTest, PiecesMustLieInside) {
  Arena arena(10);
  for (const auto& [offset, elements] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 11}, {10, 1}, {9, 2}, {50, 1}})
    try {
      const Handle piece = arena.piece(offset, elements, "outside", {});
      ADD_FAILURE() << offset << " + " << elements;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("'outside'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("10 elements"), std::string::npos) << error.what();
    }
  const Handle last = arena.piece(9, 1, "last", {});
  EXPECT_EQ(starpu_data_get_size(last), sizeof(double));
}

/// Resident memory of this process in bytes.
double resident() {
  long pages = 0;
  long shared = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &shared, &pages) != 2) pages = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

TEST_F(ArenaTest, MemoryIsReservedOnceAndGivenBack) {
  constexpr std::size_t n = 1 << 22;  // 32 MiB
  constexpr double bytes = n * sizeof(double);
  Arena arena(n);
  double before = 0;
  for (int round = 0; round < 40; ++round) {  // 1.3 GB if it leaked
    std::vector<Handle> pieces;
    for (std::size_t k = 0; k < 8; ++k) pieces.push_back(arena.piece(k * n / 8, n / 8, "piece", {}));
    for (std::size_t k = 0; k < 8; ++k)
      submit(writing, WriteArgs{static_cast<double>(k * n / 8)}, {{pieces[k], STARPU_W}});
    const Seen seen = read(pieces, 1);
    EXPECT_EQ(seen.elements[7], seen.window[0] + 7 * n / 8);
    pieces.clear();
    if (round == 0) before = resident();
  }
  EXPECT_GT(before, 0);
  EXPECT_LT(resident(), before + 3 * bytes);
}

TEST_F(ArenaTest, StaysWhileOnePieceStays) {
  Arena arena(20);
  Handle kept = arena.piece(10, 10, "kept", {});
  {
    const Handle gone = arena.piece(0, 10, "gone", {});
    submit(writing, WriteArgs{0}, {{gone, STARPU_W}});
    submit(writing, WriteArgs{10}, {{kept, STARPU_W}});
  }
  std::vector<Handle> pieces;
  pieces.push_back(arena.piece(0, 10, "again", {}));
  submit(writing, WriteArgs{0}, {{pieces[0], STARPU_W}});
  pieces.push_back(std::move(kept));
  EXPECT_EQ(read(pieces, 20).values, counted(20));
}

TEST_F(ArenaTest, ManyRegistrations) {
  std::mt19937 generator(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + generator() % 500;
    Arena arena(n);
    std::vector<Handle> pieces;
    std::vector<std::size_t> offsets;
    for (std::size_t offset = 0; offset < n;) {
      const std::size_t size = std::min<std::size_t>(1 + generator() % 20, n - offset);
      pieces.push_back(arena.piece(offset, size, "p" + std::to_string(offset), {static_cast<int>(pieces.size()), 0}));
      offsets.push_back(offset);
      offset += size;
    }
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      submit(writing, WriteArgs{static_cast<double>(offsets[k]) / 2}, {{pieces[k], STARPU_W}});
      if (k % 2 == 0) submit(doubling, 0, {{pieces[k], STARPU_RW}});
    }
    std::vector<double> expected(n);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const std::size_t end = k + 1 < offsets.size() ? offsets[k + 1] : n;
      for (std::size_t i = offsets[k]; i < end; ++i)
        expected[i] =
            (static_cast<double>(offsets[k]) / 2 + static_cast<double>(i - offsets[k])) * (k % 2 == 0 ? 2 : 1);
    }
    ASSERT_EQ(read(pieces, n).values, expected) << "round " << round;  // up to some hundred buffers
  }
}

TEST_F(ArenaTest, SurvivesARestartOfStarPU) {
  for (int round = 0; round < 2; ++round) {
    {
      Arena arena(8);
      std::vector<Handle> pieces;
      pieces.push_back(arena.piece(0, 8, "piece", {}));
      submit(writing, WriteArgs{0}, {{pieces[0], STARPU_W}});
      EXPECT_EQ(read(pieces, 8).values, counted(8));
    }
    session_.reset();
    SessionOptions options;
    options.cpus = 1;
    options.gpus = 0;
    session_ = std::make_unique<Session>(options);
  }
}

TEST_F(ArenaTest, UnusedPiecesCostNothing) {
  Arena arena(std::size_t{1} << 40);  // 8 TiB, never reserved
  std::vector<Handle> pieces;
  for (std::size_t k = 0; k < 100; ++k) pieces.push_back(arena.piece(k << 20, 1 << 20, "unused", {}));
  pieces.clear();
  EXPECT_EQ(arena.size(), std::size_t{1} << 40);
}

}  // namespace
}  // namespace asterism
