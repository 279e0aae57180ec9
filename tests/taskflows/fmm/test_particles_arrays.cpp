// SPDX-License-Identifier: Apache-2.0
// NumPy and HDF5 files: bytes by hand, layouts, types and byte orders, and files that lie or are cut.
#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "io/hdf5/file.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"
#include "tests/taskflows/fmm/particles_fixture.hpp"

#ifdef ASTERISM_SANITIZE
// HDF5 1.10 forgets some hundred bytes when it refuses a damaged object header.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}
#endif

namespace asterism::fmm {
namespace {

// ---- NumPy ---------------------------------------------------------------------------------------------

/// A NumPy file of version 1.0, 2.0 or 3.0; length < 0: the header's own.
std::string npy(const std::string& dictionary, const std::string& values, int version = 1, int length = -1) {
  const std::size_t n = length < 0 ? dictionary.size() : static_cast<std::size_t>(length);
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int b = 0; b < (version == 1 ? 2 : 4); ++b) bytes += static_cast<char>(n >> (8 * b) & 0xffU);
  return bytes + dictionary + values;
}

std::string dictionary(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class Number>
std::string values_of(const std::vector<double>& values, bool big_endian = false) {
  std::string bytes;
  for (const double value : values) {
    const auto number = static_cast<Number>(value);
    std::string one(reinterpret_cast<const char*>(&number), sizeof number);
    if (big_endian) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

const Rows two_rows = {{0.5, -1, 2, 4}, {1, 2, 3, -0.25}};
const std::vector<double> by_rows = {0.5, -1, 2, 4, 1, 2, 3, -0.25};
const std::vector<double> by_columns = {0.5, 1, -1, 2, 2, 3, 4, -0.25};

TEST_F(ParticleFiles, TakesNumPyArrays) {
  const std::string eight = values_of<double>(by_rows);
  EXPECT_EQ(read("a.npy", npy(dictionary("<f8", "False", "(2, 4)"), eight)), two_rows);
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read("a.npy", npy(dictionary("<f8", "False", "(2, 4)") + std::string(61, ' '), eight, version)),
              two_rows);
  }
  EXPECT_EQ(read("a.npy", npy(dictionary("<f8", "True", "(2, 4)"), values_of<double>(by_columns))), two_rows);
  EXPECT_EQ(read("a.npy", npy(dictionary(">f8", "False", "(2, 4)"), values_of<double>(by_rows, true))), two_rows);
  EXPECT_EQ(read("a.npy", npy(dictionary("<f4", "False", "(2, 4)"), values_of<float>(by_rows))), two_rows);
  EXPECT_EQ(read("a.npy", npy(dictionary(">f4", "True", "(2, 4)"), values_of<float>(by_columns, true))), two_rows);
  EXPECT_EQ(read("a.npy.gz", gzip(npy(dictionary("<f8", "False", "(2, 4)"), eight))), two_rows);
  EXPECT_EQ(read("a.npy", npy("{\"shape\":(2,4),\"fortran_order\":False,\"descr\":\"<f8\"}", eight)), two_rows);
}

TEST_F(ParticleFiles, TakesNumPyLayouts) {
  const auto with = [&](const std::string& shape, const std::vector<double>& values, const char* order = "False") {
    return read("a.npy", npy(dictionary("<f8", order, shape), values_of<double>(values)));
  };
  EXPECT_EQ(with("(1, 3)", {1, 2, 3}), (Rows{{1, 2, 3, 1}}));
  EXPECT_EQ(with("(1, 8)", {1, 2, 3, 4, 5, 6, 7, 8}), (Rows{{1, 2, 3, 4}})) << "as write_result() has it";
  EXPECT_EQ(with("(4, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
            (Rows{{1, 2, 3, 1}, {4, 5, 6, 1}, {7, 8, 9, 1}, {10, 11, 12, 1}}));
  EXPECT_EQ(with("(4, 2)", by_columns), two_rows) << "four rows of two can only be columns";
  EXPECT_EQ(with("(3, 2)", {1, 4, 2, 5, 3, 6}), (Rows{{1, 2, 3, 1}, {4, 5, 6, 1}}));
  EXPECT_EQ(with("(3, 2)", {1, 2, 3, 4, 5, 6}, "True"), (Rows{{1, 2, 3, 1}, {4, 5, 6, 1}}));
  const std::string five = npy(dictionary("<f8", "False", "(1, 5)"), values_of<double>({9, 1, 2, 3, 4}));
  EXPECT_EQ(read("a.npy", five, {.columns = "2,3,4,5"}), (Rows{{1, 2, 3, 4}}));
  expect_bad_input([&] { read("a.npy", five); }, {"a.npy", "shape (1, 5)", "(n, 3), (n, 4) or (n, 7)", "--columns"});
  expect_bad_input([&] { read("a.npy", five, {.columns = "2,3,6"}); }, {"a.npy", "5 columns", "column 6"});
}

TEST_F(ParticleFiles, TakesVelocitiesOfNumPyArrays) {
  const auto velocity = [&](const std::string& shape, std::size_t numbers, std::size_t first) {
    std::vector<double> values(numbers);
    for (std::size_t i = 0; i < numbers; ++i) values[i] = static_cast<double>(i);
    const Particles p =
        read_particles(file("v.npy", npy(dictionary("<f8", "False", shape), values_of<double>(values))));
    EXPECT_EQ(p.charge[1], values[numbers / 2 + 3]);
    ASSERT_EQ(p.vx.size(), 2U) << shape;
    EXPECT_EQ(p.vx[0], values[first]);
    EXPECT_EQ(p.vy[1], values[numbers / 2 + first + 1]);
    EXPECT_EQ(p.vz[1], values[numbers / 2 + first + 2]);
  };
  velocity("(2, 7)", 14, 4);
  velocity("(2, 14)", 28, 8);
  EXPECT_TRUE(
      read_particles(file("a.npy", npy(dictionary("<f8", "False", "(2, 4)"), values_of<double>(by_rows)))).vx.empty());
}

TEST_F(ParticleFiles, RefusesOtherNumPyFiles) {
  const std::string values = values_of<double>(by_rows);
  const auto header = [&](const std::string& text) { return [&, text] { read("a.npy", npy(text, values)); }; };
  const auto bytes = [&](const std::string& text) { return [&, text] { read("a.npy", text); }; };
  const std::string good = npy(dictionary("<f8", "False", "(2, 4)"), values);
  expect_bad_input(bytes("x,y,z\n1,2,3\n"), {"a.npy", "does not begin as a NumPy array"});
  expect_bad_input(bytes(good.substr(0, 7)), {"a.npy", "cut off in its NumPy header"});
  expect_bad_input(bytes(good.substr(0, 30)), {"a.npy", "cut off in its NumPy header"});
  expect_bad_input(bytes(npy(dictionary("<f8", "False", "(2, 4)"), values, 2, -2 + (1 << 30))), {"cut off in its"});
  expect_bad_input(bytes(npy(dictionary("<f8", "False", "(2, 4)"), values, 4)), {"NumPy format 4"});
  expect_bad_input(bytes(good.substr(0, good.size() - 1)), {"shape (2, 4)", "63 bytes follow", "cut off"});
  expect_bad_input(bytes(good + "x"), {"65 bytes follow", "too long"});
  expect_bad_input(header(dictionary("<f8", "False", "(1000000000000000, 4)")), {"1000000000000000, 4", "cut off"});
  expect_bad_input(header(dictionary("<f8", "False", "(4611686018427387905, 4)")), {"cut off"});
  expect_bad_input(header(dictionary("<f8", "False", "(99999999999999999999, 4)")), {"gives the shape"});
  expect_bad_input(header(dictionary("<f8", "False", "(-2, 4)")), {"gives the shape \"(-2, 4)"});
  expect_bad_input(header(dictionary("<f8", "False", "(8,)")), {"shape (8,)", "expected (n, 3)"});
  expect_bad_input(header(dictionary("<f8", "False", "(2, 2, 2)")), {"shape (2, 2, 2)"});
  expect_bad_input([&] { read("a.npy", npy(dictionary("<f8", "False", "(0, 4)"), "")); }, {"(0, 4)", "no particle"});
  expect_bad_input(header(dictionary("<f8", "False", "2")), {"gives the shape"});
  expect_bad_input(header(dictionary("<i8", "False", "(2, 4)")), {"type \"i8\"", "float64 or float32"});
  expect_bad_input(header(dictionary("<f2", "False", "(2, 4)")), {"<f2"});
  expect_bad_input(header(dictionary("<c16", "False", "(2, 4)")), {"<c16"});
  expect_bad_input(header("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,)}"), {"values of type"});
  expect_bad_input(header("{'descr': '<f8', 'fortran_order': False}"), {"has no shape"});
  expect_bad_input(header("{}"), {"has no descr"});
  std::vector<double> bad = by_rows;
  bad[6] = std::numeric_limits<double>::quiet_NaN();
  expect_bad_input(bytes(npy(dictionary("<f8", "False", "(2, 4)"), values_of<double>(bad))),
                   {"a.npy: row 1 (from 0)", "(1, 2, nan)", "finite"});
  bad[3] = -std::numeric_limits<double>::infinity();
  expect_bad_input(bytes(npy(dictionary("<f8", "False", "(2, 4)"), values_of<double>(bad))), {"row 0", "charge -inf"});
}

TEST_F(ParticleFiles, SurvivesDamagedNumPyHeaders) {
  const std::string good = npy(dictionary("<f8", "False", "(2, 4)"), values_of<double>(by_rows));
  const auto accepted = [&](const std::string& bytes) {
    try {
      read("a.npy", bytes);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input);
      return false;
    }
  };
  const std::size_t header = good.size() - 8 * by_rows.size();
  for (std::size_t at = 0; at < header; ++at) {
    for (const int mask : {0x01, 0x08, 0x40, 0xff}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      accepted(damaged);
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(accepted(good.substr(0, size))) << size;
}

// ---- HDF5 ----------------------------------------------------------------------------------------------

/// Writes a dataset with HDF5 alone; the file type may differ from the memory's.
void put(hid_t file, const char* name, std::vector<hsize_t> shape, const std::vector<double>& values, hid_t type) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (!values.empty()) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(dataset);
  H5Sclose(space);
}

class Hdf5Files : public ParticleFiles {
 protected:
  template <class Fill>
  [[nodiscard]] fs::path hdf5(Fill fill) const {
    const fs::path path = folder_ / "a.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill(file);
    H5Fclose(file);
    return path;
  }
};

const std::vector<double> positions = {0.5, -1, 2, 1, 2, 3};
const std::vector<double> charges = {4, -0.25};

TEST_F(Hdf5Files, TakesPositionsAndCharges) {
  for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE}) {
    const fs::path path = hdf5([&](hid_t file) {
      put(file, "positions", {2, 3}, positions, type);
      put(file, "charges", {2}, charges, type);
      put(file, "others", {2, 3}, {1, 2, 3, 4, 5, 6}, type);
    });
    EXPECT_EQ(rows(read_particles(path)), two_rows);
    EXPECT_EQ(rows(read_particles(path, {.dataset = "others"})), (Rows{{1, 2, 3, 1}, {4, 5, 6, 1}}));
    EXPECT_EQ(rows(read_particles(path, {.dataset = "others,charges"})), (Rows{{1, 2, 3, 4}, {4, 5, 6, -0.25}}));
  }
  EXPECT_EQ(rows(read_particles(hdf5([&](hid_t file) {
              put(file, "particles", {2, 4}, by_rows, H5T_IEEE_F64LE);
            }))),
            two_rows);
  EXPECT_EQ(rows(read_particles(hdf5([&](hid_t file) {
                                  H5Gclose(H5Gcreate2(file, "step", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                                  put(file, "step/7", {2, 4}, by_rows, H5T_IEEE_F64LE);
                                }),
                                {.dataset = "/step/7"})),
            two_rows);
}

TEST_F(Hdf5Files, TakesMoreRowsThanABlock) {
  constexpr hsize_t n = 100003;
  std::vector<double> values(4 * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const Particles p = read_particles(hdf5([&](hid_t file) { put(file, "particles", {n, 4}, values, H5T_IEEE_F64LE); }));
  ASSERT_EQ(p.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(p.x[i], values[4 * i]);
    ASSERT_EQ(p.charge[i], values[4 * i + 3]);
  }
}

TEST_F(Hdf5Files, RefusesOtherFiles) {
  const auto holding = [&](const char* name, const std::vector<hsize_t>& shape, const std::vector<double>& values,
                           hid_t type = H5T_IEEE_F64LE) {
    return [=, this] { read_particles(hdf5([&](hid_t file) { put(file, name, shape, values, type); })); };
  };
  expect_bad_input(holding("velocity", {2, 3}, positions),
                   {"a.h5", "no dataset \"positions\"", "velocity", "--dataset"});
  expect_bad_input(holding("positions", {2, 2}, {1, 2, 3, 4}), {"a.h5", "\"positions\" is 2 x 2", "n x 3"});
  expect_bad_input(holding("positions", {6}, positions), {"\"positions\" is 6", "n x 3"});
  expect_bad_input(holding("positions", {0, 3}, {}), {"no particle"});
  expect_bad_input(holding("positions", {1000000000000000, 3}, {}), {"announces 1000000000000000 x 3", "0 bytes"});
  expect_bad_input(holding("positions", {2, 3}, {1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6}),
                   {"a.h5: row 1 (from 0)", "finite"});
  const auto both = [&](const std::vector<hsize_t>& shape) {
    return [=, this] {
      read_particles(hdf5([&](hid_t file) {
        put(file, "positions", {2, 3}, positions, H5T_IEEE_F64LE);
        put(file, "charges", shape, {1, 2, 3}, H5T_IEEE_F64LE);
      }));
    };
  };
  expect_bad_input(both({3}), {"\"charges\" is 3", "expected 2"});
  const fs::path path = hdf5([&](hid_t file) {
    put(file, "positions", {2, 3}, positions, H5T_IEEE_F64LE);
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(file, "text", H5T_C_S1, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  const auto named = [&](const std::string& dataset) {
    return [&, dataset] { read_particles(path, {.dataset = dataset}); };
  };
  expect_bad_input(named("none"), {"a.h5", "no dataset \"none\"", "positions, text"});
  expect_bad_input(named("positions,none"), {"no dataset \"none\""});
  expect_bad_input(named("text"), {"\"text\" does not hold numbers"});
  expect_bad_input(named("/"), {"no dataset \"/\""});
}

TEST_F(Hdf5Files, RefusesDamagedFilesWithoutPrinting) {
  testing::internal::CaptureStderr();
  const std::string good = bytes(hdf5([&](hid_t file) { put(file, "positions", {2, 3}, positions, H5T_IEEE_F64LE); }));
  expect_bad_input([&] { read("a.h5", good.substr(0, good.size() - 40)); }, {"a.h5", "cut off", "truncated"});
  expect_bad_input([&] { read("a.h5", good.substr(0, 100)); }, {"a.h5"});
  expect_bad_input([&] { read("a.h5", "1 2 3\n"); }, {"a.h5", "does not begin as an HDF5 file"});
  expect_bad_input([&] { read("a.h5", ""); }, {"a.h5", "does not begin as an HDF5 file"});
  expect_bad_input([&] { read("a.h5.gz", gzip(good)); }, {"a.h5.gz", "gzip"});
  expect_bad_input([&] { read_particles(folder_ / "none.h5"); }, {"none.h5", "cannot be read", "No such file"});
  fs::create_directory(folder_ / "b.h5");
  expect_bad_input([&] { read_particles(folder_ / "b.h5"); }, {"b.h5", "not a regular file"});
  // any single damaged byte: an error or particles, never a crash
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    try {
      read("a.h5", damaged);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input) << at;
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Hdf5Files, WriterMakesGroupsNumbersAndAttributes) {
  const fs::path path = folder_ / "series.h5";
  {
    Hdf5Output file(path);
    const std::vector<float> floats = {1.5F, 2.5F, 3.5F, 4.5F, 5.5F, 6.5F};
    file.write<float>("step/10/density", {3, 2}, floats);
    const std::vector<std::int32_t> ids = {7, 8, 9};
    file.create("ids", Hdf5Number::int32, {3});
    file.write_rows<std::int32_t>("ids", 1, std::span(ids).first(2));
    file.write_rows<std::int32_t>("ids", 0, std::span(ids).last(1));
    file.attribute("step/10", "time", 0.25);
    file.attribute("/", "title", "a b");
    EXPECT_FALSE(fs::exists(path)) << "before commit";
    file.commit();
  }
  const Hdf5Input file(path);
  EXPECT_EQ(file.shape("step/10/density"), (std::vector<std::size_t>{3, 2}));
  std::vector<double> values(4);
  file.read_rows("step/10/density", 1, values);
  EXPECT_EQ(values, (std::vector<double>{3.5, 4.5, 5.5, 6.5}));
  values.resize(3);
  file.read_rows("ids", 0, values);
  EXPECT_EQ(values, (std::vector<double>{9, 7, 8}));
  EXPECT_EQ(file.members(), (std::vector<std::string>{"ids", "step"}));
  const hid_t raw = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  double time = 0;
  const hid_t attribute = H5Aopen_by_name(raw, "step/10", "time", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &time), 0);
  EXPECT_EQ(time, 0.25);
  H5Aclose(attribute);
  H5Fclose(raw);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no temporary file stays";
}

// ---- any format in parts --------------------------------------------------------------------------------

TEST_F(ParticleFiles, PartsFollowEachOther) {
  // more than a block of HDF5's rows and than a piece of a text
  constexpr std::size_t n = 70001;
  Particles all(n);
  std::string table = "x y z charge\n";
  std::string molecule;
  std::string columns[4];
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(i);
    Array<double>* const fields[4] = {&all.x, &all.y, &all.z, &all.charge};
    std::string line;
    for (int f = 0; f < 4; ++f) {
      const double value = k + 0.25 * f;
      (*fields[f])[i] = value;
      columns[f] += values_of<double>({value});
      line += std::to_string(value) + " ";
    }
    table += line + (i % 1000 == 0 ? "\n# a comment\n\n" : "\n");
    molecule += "ATOM 1 C GLY 1 " + line + "1.5\n";
  }
  const std::string shape = "(" + std::to_string(n) + ", 4)";
  file("r.txt", table);
  file("r.pqr", molecule);
  file("z.txt.gz", gzip(table));
  file("f.npy", npy(dictionary("<f8", "True", shape), columns[0] + columns[1] + columns[2] + columns[3]));
  write_result(folder_ / "r.npy", all, Result(n));
  write_result(folder_ / "r.h5", all, Result(n));
  const Rows expected = rows(all);
  for (const char* name : {"r.txt", "r.pqr", "z.txt.gz", "f.npy", "r.npy", "r.h5"}) {
    Rows read;
    for (int number = 0; number < 3; ++number) {
      const Particles part = read_particles(folder_ / name, {.part = {number, 3}});
      EXPECT_EQ(part.size(), (n + 2 - static_cast<std::size_t>(number)) / 3);
      const Rows more = rows(part);
      read.insert(read.end(), more.begin(), more.end());
    }
    EXPECT_TRUE(read == expected) << name;
  }
}

TEST_F(ParticleFiles, PartsTellTheRowsOfTheWhole) {
  std::vector<double> values(3 * 8, 1.0);
  values[3 * 6 + 1] = std::numeric_limits<double>::infinity();
  const fs::path path = file("r.npy", npy(dictionary("<f8", "False", "(8, 3)"), values_of<double>(values)));
  EXPECT_EQ(read_particles(path, {.part = {0, 2}}).size(), 4U);
  expect_bad_input([&] { read_particles(path, {.part = {1, 2}}); }, {"r.npy", "row 6"});
  expect_bad_input([&] { read_particles(path, {.part = {0, 9}}); }, {"r.npy", "8 particles for 9 processes"});
  const fs::path table = file("r.csv", "1,2,3\n4,5,6\n7,8,nine\n");
  EXPECT_EQ(read_particles(table, {.part = {1, 3}}).size(), 1U);
  expect_bad_input([&] { read_particles(table, {.part = {2, 3}}); }, {"r.csv", "line 3", "nine"});
  expect_bad_input([&] { read_particles(table, {.part = {2, 4}}); }, {"r.csv", "3 particles for 4 processes"});
}

}  // namespace
}  // namespace asterism::fmm
