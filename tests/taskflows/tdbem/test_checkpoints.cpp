// SPDX-License-Identifier: Apache-2.0
// States of TD-BEM in files: the same bits, runs that go on from them, and a line that says what is wrong with any
// other file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "taskflows/tdbem/checkpoint.hpp"
#include "taskflows/tdbem/matrices/matrix_file.hpp"
#include "tests/io/series_readers.hpp"
#include "tests/runtime/starpu_environment.hpp"
#include "tests/taskflows/tdbem/files_fixture.hpp"

namespace asterism::tdbem {
namespace {

using TdbemStates = TdbemFiles;

Simulation<double>::Wanted everything(const Problem& p) {
  const Range all{0, static_cast<std::int32_t>(p.surface.vertices.size())};
  return {all, all};
}
template <class T>
typename Simulation<T>::State read(const fs::path& path, const Problem& p, const Method& method) {
  const auto [history, begun] = everything(p);
  return read_checkpoint<T>(path, p, method, {history, begun});
}

template <class T>
typename Simulation<T>::State example_state(const Problem& p, std::int64_t steps, std::int32_t reach, int width) {
  typename Simulation<T>::State s;
  s.steps = steps;
  s.reach = reach;
  s.history.unknowns = s.begun.unknowns = everything(p).history;
  const std::size_t lines = p.waves.size() * p.surface.vertices.size();
  for (std::size_t i = 0; i < lines * static_cast<std::size_t>(reach); ++i)
    s.history.values.push_back(static_cast<T>(std::sin(static_cast<double>(i))));
  for (std::size_t i = 0; i < lines * static_cast<std::size_t>(width); ++i)
    s.begun.values.push_back(static_cast<T>(std::cos(static_cast<double>(i))));
  for (std::size_t i = 0; i < p.waves.size() * p.observers.size() * static_cast<std::size_t>(steps); ++i)
    s.record.push_back(std::sin(0.1 + static_cast<double>(i)));
  s.history.values[3] = -T(0);
  s.begun.values[5] = std::numeric_limits<T>::denorm_min();
  s.history.values[4] = std::numeric_limits<T>::quiet_NaN();
  return s;
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

template <class T>
void expect_state_comes_back(const fs::path& path, const Problem& p, std::int64_t steps) {
  const Method method{4, true, 0};
  const auto state = example_state<T>(p, steps, 17, 8);
  write_checkpoint<T>(path, p, method, state);
  EXPECT_EQ(checkpoint_steps<T>(path, p, method), steps);
  const auto found = read<T>(path, p, method);
  EXPECT_EQ(found.steps, steps);
  EXPECT_EQ(found.reach, 17);
  EXPECT_TRUE(same_bits(found.history.values, state.history.values));
  EXPECT_TRUE(same_bits(found.begun.values, state.begun.values));
  EXPECT_TRUE(same_bits(found.record, state.record));
  // parts of it, and the last values of all
  const auto part = read_checkpoint<T>(path, p, method, {{7, 9}, {30, 42}});
  const auto unknowns = p.surface.vertices.size();
  for (std::size_t w = 0; w < p.waves.size(); ++w) {
    for (std::size_t i = 0; i < std::size_t{2} * 17; ++i)
      EXPECT_EQ(part.history.values[w * 2 * 17 + i], state.history.values[(w * unknowns + 7) * 17 + i]);
    for (std::size_t i = 0; i < std::size_t{12} * 8; ++i)
      EXPECT_EQ(part.begun.values[w * 12 * 8 + i], state.begun.values[(w * unknowns + 30) * 8 + i]);
    for (std::size_t u = 1; u < unknowns; ++u)
      for (std::size_t g = 0; g < 4; ++g)
        EXPECT_EQ(part.last[(w * unknowns + u) * 4 + g], state.history.values[(w * unknowns + u) * 17 + 13 + g]);
  }
}

TEST_F(TdbemStates, StatesComeBackToTheBit) {
  Problem p = files_problem(Boundary::rigid);
  for (const std::int64_t steps : {0, 12}) {
    expect_state_comes_back<double>(path_, p, steps);
    expect_state_comes_back<float>(path_, p, steps);
  }
  p.observers.clear();
  expect_state_comes_back<float>(path_, p, 12);
  std::vector<hsize_t> shape;
  read_dataset<float>(path_, "history", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{2, 42, 17}));
}

/// A run that goes on from a file gives the bits of one that never stopped.
TEST_F(TdbemStates, RunsGoOnFromFiles) {
  const Problem p = files_problem(Boundary::soft);
  const Method method{5, true, 0};
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(folder_ / "m.h5", p, m);
  std::vector<double> expected, observed_pressure;
  {
    Simulation<double> s(p, method, m, Runtime::session());
    for (int group = 0; group < 20; ++group) {
      if (group == 9) write_checkpoint<double>(path_, p, method, s.state());
      s.advance();
    }
    expected = s.solution(99, 1);
    observed_pressure.assign(s.observed_pressure(1, 0), s.observed_pressure(1, 0) + 100);
  }
  Matrices<double> loaded(p, 32);
  load_matrices(folder_ / "m.h5", p, loaded);
  Simulation<double> s(p, method, loaded, Runtime::session());
  s.set(read_checkpoint<double>(path_, p, method, s.wanted()));
  EXPECT_EQ(s.steps(), 45);
  while (s.steps() < 100) s.advance();
  EXPECT_EQ(s.solution(99, 1), expected);
  EXPECT_EQ(std::vector<double>(s.observed_pressure(1, 0), s.observed_pressure(1, 0) + 100), observed_pressure);
  EXPECT_GT(*std::max_element(observed_pressure.begin(), observed_pressure.end()), 1e-3);
}

TEST_F(TdbemStates, StatesOfAnotherRunAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  write_checkpoint<double>(path_, p, method, example_state<double>(p, 12, 17, 4));
  const auto expect_word = [&](const char* word, const Problem& problem, const Method& with) {
    const std::vector<std::string> words = {"a.h5: ", std::string(" ") + word + ": found", ", expected"};
    expect_bad_input([&] { checkpoint_steps<double>(path_, problem, with); }, words);
    expect_bad_input([&] { read<double>(path_, problem, with); }, words);
  };
  for (const auto* changes : {&changes_of_matrices(), &changes_of_run()})
    for (const Change& c : *changes) {
      Problem other = p;
      c.change(other);
      expect_word(c.name, other, method);
    }
  expect_word("group", p, {3, false, 0});
  expect_word("ahead", p, {4, true, 0});
  EXPECT_FALSE(checkpoint_ahead(path_));
  expect_bad_input([&] { read<float>(path_, p, method); }, {"precision: found \"double\", expected \"single\""});
  Problem looser = p;  // what may change
  looser.limits.tolerance = 1e-3;
  looser.solver = Solver::factorisation;
  EXPECT_EQ(checkpoint_steps<double>(path_, looser, {4, false, 96}), 12);
}

TEST_F(TdbemStates, DamagedStatesAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  const auto state = example_state<double>(p, 12, 17, 4);
  write_checkpoint<double>(path_, p, method, state);
  const std::string whole = bytes(path_);
  const auto read_back = [&] { read<double>(path_, p, method); };
  expect_complaints_of_damage(path_, whole, {"history", "begun", "record"}, read_back);
  for (const auto& [steps, words] : {std::pair{-4L, "expected whole groups of 4"},
                                     {13L, "expected whole groups of 4"},
                                     {8L, "expected 2 x 2 x 8"}}) {
    file("a.h5", whole);
    set_attribute(path_, "/", "steps", std::int64_t{steps});
    expect_bad_input(read_back, {"a.h5", words});
  }
  const auto replace = [&](const std::string& name, const auto& values, const std::vector<std::size_t>& shape) {
    file("a.h5", whole);
    Hdf5Output out(path_, Hdf5Output::Existing::extend);
    out.remove(name);
    out.write(name, shape, std::span(values));
    out.commit();
    reseal(path_);
  };
  const std::vector<double>& history = state.history.values;
  replace("history", history, {42, 2, 17});
  expect_bad_input(read_back, {"\"history\": found 42 x 2 x 17 values, expected 2 x 42 x 17"});
  replace("history", history, {history.size()});
  expect_bad_input(read_back, {"\"history\": found 1428 values, expected 2 x 42 x 1"});
  replace("begun", std::vector<float>(2 * 42 * 4, 1), {2, 42, 4});
  expect_bad_input(read_back, {"\"begun\" holds other numbers"});
  replace("begun", std::vector<double>(), {2, 42, 0});
  expect_bad_input(read_back, {"\"begun\": 0 values for each unknown"});
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(path_, p, m);
  expect_bad_input(read_back, {"a.h5", "no checksums", "expected a whole checkpoint"});
  reseal(path_);
  expect_bad_input(read_back, {"is no file of the state of a run", "matrices"});
}

TEST_F(TdbemStates, FullDiskLeavesTheOlderState) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  const auto state = example_state<double>(p, 12, 17, 4);
  write_checkpoint<double>(path_, p, method, state);
  const std::string older = bytes(path_);
  for (const std::size_t room : {500UL, 4000UL, older.size() - 100}) {
    const FullDisk full(room);
    expect_error(Error::Kind::failed, [&] { write_checkpoint<double>(path_, p, method, state); },
                 {"a.h5", "File too large"});
  }
  EXPECT_EQ(bytes(path_), older);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace asterism::tdbem
