// SPDX-License-Identifier: Apache-2.0
// Checkpoints: read back exactly, into other bricks than those they were written from; bad ones refused; a full disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "taskflows/lbm/checkpoint.hpp"
#include "taskflows/lbm/fields/fields.hpp"
#include "tests/taskflows/lbm/files.hpp"

namespace asterism::lbm {
namespace {

constexpr auto one_process = DistributedHdf5::Writers::this_process;

template <class T>
T population(double value) {
  return stored<T>(static_cast<Arithmetic<T>>(value));
}

/// A lattice cut into bricks whose borders are not those of slabs.
struct State {
  std::int32_t nx = 7, ny = 6, nz = 9;
  std::vector<Box> boxes = {{0, 7, 0, 6, 0, 4}, {0, 3, 0, 6, 4, 9}, {3, 7, 0, 2, 4, 9}, {3, 7, 2, 6, 4, 9}};

  static double value(int slot, int x, int y, int z) {
    if (slot == 3 && x == 1) return std::numeric_limits<double>::denorm_min();
    if (slot == 4 && x == 1) return -0.0;
    if (slot == 5 && x == 1) return std::numeric_limits<double>::quiet_NaN();
    return std::sin(1 + slot + 19 * (x + 50 * (y + 50.0 * z)));
  }
  template <class T, class Visit>
  static void visit(int slot, const Box& part, T* values, const Visit& each) {
    for (int z = part.z0; z < part.z1; ++z) {
      for (int y = part.y0; y < part.y1; ++y) {
        for (int x = part.x0; x < part.x1; ++x)
          each(*values++, population<std::remove_const_t<T>>(value(slot, x, y, z)));
      }
    }
  }
  template <class T>
  [[nodiscard]] Checkpoint checkpoint(const std::string& parameters = "{\"Re\": 100}") const {
    return {.step = 123456789012, .nx = nx, .ny = ny, .nz = nz, .bytes = sizeof(T), .parameters = parameters};
  }
  template <class T>
  void write(const fs::path& path) const {
    write_checkpoint<T>(path, checkpoint<T>(), one_process, [&](const PutBox<T>& put) {
      for (const Box& box : boxes) {
        std::vector<T> slots(q * static_cast<std::size_t>(box.cells()));
        for (int slot = 0; slot < q; ++slot)
          visit(slot, box, slots.data() + slot * box.cells(), [](T& to, T value) { to = value; });
        put(box, slots.data());
      }
    });
  }
};

template <class T>
void check_round_trip(const fs::path& path) {
  const State state;
  state.write<T>(path);
  const Checkpoint read = read_checkpoint(path);
  EXPECT_EQ(read.step, 123456789012);
  EXPECT_EQ(std::vector({read.nx, read.ny, read.nz}), std::vector({7, 6, 9}));
  EXPECT_EQ(read.bytes, static_cast<int>(sizeof(T)));
  EXPECT_EQ(read.parameters, "{\"Re\": 100}");
  // HDF5 reads half precision as numbers 2^15 times as large
  using Number = Arithmetic<T>;
  std::vector<hsize_t> shape;
  const std::vector<Number> values = read_dataset<Number>(path, "populations", shape, sizeof(T));
  EXPECT_EQ(shape, (std::vector<hsize_t>{19, 9, 6, 7}));
  std::size_t i = 0;
  for (int slot = 0; slot < q; ++slot) {
    State::visit(slot, {0, 7, 0, 6, 0, 9}, values.data() + i, [&](const Number& found, Number given) {
      ++i;
      const Number expected = value_of(stored<T>(given)) * (sizeof(T) == 2 ? half_scale : 1);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(found));
      else
        EXPECT_EQ(std::memcmp(&found, &expected, sizeof(Number)), 0);
    });
  }
  // into other bricks than those it was written from
  std::vector<Box> planes;
  for (int y = 0; y < 6; ++y) planes.push_back({0, 7, y, y + 1, 0, 9});
  std::int64_t taken = 0;
  read_populations<T>(path, planes, [&](std::size_t, int slot, const Box& part, const T* given) {
    State::visit(slot, part, given, [&](const T& found, T expected) {
      ++taken;
      EXPECT_EQ(std::memcmp(&found, &expected, sizeof(T)), 0);
    });
  });
  EXPECT_EQ(taken, 19 * 7 * 6 * 9);
}

TEST_F(LbmFiles, CheckpointsAreReadBackExactly) {
  check_round_trip<Float16>(folder_ / "c.h5");
  check_round_trip<float>(folder_ / "c.h5");
  check_round_trip<double>(folder_ / "c.h5");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

/// Slabs of one plane, and of several with a rest.
TEST_F(LbmFiles, CheckpointsOfManySlabs) {
  for (const std::int32_t nx : {3000, 9000000}) {
    const std::int32_t nz = nx == 3000 ? 2500 : 2;
    const std::int32_t ny = nx == 3000 ? 3 : 1;
    const Checkpoint large{.step = 1, .nx = nx, .ny = ny, .nz = nz, .bytes = 4, .parameters = ""};
    // rows are parts of one, so that the library of C copies and compares them
    std::vector<float> values(static_cast<std::size_t>(nx) + 3 * 3 + 7 * 2500 + 11 * q);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<float>(n % 1000003);
    const auto row = [&](int slot, int x, int y, int z) { return values.data() + x + 3 * y + 7 * z + 11 * slot; };
    const std::vector<Box> boxes = {{0, 1000, 0, ny, 0, nz}, {1000, nx, 0, ny, 0, nz}};
    std::vector<Box> parts;
    for (int z = 0; z < nz; z += 300)
      for (int x = 0; x < nx; x += 1000000)
        parts.push_back({x, std::min(x + 1000000, nx), 0, ny, z, std::min(z + 300, nz)});
    write_checkpoint<float>(folder_ / "c.h5", large, one_process, [&](const PutBox<float>& put) {
      for (const Box& box : parts) {
        std::vector<float> slots(q * static_cast<std::size_t>(box.cells()));
        float* to = slots.data();
        for (int slot = 0; slot < q; ++slot)
          for (int z = box.z0; z < box.z1; ++z)
            for (int y = box.y0; y < box.y1; ++y) to = std::copy_n(row(slot, box.x0, y, z), box.x1 - box.x0, to);
        put(box, slots.data());
      }
    });
    std::int64_t wrong = 0;
    std::int64_t taken = 0;
    read_populations<float>(folder_ / "c.h5", boxes, [&](std::size_t, int slot, const Box& part, const float* found) {
      taken += part.cells();
      const auto width = static_cast<std::size_t>(part.x1 - part.x0);
      for (int z = part.z0; z < part.z1; ++z)
        for (int y = part.y0; y < part.y1; ++y, found += width)
          wrong += std::memcmp(found, row(slot, part.x0, y, z), width * sizeof(float)) == 0 ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(taken, std::int64_t{19} * nx * ny * nz);
  }
}

TEST_F(LbmFiles, BadCheckpointsAreRefused) {
  const State state;
  const fs::path path = folder_ / "c.h5";
  state.write<double>(path);
  const std::string whole = bytes(path);
  const auto ignore = [](std::size_t, int, const Box&, const auto*) {};
  expect_bad_input([&] { read_populations<float>(path, state.boxes, ignore); }, {"c.h5", "8 bytes", "expected 4"});
  for (const std::vector<Box>& boxes :
       {std::vector<Box>{}, std::vector<Box>{{0, 7, 0, 6, 0, 8}},
        std::vector<Box>{{0, 7, 0, 6, 0, 9}, {0, 1, 0, 1, 0, 1}},
        std::vector<Box>{{0, 7, 0, 6, 0, 5}, {0, 7, 0, 6, 4, 8}}, std::vector<Box>{{0, 7, 0, 6, 1, 10}}}) {
    expect_error(Error::Kind::failed, [&] { read_populations<double>(path, boxes, ignore); }, {"c.h5", "do not cover"});
  }
  for (std::size_t length = 1; length < whole.size(); length += length < 3000 ? 101 : 5003) {
    expect_bad_input([&] { read_checkpoint(file("cut.h5", whole.substr(0, length))); }, {"cut.h5"});
  }
  expect_bad_input([&] { read_checkpoint(folder_ / "none.h5"); }, {"none.h5", "No such file"});
  Hdf5Series series(folder_ / "s.h5", small);
  append<float>(series, small, 1);
  expect_bad_input([&] { read_checkpoint(folder_ / "s.h5"); }, {"s.h5", "no checksums", "another kind of file"});
  append_checksums(folder_ / "s.h5", folder_ / "s.h5", {});
  expect_bad_input([&] { read_checkpoint(folder_ / "s.h5"); },
                   {"s.h5", "no dataset \"populations\"", "step_0000000001"});
  {
    const FullDisk full(20000);
    expect_error(Error::Kind::failed, [&] { state.write<float>(path); }, {"c.h5", "cannot be written", "too large"});
  }
  EXPECT_TRUE(bytes(path) == whole) << "the checkpoint of before stays";
  const std::vector<double> one_cell(q);
  EXPECT_THROW(write_checkpoint<double>(path, state.checkpoint<double>(), one_process,
                                        [&](const PutBox<double>& put) {
                                          put({0, 1, 0, 1, 0, 1}, one_cell.data());
                                          throw std::runtime_error("the run failed");
                                        }),
               std::runtime_error);
  EXPECT_TRUE(bytes(path) == whole);
  const std::string long_text(70000, 'x');
  expect_error(Error::Kind::failed,
               [&] {
                 write_checkpoint<double>(path, state.checkpoint<double>(long_text), one_process,
                                          [](const PutBox<double>&) {});
               },
               {"70000"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4) << "nothing temporary is left";
}

}  // namespace
}  // namespace asterism::lbm
