// SPDX-License-Identifier: Apache-2.0
// Checkpoints: exact in any decomposition; those of other runs and damaged ones are refused; what was there stays.
#include <gtest/gtest.h>

#include "taskflows/fdtd/checkpoint.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

class FdtdCheckpoints : public FileTests {
 protected:
  /// State at `step`, cut along all axes.
  void write(const fs::path& path, const Problem& p, long step) const {
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    s.advance(step);
    write_checkpoint(path, s, p, s.probe_values());
  }
};

TEST_F(FdtdCheckpoints, GoOnInAnyDecomposition) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true})
      for (const long stop : {0L, 5L}) {
        const Problem p = problem_of(kind, {9, 6, 7}, single);
        write(folder_ / "c.h5", p, stop);
        EXPECT_EQ(checkpoint_step(folder_ / "c.h5", p), stop);
        const Outcome whole = run(p, {{1, 1, 1}, {}}, 8, anywhere);
        for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{4, 1, 1}, {}}, Cut{{1, 2, 2}, {}}}) {
          const std::vector<BrickPlace> bricks = decompose(p, cut);
          Simulation s(p, bricks, anywhere(bricks));
          std::vector<double> probes = read_checkpoint(folder_ / "c.h5", p, s);
          EXPECT_EQ(s.time(), stop);
          s.advance(8 - stop);
          Outcome found = outcome(s, p);
          probes.insert(probes.end(), found.probes.begin(), found.probes.end());
          found.probes = probes;
          EXPECT_TRUE(whole == found) << kind.name << " from " << stop;
        }
      }
}

TEST_F(FdtdCheckpoints, ThoseOfOtherRunsAreRefused) {
  const Problem p = problem_of(boundaries[1], {9, 6, 7});
  const fs::path path = folder_ / "c.h5";
  write(path, p, 3);
  const auto refused = [&](const std::function<void(Problem&)>& change, const std::vector<std::string>& words) {
    Problem other = p;
    change(other);
    expect_bad_input([&] { (void)checkpoint_step(path, other); }, words);
  };
  refused([](Problem& o) { o.cells[1] = 7; }, {"c.h5", "3 x 9 x 6 x 7", "3 x 9 x 7 x 7"});
  refused([](Problem& o) { o.precision = Precision::single_precision; }, {"c.h5", "single"});
  refused([](Problem& o) { o.spacing[1] *= 2; }, {"c.h5", "dy"});
  refused([](Problem& o) { o.dt *= 0.5; }, {"c.h5", "time_step"});
  refused([](Problem& o) { o.face[2] = pmc; }, {"c.h5", "faces", "electric", "magnetic"});
  refused([](Problem& o) { o.material[5] ^= 1; }, {"c.h5", "materials"});
  refused([](Problem& o) { o.materials[1].sigma = 2; }, {"c.h5", "materials"});
  refused([](Problem& o) { o.probes.pop_back(); }, {"c.h5", "probes", "3 x 6", "3 x 5"});
  expect_bad_input([&] { (void)checkpoint_step(folder_ / "none.h5", p); }, {"none.h5"});
  const std::string whole = bytes(path);
  for (std::size_t length = 1; length < whole.size(); length += length < 3000 ? 211 : 2003)
    expect_bad_input([&] { (void)checkpoint_step(file("cut.h5", whole.substr(0, length)), p); }, {"cut.h5"});
}

TEST_F(FdtdCheckpoints, AFullDiskLeavesWhatWasThere) {
  const Problem p = problem_of(boundaries[1], {9, 6, 7});
  const fs::path path = folder_ / "c.h5";
  write(path, p, 3);
  const std::string whole = bytes(path);
  {
    const FullDisk full(5000);
    expect_error(Error::Kind::failed, [&] { write(path, p, 4); }, {"c.h5", "cannot be written"});
  }
  EXPECT_TRUE(bytes(path) == whole);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace asterism::fdtd
