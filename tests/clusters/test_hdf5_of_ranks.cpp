// SPDX-License-Identifier: Apache-2.0
// HDF5 files that all ranks write, run by mpirun with one to five: the file of one process, whatever the ranks have.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/distributed_array.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"
#include "tests/clusters/same_hdf5.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism {
namespace {

using Extents = std::vector<std::size_t>;

/// Where the part of a rank begins along n: the parts are not alike, and some are empty where n is small.
std::int64_t cut(std::int64_t n, int rank) {
  const std::int64_t ranks = rank_group().ranks();
  return rank == ranks ? n : n * rank * (rank + 1) / (ranks * (ranks + 1));
}

double value(const std::array<std::int64_t, 4>& place) {
  double v = 0.5;
  for (const std::int64_t i : place) v = 100 * v + static_cast<double>(i);
  return std::floor(1e3 * std::sin(v));  // not many digits, so that it can be compressed
}

template <class T>
Array<char> values_of(const ArrayBox& box) {
  Array<char> bytes(as_size(box.size()) * sizeof(T));
  T* to = reinterpret_cast<T*>(bytes.data());
  for (std::int64_t c = 0; c < box.extent[0]; ++c)
    for (std::int64_t z = 0; z < box.extent[1]; ++z)
      for (std::int64_t y = 0; y < box.extent[2]; ++y)
        for (std::int64_t x = 0; x < box.extent[3]; ++x)
          *to++ = static_cast<T>(value({box.first[0] + c, box.first[1] + z, box.first[2] + y, box.first[3] + x}));
  return bytes;
}

template <class T>
std::span<const T> span_of(const Array<char>& bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// What this rank has of an array that is cut along one axis, in two parts along the one before.
std::vector<ArrayBox> parts_of(const ArrayBox& all, std::size_t axis) {
  std::vector<ArrayBox> parts;
  const std::size_t other = (axis + 3) % 4;
  ArrayBox mine = all;
  mine.first[axis] = cut(all.extent[axis], rank_group().rank());
  mine.extent[axis] = cut(all.extent[axis], rank_group().rank() + 1) - mine.first[axis];
  const std::int64_t middle = (2 * all.extent[other] + 2) / 3;
  for (const auto& [from, to] : {std::pair{std::int64_t{0}, middle}, {middle, all.extent[other]}}) {
    ArrayBox part = mine;
    part.first[other] = from;
    part.extent[other] = to - from;
    if (part.size() > 0) parts.push_back(part);
  }
  return parts;
}

template <class T>
DistributedArray dealt(const ArrayBox& all, std::size_t axis) {
  std::vector<DistributedArray::Part> mine;
  for (const ArrayBox& box : parts_of(all, axis)) mine.push_back({box, values_of<T>(box)});
  return {sizeof(T), std::move(mine), DistributedArray::Owners::all_ranks};
}

ArrayBox box_of_chunk(std::int64_t component, const Hdf5Block& chunk) {
  ArrayBox box{{component}, {1}};
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d + 1] = static_cast<std::int64_t>(chunk.first[d]);
    box.extent[d + 1] = static_cast<std::int64_t>(chunk.extent[d]);
  }
  return box;
}

template <class T>
ChunkSource component(std::int64_t c) {
  return {[c](const Hdf5Block& chunk) { return box_of_chunk(c, chunk); },
          [](const Hdf5Block& chunk, const char* needed, void* values) {
            std::memcpy(values, needed, chunk.extent[0] * chunk.extent[1] * chunk.extent[2] * sizeof(T));
          }};
}

/// Files in one folder of all ranks; rank 0 looks at them.
class Hdf5Ranks : public testing::Test {
 protected:
  static constexpr auto all_ranks = DistributedHdf5::Writers::all_ranks;

  Hdf5Ranks() {
    std::int64_t number = getpid();
    rank_group().broadcast(number);
    folder_ = fs::temp_directory_path() / fmt::format("asterism_hdf5_ranks_{}", number);
    if (rank_group().is_root()) {
      fs::remove_all(folder_);
      fs::create_directory(folder_);
    }
    rank_group().barrier();
  }
  ~Hdf5Ranks() override {
    rank_group().barrier();
    if (rank_group().is_root()) fs::remove_all(folder_);
  }

  std::string bytes(const char* name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return out.str();
  }
  void expect_same(const char* a, const char* b, std::size_t datasets) const {
    rank_group().barrier();
    EXPECT_TRUE(tests::same_but_for_times(bytes(a), bytes(b), datasets)) << a << " " << b;
    rank_group().barrier();
  }
  std::size_t files() const { return as_size(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

TEST(Agreement, AnErrorOfOneIsEverybodys) {
  int ran = 0;
  collective_try([&] { ++ran; });
  EXPECT_EQ(ran, 1);
  const int last = rank_group().ranks() - 1;
  for (const int first : {0, last}) {
    try {
      collective_try([&] {
        if (rank_group().rank() == first) bad_input("rank {} of {}", first, rank_group().ranks());
        if (rank_group().rank() > first) failed("rank {}", rank_group().rank());
      });
      ADD_FAILURE() << "went well on rank " << rank_group().rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input);
      EXPECT_EQ(error.what(), fmt::format("rank {} of {}", first, rank_group().ranks()));
    }
  }
  EXPECT_ANY_THROW(collective_try([&] {
    if (rank_group().rank() == last) throw std::bad_alloc();
  }));
}

TEST(DistributedArray, BoxesComeFromWhoHasThem) {
  const ArrayBox all{{0, 0, 0, 0}, {2, 7, 8, 9}};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const DistributedArray array = dealt<double>(all, axis);
    std::vector<std::vector<ArrayBox>> wanted(as_size(rank_group().ranks()));
    for (int rank = 0; rank < rank_group().ranks(); ++rank)
      for (int k = 0; k < rank % 3 + 1; ++k)  // beyond the array at the end of x
        wanted[as_size(rank)].push_back({{0, k, rank, 2 + k}, {2, 4, 3, 8}});
    const std::vector<Array<char>> found = array.fetch(wanted);
    ASSERT_EQ(found.size(), wanted[as_size(rank_group().rank())].size());
    for (std::size_t w = 0; w < found.size(); ++w) {
      const ArrayBox& box = wanted[as_size(rank_group().rank())][w];
      const ArrayBox inside = intersection(box, all);
      Array<char> expected(found[w].size(), '\0');
      copy_box(inside, values_of<double>(inside).data(), box, expected.data(), inside, sizeof(double));
      EXPECT_EQ(std::memcmp(found[w].data(), expected.data(), expected.size()), 0) << axis << " " << w;
    }
    const Array<char> whole = array.fetch_on_rank_0(all);
    ASSERT_EQ(whole.size(), rank_group().is_root() ? as_size(all.size()) * sizeof(double) : 0);
    EXPECT_EQ(std::memcmp(whole.data(), values_of<double>(all).data(), whole.size()), 0);
  }
}

/// Bytes that this process wrote, to files and sockets.
std::uint64_t written_bytes() {
  std::ifstream file("/proc/self/io");
  for (std::string word; file >> word;) {
    std::uint64_t count = 0;
    if (word == "wchar:" && file >> count) return count;
  }
  return 0;
}

TEST_F(Hdf5Ranks, BlocksMakeTheFileOfOneProcess) {
  const ArrayBox all{{0, 0, 0, 0}, {3, 11, 13, 17}};
  const Extents shape{3, 11, 13, 17};
  const std::vector<std::int64_t> numbers{5, 7, 9};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (rank_group().is_root()) {
      const Array<char> doubles = values_of<double>(all);
      const Array<char> floats = values_of<float>(all);
      Hdf5Output file(folder_ / "one.h5");
      file.create("doubles", Hdf5Number::float64, shape);
      file.attribute("/", "step", std::int64_t{3});
      file.write_rows("doubles", 0, span_of<double>(doubles));
      file.write<float>("group/floats", shape, span_of<float>(floats));
      file.create("empty", Hdf5Number::int32, {0, 4});
      file.write("numbers", {3}, std::span<const std::int64_t>(numbers));
      file.commit();
    }
    DistributedHdf5 file(folder_ / "ranks.h5", all_ranks);
    file.create("doubles", Hdf5Number::float64, shape);
    file.attribute("/", "step", std::int64_t{3});
    const auto write = [&]<class T>(const char* name, T) {
      file.make_room({name});
      for (const ArrayBox& box : parts_of(all, axis))
        file.write_block(name, {{box.first.begin(), box.first.end()}, {box.extent.begin(), box.extent.end()}},
                         span_of<T>(values_of<T>(box)));
    };
    write("doubles", double{});
    file.create("group/floats", Hdf5Number::float32, shape);
    write("group/floats", float{});
    file.create("empty", Hdf5Number::int32, {0, 4});
    file.make_room({"empty"});
    file.write("numbers", {3}, std::span<const std::int64_t>(numbers));
    file.commit();
    expect_same("one.h5", "ranks.h5", 4);
  }
}

TEST_F(Hdf5Ranks, EveryRankWritesItsPart) {
  const ArrayBox all{{0, 0, 0, 0}, {1, 64, 64, 64}};
  const std::uint64_t before = written_bytes();
  DistributedHdf5 file(folder_ / "a.h5", all_ranks);
  file.create("values", Hdf5Number::float64, {1, 64, 64, 64});
  file.make_room({"values"});
  std::uint64_t mine = 0;
  for (const ArrayBox& box : parts_of(all, 1)) {
    file.write_block("values", {{box.first.begin(), box.first.end()}, {box.extent.begin(), box.extent.end()}},
                     span_of<double>(values_of<double>(box)));
    mine += as_size(box.size()) * sizeof(double);
  }
  file.commit();
  const std::uint64_t wrote = written_bytes() - before;
  EXPECT_GE(wrote, mine);
  EXPECT_LT(wrote, mine + 100000);
}

TEST_F(Hdf5Ranks, CompressedChunksMakeTheFileOfOneProcess) {
  const ArrayBox all{{0, 0, 0, 0}, {2, 21, 18, 35}};
  const Extents shape{21, 18, 35};
  const Extents chunk{6, 5, 8};
  const auto fill = [&]<class T>(std::int64_t c, T) {
    return [c](const Hdf5Block& block, T* values) {
      const Array<char> bytes = values_of<T>(box_of_chunk(c, block));
      std::memcpy(values, bytes.data(), bytes.size());
    };
  };
  for (std::size_t axis = 1; axis < 4; ++axis) {
    if (rank_group().is_root()) {
      for (const auto existing : {Hdf5Output::Existing::replace, Hdf5Output::Existing::extend}) {
        const std::string group = existing == Hdf5Output::Existing::replace ? "first/" : "second/";
        Hdf5Output file(folder_ / "one.h5", existing);
        file.write_compressed<float>(group + "a", shape, chunk, fill(0, float{}));
        file.write_compressed<double>(group + "b", shape, chunk, fill(1, double{}));
        file.attribute(group, "axis", static_cast<std::int64_t>(axis));
        file.commit();
      }
    }
    const DistributedArray floats = dealt<float>(all, axis);
    const DistributedArray doubles = dealt<double>(all, axis);
    for (const bool ample : {true, false}) {  // all chunks at once, or one after the other and places for two
      const DistributedHdf5::Room room =
          ample ? DistributedHdf5::Room{} : DistributedHdf5::Room{.values = 1, .times = 2};
      for (const auto existing : {Hdf5Output::Existing::replace, Hdf5Output::Existing::extend}) {
        const std::string group = existing == Hdf5Output::Existing::replace ? "first/" : "second/";
        DistributedHdf5 file(folder_ / "ranks.h5", all_ranks, existing, room);
        file.write_compressed<float>(group + "a", shape, chunk, floats, component<float>(0));
        file.write_compressed<double>(group + "b", shape, chunk, doubles, component<double>(1));
        file.attribute(group, "axis", static_cast<std::int64_t>(axis));
        file.commit();
      }
      if (ample) {
        expect_same("one.h5", "ranks.h5", 4);
        continue;
      }
      rank_group().barrier();
      if (!rank_group().is_root()) continue;
      const Hdf5Input one(folder_ / "one.h5");
      const Hdf5Input ranks(folder_ / "ranks.h5");
      for (const char* name : {"first/a", "second/a", "first/b", "second/b"}) {
        std::vector<double> expected(21 * 18 * 35), found(expected.size());
        one.read_rows(name, 0, expected);
        ranks.read_rows(name, 0, found);
        EXPECT_TRUE(found == expected) << name;
      }
      EXPECT_EQ(files(), 2U);
    }
  }
}

/// The work is shared out: where all chunks lie across all ranks, none makes more than its share, though one always has
/// most of them.
TEST_F(Hdf5Ranks, ChunksAcrossRanksAreSharedOut) {
  const std::int64_t ranks = rank_group().ranks();
  const std::int64_t width = 4 * ranks + 1;
  std::vector<DistributedArray::Part> mine;
  const std::int64_t first = rank_group().is_root() ? 0 : 4 * rank_group().rank() + 1;
  const ArrayBox box{{0, 0, 0, first}, {1, 30 * ranks, 8, rank_group().is_root() ? 5 : 4}};
  mine.push_back({box, values_of<double>(box)});
  const DistributedArray array(sizeof(double), std::move(mine), DistributedArray::Owners::all_ranks);
  const Extents chunk{1, 8, as_size(width)};
  std::atomic<int> made = 0;
  ChunkSource source = component<double>(0);
  const auto fill = source.fill;
  source.fill = [&](const Hdf5Block& block, const char* needed, void* values) {
    ++made;
    fill(block, needed, values);
  };
  DistributedHdf5 file(folder_ / "a.h5", all_ranks);
  file.write_compressed<double>("a", {as_size(30 * ranks), 8, as_size(width)}, chunk, array, source);
  file.commit();
  EXPECT_EQ(made, 30);
}

TEST_F(Hdf5Ranks, AFullDiskOfOneRankLeavesWhatWasThere) {
  const ArrayBox all{{0, 0, 0, 0}, {1, 40, 40, 40}};
  const Extents shape{1, 40, 40, 40};
  const auto write_blocks = [&] {
    DistributedHdf5 file(folder_ / "a.h5", all_ranks);
    file.create("values", Hdf5Number::float64, shape);
    file.make_room({"values"});
    for (const ArrayBox& box : parts_of(all, 1))
      file.write_block("values", {{box.first.begin(), box.first.end()}, {box.extent.begin(), box.extent.end()}},
                       span_of<double>(values_of<double>(box)));
    file.commit();
  };
  const DistributedArray array = dealt<double>(all, 1);
  const auto append = [&](const std::string& name) {
    DistributedHdf5 file(folder_ / "a.h5", all_ranks, Hdf5Output::Existing::extend);
    file.write_compressed<double>(name, {40, 40, 40}, {6, 40, 40}, array, component<double>(0));
    file.commit();
  };
  write_blocks();
  const std::string before = bytes("a.h5");
  // of a new file the last part is at its end; the chunks of an extended one are behind what is there
  const auto expect_full = [&](int rank, std::size_t room, const std::function<void()>& write) {
    {
      std::optional<FullDisk> full;
      if (rank_group().rank() == rank) full.emplace(room);
      expect_error(Error::Kind::failed, write, {"a.h5", "cannot be written", "too large"});
    }
    rank_group().barrier();
    EXPECT_TRUE(bytes("a.h5") == before);
    EXPECT_EQ(files(), 1U);
    rank_group().barrier();
  };
  const int last = rank_group().ranks() - 1;
  for (const std::size_t room : {std::size_t{5000}, before.size() - 4000}) expect_full(last, room, write_blocks);
  for (int rank = 0; rank <= last; ++rank) {
    expect_full(rank, rank == 0 ? 0 : before.size(), [&] { append("more"); });
    if (rank == 0) expect_full(rank, 1000, write_blocks);
  }
  append("more");
  rank_group().barrier();
  const Hdf5Input file(folder_ / "a.h5");
  std::vector<double> found(40 * 40 * 40), expected(found.size());
  file.read_rows("more", 0, found);
  file.read_rows("values", 0, expected);
  EXPECT_TRUE(found == expected);
}

TEST_F(Hdf5Ranks, WhatRankZeroCannotDoIsEverybodysError) {
  expect_bad_input([&] { DistributedHdf5(folder_ / "none" / "a.h5", all_ranks); }, {"a.h5", "cannot be written"});
  expect_bad_input([&] { DistributedHdf5(folder_ / "none.h5", all_ranks, Hdf5Output::Existing::extend); },
                   {"none.h5", "cannot be read"});
  DistributedHdf5 file(folder_ / "a.h5", all_ranks);
  file.create("twice", Hdf5Number::int32, {2});
  expect_error(Error::Kind::failed,
               [&] {
                 file.create("twice", Hdf5Number::int32, {2});
                 file.attribute("none", "never", std::int64_t{1});  // is not what is told
                 file.commit();
               },
               {"a.h5", "twice"});
}

}  // namespace
}  // namespace asterism
