// SPDX-License-Identifier: Apache-2.0
// Temporary files at a signal, locks, checksums, predecessors, journals and damaged HDF5 files.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <span>

#include "io/hdf5/checksums.hpp"
#include "io/hdf5/file.hpp"
#include "io/hdf5/journal.hpp"
#include "io/output_file.hpp"
#include "io/output_lock.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism {
namespace {

class ReliableFiles : public FileTests {
 protected:
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  /// Doubles, integers, a chunked dataset and attributes.
  fs::path checkpoint(const std::string& name, double value) const {
    const std::vector<double> values(2000, value);
    const std::vector<std::int64_t> integers(50, 7);
    Hdf5Output out(folder_ / name);
    out.write("values", {values.size()}, std::span<const double>(values));
    out.write("group/integers", {5, 10}, std::span<const std::int64_t>(integers));
    out.write_compressed<float>("packed", {64, 8}, {16, 8}, [&](const Hdf5Block& block, float* to) {
      std::fill_n(to, block.extent[0] * block.extent[1], static_cast<float>(value));
    });
    out.attribute("/", "step", std::int64_t{3});
    out.attribute("/", "method", std::string("a method"));
    out.commit_checkpoint();
    return folder_ / name;
  }
};

TEST_F(ReliableFiles, TemporariesAreRemovedAtASignal) {
  const pid_t child = fork();
  if (child == 0) {
    OutputFile file(folder_ / "a.txt");
    file.write("half of it");
    remove_temporary_files();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), 0U);
}

TEST_F(ReliableFiles, ASecondWriterIsRefused) {
  file("o.h5.4711.part", "left by a killed program");
  file("o.h5.old.part", "somebody's own");
  {
    const OutputLock lock(folder_ / "o.h5");
    EXPECT_FALSE(fs::exists(folder_ / "o.h5.4711.part"));
    EXPECT_TRUE(fs::exists(folder_ / "o.h5.old.part"));
    expect_bad_input([&] { const OutputLock second(folder_ / "o.h5"); }, {"o.h5", "another program"});
    const OutputLock other(folder_ / "p.h5");
  }
  const OutputLock again(folder_ / "o.h5");
  EXPECT_EQ(files(), 2U) << "of a lock that is given back nothing is left";
}

TEST_F(ReliableFiles, EveryFlippedBitOfACheckpointIsSeen) {
  const fs::path path = checkpoint("k.h5", 1.5);
  require_checksums(path);
  const std::string whole = bytes(path);
  {
    const Hdf5Input read(path);
    std::vector<double> values(2000);
    read.read_rows("values", 0, values);
    EXPECT_EQ(values.back(), 1.5);
  }
  std::mt19937 random(1);
  std::set<std::string> named;
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = whole;
    const std::size_t bit =
        trial < 100 ? 8 * (whole.size() - 800) + 63 * static_cast<std::size_t>(trial) : random() % (8 * whole.size());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    file("k.h5", damaged);
    try {
      require_checksums(path);
      if (damaged.substr(1, 3) == "HDF" && bit >= 64) ADD_FAILURE() << "bit " << bit << " is taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input);
      const std::string what = error.what();
      for (const char* const name : {"\"values\"", "structure", "checksums"})
        if (what.find(name) != std::string::npos) named.insert(name);
    }
  }
  EXPECT_EQ(named.size(), 3U);
  file("k.h5", whole.substr(0, whole.size() - 1000));
  expect_bad_input([&] { require_checksums(path); }, {"k.h5", "cut off"});
  {
    Hdf5Output old(folder_ / "k.h5");
    old.attribute("/", "step", std::int64_t{3});
    old.commit();
  }
  expect_bad_input([&] { require_checksums(path); }, {"k.h5", "older version"});
}

TEST_F(ReliableFiles, PredecessorsAreKeptAndNamed) {
  checkpoints_to_keep() = 3;
  for (const double value : {1., 2., 3., 4.}) checkpoint("k.h5", value);
  checkpoints_to_keep() = 1;
  EXPECT_EQ(files(), 3U);
  for (const auto& [name, expected] : {std::pair{"k.h5", 4.}, {"k.h5.1", 3.}, {"k.h5.2", 2.}}) {
    require_checksums(folder_ / name);
    std::vector<double> values(2000);
    Hdf5Input(folder_ / name).read_rows("values", 0, values);
    EXPECT_EQ(values[0], expected);
  }
  std::string damaged = bytes(folder_ / "k.h5");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 4);
  file("k.h5", damaged);
  expect_bad_input([&] { require_checksums(folder_ / "k.h5"); }, {"k.h5", "damaged", "--restart", "k.h5.1"});
  file("k.h5.1", damaged);
  expect_bad_input([&] { require_checksums(folder_ / "k.h5"); }, {"--restart", "k.h5.2"});
}

/// A journal is applied to its own file in the state in which the interruption left it, and to nothing else.
TEST_F(ReliableFiles, JournalsAreValidated) {
  const fs::path path = file("f.h5", std::string(10000, 'a') + std::string(2000, 'n'));
  const std::string before = bytes(path);
  const int opened = open(path.c_str(), O_RDWR);
  Hdf5Transaction::Pages pages;
  pages[4096].fill('b');
  pages[8192].fill('c');
  Journal(opened, path, 10000, 12000, 11000, pages).write(Journal::of(path));
  close(opened);
  const std::string journal = bytes(Journal::of(path));
  const auto expect_refused = [&](const std::string& text, const std::string& contents, const std::string& why) {
    file("f.h5", contents);
    file("f.h5.journal", text);
    expect_bad_input([&] { Hdf5Transaction::recover(path); }, {"f.h5.journal", why});
    EXPECT_TRUE(bytes(path) == contents) << "unchanged";
  };
  for (std::size_t at = 20; at < journal.size(); at += 97) {
    std::string damaged = journal;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    expect_refused(damaged, before, "damaged");
  }
  expect_refused(journal.substr(0, journal.size() / 2), before, "damaged");
  expect_refused("asterism journal 1\n" + std::string(16, '\0'), before, "another version");
  expect_refused("letters to a friend", before, "no journal");
  std::string other = before;
  other[5000] = 'x';
  expect_refused(journal, other, "not written for this file");
  expect_refused(journal, before + "more", "not written for this file");
  expect_refused(journal, "short", "not written for this file");

  std::string expected =
      before.substr(0, 4096) + std::string(4096, 'b') + std::string(10000 - 8192, 'c') + before.substr(10000, 1000);
  std::string under_way = before;
  for (std::size_t at = 4096; at < 4096 + 512 * 3; ++at) under_way[at] = 'b';  // killed within the first page
  for (const std::string& state : {before, under_way, expected.substr(0, 10000) + before.substr(10000)}) {
    file("f.h5", state);
    file("f.h5.journal", journal);
    Hdf5Transaction::recover(path);
    EXPECT_TRUE(bytes(path) == expected);
    EXPECT_EQ(files(), 1U);
  }
  fs::remove(path);
  file("f.h5.journal", "letters to a friend");
  expect_bad_input([&] { Hdf5Transaction::recover(path); }, {"f.h5.journal", "no journal"});
  EXPECT_EQ(files(), 1U) << "nobody's file is removed";
}

/// HDF5's library crashes on some of these: an Error says so.
TEST_F(ReliableFiles, DamagedHdf5FilesDoNotCrash) {
  const fs::path made = checkpoint("k.h5", 1.5);
  const std::string whole = bytes(made);
  std::mt19937 random(7);
  int refused = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::string damaged = whole;
    // structure lies in the first kilobytes and behind the values
    const std::size_t at = trial % 2 == 0 ? 8 + random() % 2040 : whole.size() - 1 - random() % 8000;
    for (std::size_t i = at; i < std::min(at + 1 + random() % 8, damaged.size()); ++i)
      damaged[i] = static_cast<char>(random());
    const fs::path path = file("d" + std::to_string(trial) + ".h5", damaged);
    try {
      const Hdf5Input read(path);
      for (const std::string& member : read.members())
        if (read.has_dataset(member)) {
          std::size_t size = 1;
          for (const std::size_t extent : read.shape(member)) size *= extent;
          std::vector<double> values(std::min<std::size_t>(size, 1 << 20));
          if (values.size() == size) read.read_rows(member, 0, values);
        }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace asterism
