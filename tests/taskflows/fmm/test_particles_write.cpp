// SPDX-License-Identifier: Apache-2.0
// Results in every format: read back, by hand or by a small reader of the test's own; failures leave no file.
#include <hdf5.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>

#include "io/hdf5/file.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"
#include "tests/taskflows/fmm/particles_fixture.hpp"

namespace asterism::fmm {
namespace {

struct Case {
  Particles particles;
  Result result;
};

/// Values that need every digit, all different.
Case example(std::size_t n) {
  Case c{plummer(n, 11, Charges::uniform01), Result(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(i + 1);
    c.result.potential[i] = 1 / (3 * k);
    c.result.fx[i] = -1e-300 / k;
    c.result.fy[i] = 7e200 / k;
    c.result.fz[i] = -k / 7;
  }
  return c;
}

std::vector<double> interleaved(const Array<double>& x, const Array<double>& y, const Array<double>& z) {
  std::vector<double> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.insert(result.end(), {x[i], y[i], z[i]});
  return result;
}

/// Sizes around the blocks of the writers.
const std::vector<std::size_t> sizes = {1, 2, 16384, 70001};

TEST_F(ParticleFiles, WritesTables) {
  Case small{Particles(2), Result(2)};
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = i == 0 ? 1 : -0.1;
    small.particles.x[i] = s;
    small.particles.y[i] = 2 * s;
    small.particles.z[i] = 3 * s;
    small.particles.charge[i] = 1e300 * s;
    small.result.potential[i] = 0.5;
    small.result.fx[i] = 1e-5 * s;
    small.result.fy[i] = 0;
    small.result.fz[i] = 1.0 / 3;
  }
  write_result(folder_ / "r.csv", small.particles, small.result);
  EXPECT_EQ(bytes(folder_ / "r.csv"),
            "x,y,z,charge,potential,fx,fy,fz\n"
            "1,2,3,1e+300,0.5,1e-05,0,0.3333333333333333\n"
            "-0.1,-0.2,-0.30000000000000004,-1e+299,0.5,-1.0000000000000002e-06,0,0.3333333333333333\n");
}

TEST_F(ParticleFiles, ReadsBackWhatItWrote) {
  for (const std::size_t n : sizes) {
    const Case c = example(n);
    for (const std::string name : {"r.csv", "r.npy", "r.h5", "r.HDF5"}) {
      write_result(folder_ / name, c.particles, c.result);
      EXPECT_TRUE(rows(read_particles(folder_ / name)) == rows(c.particles)) << name << ' ' << n;
    }
    for (const std::string name : {"r.csv", "r.npy"}) {
      const Particles columns = read_particles(folder_ / name, {.columns = "6,7,8,5"});
      EXPECT_TRUE(interleaved(columns.x, columns.y, columns.z) == interleaved(c.result.fx, c.result.fy, c.result.fz));
      EXPECT_TRUE(as_vector(columns.charge) == as_vector(c.result.potential));
    }
    const Hdf5Input file(folder_ / "r.h5");
    EXPECT_EQ(file.members(), (std::vector<std::string>{"charges", "force", "positions", "potential"}));
    EXPECT_EQ(file.shape("force"), (std::vector<std::size_t>{n, 3}));
    EXPECT_EQ(file.shape("potential"), (std::vector<std::size_t>{n}));
    std::vector<double> force(3 * n);
    file.read_rows("force", 0, force);
    EXPECT_TRUE(force == interleaved(c.result.fx, c.result.fy, c.result.fz));
    std::vector<double> potential(n);
    file.read_rows("potential", 0, potential);
    EXPECT_TRUE(potential == as_vector(c.result.potential));
  }
}

TEST_F(ParticleFiles, WritesAndReadsMotions) {
  const Case c = example(1000);
  Motion motion(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto k = static_cast<double>(i);
    motion.vx[i] = 1 / (k + 3);
    motion.vy[i] = -k;
    motion.vz[i] = 1e-5 * k;
    motion.ax[i] = 3 * k;
    motion.ay[i] = 1 / (7 + k);
    motion.az[i] = -1e10 / (1 + k);
  }
  const ResultNames names{"mass", "J/kg", "N", "m/s", "m/s^2"};
  for (const std::string name : {"m.csv", "m.npy", "m.h5"}) {
    write_result(folder_ / name, c.particles, c.result, &motion, names);
    const Particles p = read_particles(folder_ / name);
    EXPECT_TRUE(rows(p) == rows(c.particles)) << name;
    EXPECT_TRUE(interleaved(p.vx, p.vy, p.vz) == interleaved(motion.vx, motion.vy, motion.vz)) << name;
  }
  EXPECT_EQ(bytes(folder_ / "m.csv").substr(0, bytes(folder_ / "m.csv").find('\n')),
            "x,y,z,mass,potential [J/kg],fx [N],fy [N],fz [N],vx,vy,vz,ax [m/s^2],ay [m/s^2],az [m/s^2]");
  const Particles a = read_particles(folder_ / "m.npy", {.columns = "12,13,14"});
  EXPECT_TRUE(interleaved(a.x, a.y, a.z) == interleaved(motion.ax, motion.ay, motion.az));
  const Hdf5Input file(folder_ / "m.h5");
  EXPECT_EQ(file.text_attribute("potential", "unit"), "J/kg");
  EXPECT_EQ(file.text_attribute("velocities", "unit"), "m/s");
  std::vector<double> accelerations(3000);
  file.read_rows("accelerations", 0, accelerations);
  EXPECT_TRUE(accelerations == interleaved(motion.ax, motion.ay, motion.az));
  write_result(folder_ / "m.vtp", c.particles, c.result, &motion, names);
  const std::string vtp = bytes(folder_ / "m.vtp");
  for (const char* array : {"Name=\"mass\"", "Name=\"velocity\"", "Name=\"acceleration\""})
    EXPECT_NE(vtp.find(array), std::string::npos) << array;
}

TEST_F(ParticleFiles, NumPyHeaderIsAsNumPyWritesIt) {
  const Case c = example(2);
  write_result(folder_ / "r.npy", c.particles, c.result);
  const std::string text = bytes(folder_ / "r.npy");
  ASSERT_EQ(text.size(), 128U + 2 * 8 * 8);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 59), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 8), }");
  EXPECT_EQ(text[127], '\n');
}

/// Reads the legacy format: keywords, and numbers with the most significant byte first.
class LegacyVtk {
 public:
  explicit LegacyVtk(std::string bytes) : in_(std::move(bytes)) {}

  std::string line() {
    std::string result;
    std::getline(in_, result);
    return result;
  }
  template <class Number, class Bits>
  std::vector<Number> numbers(std::size_t n) {
    std::vector<Number> result;
    for (std::size_t i = 0; i < n; ++i) {
      Bits bits = 0;
      for (std::size_t b = 0; b < sizeof(Bits); ++b) bits = bits << 8U | static_cast<Bits>(in_.get());
      result.push_back(std::bit_cast<Number>(bits));
    }
    EXPECT_EQ(in_.get(), '\n');
    return result;
  }
  std::vector<double> doubles(std::size_t n) { return numbers<double, std::uint64_t>(n); }
  bool at_end() { return in_.peek() == std::istringstream::traits_type::eof(); }

 private:
  std::istringstream in_;
};

TEST_F(ParticleFiles, WritesLegacyVtk) {
  for (const std::size_t n : sizes) {
    const Case c = example(n);
    write_result(folder_ / "r.vtk", c.particles, c.result);
    LegacyVtk vtk(bytes(folder_ / "r.vtk"));
    EXPECT_EQ(vtk.line(), "# vtk DataFile Version 3.0");
    EXPECT_LT(vtk.line().size(), 256U);
    EXPECT_EQ(vtk.line(), "BINARY");
    EXPECT_EQ(vtk.line(), "DATASET POLYDATA");
    EXPECT_EQ(vtk.line(), fmt::format("POINTS {} double", n));
    EXPECT_TRUE(vtk.doubles(3 * n) == interleaved(c.particles.x, c.particles.y, c.particles.z));
    EXPECT_EQ(vtk.line(), fmt::format("VERTICES {} {}", n, 2 * n));
    const auto vertices = vtk.numbers<std::int32_t, std::uint32_t>(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(vertices[2 * i], 1);
      ASSERT_EQ(vertices[2 * i + 1], static_cast<std::int32_t>(i));
    }
    EXPECT_EQ(vtk.line(), fmt::format("POINT_DATA {}", n));
    EXPECT_EQ(vtk.line(), "SCALARS charge double 1");
    EXPECT_EQ(vtk.line(), "LOOKUP_TABLE default");
    EXPECT_TRUE(vtk.doubles(n) == as_vector(c.particles.charge));
    EXPECT_EQ(vtk.line(), "SCALARS potential double 1");
    EXPECT_EQ(vtk.line(), "LOOKUP_TABLE default");
    EXPECT_TRUE(vtk.doubles(n) == as_vector(c.result.potential));
    EXPECT_EQ(vtk.line(), "VECTORS force double");
    EXPECT_TRUE(vtk.doubles(3 * n) == interleaved(c.result.fx, c.result.fy, c.result.fz));
    EXPECT_TRUE(vtk.at_end());
  }
}

/// The value of an attribute in an XML element.
std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t begin = element.find(' ' + name + "=\"") + name.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

TEST_F(ParticleFiles, WritesXmlVtk) {
  for (const std::size_t n : sizes) {
    const Case c = example(n);
    write_result(folder_ / "r.vtp", c.particles, c.result);
    const std::string text = bytes(folder_ / "r.vtp");
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    const std::size_t appended = text.find(mark) + mark.size();
    const std::string head = text.substr(0, appended);
    EXPECT_NE(head.find("byte_order=\"LittleEndian\" header_type=\"UInt64\""), std::string::npos);
    EXPECT_NE(head.find(fmt::format("NumberOfPoints=\"{}\" NumberOfVerts=\"{}\"", n, n)), std::string::npos);
    std::map<std::string, std::vector<char>> arrays;
    std::map<std::string, std::string> types;
    std::size_t end = appended;
    for (std::size_t at = head.find("<DataArray"); at != std::string::npos; at = head.find("<DataArray", at + 1)) {
      const std::string element = head.substr(at, head.find("/>", at) - at);
      const std::size_t data = appended + std::stoul(attribute(element, "offset"));
      EXPECT_EQ(data, end) << "arrays follow each other";
      std::uint64_t size = 0;
      ASSERT_LE(data + 8, text.size());
      std::memcpy(&size, text.data() + data, 8);
      ASSERT_LE(data + 8 + size, text.size());
      const std::string name = attribute(element, "Name");
      arrays[name].assign(text.data() + data + 8, text.data() + data + 8 + size);
      types[name] = attribute(element, "type") + attribute(element, "NumberOfComponents");
      end = data + 8 + size;
    }
    EXPECT_EQ(text.substr(end), "\n</AppendedData>\n</VTKFile>\n");
    const auto expect = [&](const std::string& name, const std::string& type, const auto& values) {
      EXPECT_EQ(types[name], type) << name;
      ASSERT_EQ(arrays[name].size(), values.size() * sizeof(values[0])) << name;
      EXPECT_EQ(std::memcmp(arrays[name].data(), values.data(), arrays[name].size()), 0) << name;
    };
    std::vector<std::int64_t> index(n);
    for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::int64_t>(i);
    expect("Points", "Float643", interleaved(c.particles.x, c.particles.y, c.particles.z));
    expect("connectivity", "Int641", index);
    for (std::int64_t& i : index) ++i;
    expect("offsets", "Int641", index);
    expect("charge", "Float641", as_vector(c.particles.charge));
    expect("potential", "Float641", as_vector(c.result.potential));
    expect("force", "Float643", interleaved(c.result.fx, c.result.fy, c.result.fz));
  }
}

TEST_F(ParticleFiles, BytesDoNotDependOnThreads) {
  const Case c = example(70001);
  for (const std::string name : {"r.csv", "r.npy", "r.vtk", "r.vtp"}) {
    omp_set_num_threads(1);
    write_result(folder_ / name, c.particles, c.result);
    const std::string one = bytes(folder_ / name);
    omp_set_num_threads(7);
    write_result(folder_ / name, c.particles, c.result);
    EXPECT_TRUE(bytes(folder_ / name) == one) << name;
  }
}

const std::vector<std::string> names = {"r.csv", "r.npy", "r.h5", "r.vtk", "r.vtp"};

TEST_F(ParticleFiles, ChecksTheNameEarly) {
  for (const std::string& name : names) EXPECT_NO_THROW(check_output_name(folder_ / name));
  EXPECT_NO_THROW(check_output_name("r.CSV"));
  const Case c = example(2);
  fs::create_directory(folder_ / "folder.csv");
  const std::vector<std::pair<fs::path, std::vector<std::string>>> bad = {
      {folder_ / "r.txt", {"r.txt", "\".txt\"", ".csv, .h5", ".vtp"}},
      {folder_ / "r", {"extension"}},
      {folder_ / "none" / "r.csv", {"none/r.csv", "cannot be written", "No such file"}},
      {folder_ / "none" / "r.h5", {"none/r.h5", "cannot be written", "No such file"}},
      {folder_ / "folder.csv", {"folder.csv", "cannot be replaced"}}};
  for (const auto& [path, words] : bad) {
    expect_bad_input([&, &path = path] { check_output_name(path); }, words);
    expect_bad_input([&, &path = path] { write_result(path, c.particles, c.result); }, words);
  }
  fs::create_symlink("/dev/full", folder_ / "full.csv");
  expect_bad_input([&] { check_output_name(folder_ / "full.csv"); }, {"full.csv", "cannot be replaced"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "nothing is left";
  Result wrong(3);
  expect_error(Error::Kind::failed, [&] { write_result(folder_ / "r.csv", c.particles, wrong); }, {"2 particles"});
}

TEST_F(ParticleFiles, LeavesNothingWhenTheDiskIsFull) {
  const Case c = example(70001);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {.rlim_cur = 1000000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  file("r.csv", "old");
  setrlimit(RLIMIT_FSIZE, &small);
  for (const std::string& name : names) {
    expect_error(Error::Kind::failed, [&] { write_result(folder_ / name, c.particles, c.result); },
                 {name, "cannot be written", "File too large"});
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(bytes(folder_ / "r.csv"), "old") << "the file of before stays";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace asterism::fmm
