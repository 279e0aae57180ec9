// SPDX-License-Identifier: Apache-2.0
// platform_file.rec and StarPU's performance models: by hand, against starpu_perfmodel_recdump, against recutils.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/models/sampling.hpp"

namespace {

using namespace asterism;
using namespace asterism::traces;
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "asterism-platform-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path write(const fs::path& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string output_of(const std::string& command, int* status = nullptr) {
  std::string text;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  const int result = pclose(pipe);
  if (status != nullptr) *status = result;
  return text;
}

bool have(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

template <class Function>
std::string error_of(Function&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_status(), 2);
    return e.what();
  }
  return "no error";
}

constexpr const char* by_hand =
    "%rec: timing\n\n"
    "Model: gemm\nArchitecture: cpu0\nFootprint: 0000beef\nSize: 24\nFlops: 2.000000e+06   \nMean: 1.500000e+02   \n"
    "Stddev: 2.5e+00\nSamples: 7\n\n"
    "# a comment\n"
    "Model: gemm\nArchitecture: cuda1\nFootprint: 0000beef\nSize: 24\nMean: 10\nStddev: 0\nSamples: 3\n\n"
    "%rec: worker_count\n\nArchitecture: cpu0\nNbWorkers: 2\n\n"
    "%rec: memory_workers\n\nMemoryNode: 0\nName: NUMA 0\nSize: -1\nWorkers: 0 1\n\n"
    "MemoryNode: 1\nName: CUDA 0\nSize: 800\n\n"
    "%rec: memory_performance\n\nMemoryNodeSrc: 0\nMemoryNodeDst: 1\nBandwidth: 54294.3\nLatency: 9.5\n\n"
    "MemoryNodeSrc: 1\nMemoryNodeDst: 0\nBandwidth: nan\nLatency: nan\n\n"
    "%rec: somebody_elses\n\nThing: 3\n";

void expect_by_hand(const PlatformRec& p) {
  ASSERT_EQ(p.timings.size(), 2U);
  EXPECT_EQ(p.timings[0].model, "gemm");
  EXPECT_EQ(p.timings[0].architecture, "cpu0");
  EXPECT_EQ(p.timings[0].footprint, 0xbeefU);
  EXPECT_EQ(p.timings[0].size, 24U);
  ASSERT_TRUE(p.timings[0].flops);
  EXPECT_EQ(*p.timings[0].flops, 2e6);
  EXPECT_EQ(p.timings[0].mean, 150);
  EXPECT_EQ(p.timings[0].deviation, 2.5);
  EXPECT_EQ(p.timings[0].samples, 7U);
  EXPECT_FALSE(p.timings[1].flops);
  ASSERT_EQ(p.worker_counts.size(), 1U);
  EXPECT_EQ(p.worker_counts[0].count, 2U);
  ASSERT_EQ(p.memory_workers.size(), 2U);
  EXPECT_EQ(p.memory_workers[0].size, -1);
  EXPECT_EQ(p.memory_workers[0].workers, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(p.memory_workers[1].name, "CUDA 0");
  EXPECT_TRUE(p.memory_workers[1].workers.empty());
  ASSERT_EQ(p.memory_performance.size(), 1U);
  EXPECT_EQ(p.memory_performance[0].to, 1U);
  EXPECT_EQ(p.memory_performance[0].bandwidth, 54294.3);
}

TEST(PlatformRec, Read) {
  std::istringstream in(by_hand);
  expect_by_hand(read_platform_rec(in, "by hand"));
}

TEST(PlatformRec, RoundTripGivesTheSameBits) {
  const Folder folder;
  std::istringstream in(by_hand);
  PlatformRec p = read_platform_rec(in, "by hand");
  p.timings[0].mean = 150.0 / 7;
  p.timings[1].deviation = 1e-17 / 3;
  write_platform_rec(folder.path() / "p.rec", p);
  PlatformRec q = read_platform_rec(folder.path() / "p.rec");
  EXPECT_EQ(q.timings[0].mean, p.timings[0].mean);
  EXPECT_EQ(q.timings[1].deviation, p.timings[1].deviation);
  q.timings[0].mean = 150;
  expect_by_hand(q);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);  // no temporary file is left
}

TEST(PlatformRec, ErrorsNameFileAndLine) {
  const auto reads = [](const std::string& text) {
    return error_of([&] {
      std::istringstream in(text);
      read_platform_rec(in, "f.rec");
    });
  };
  EXPECT_EQ(reads("%rec: timing\n\nModel gemm\n"), "f.rec:3: found 'Model gemm', expected 'Field: value'");
  EXPECT_EQ(reads("%rec: timing\n\nModel: a\nArchitecture: cpu0\nFootprint: 1\nMean: fast\n"),
            "f.rec:6: Mean: found 'fast', expected a number");
  EXPECT_EQ(reads("%rec: timing\n\nModel: a\nArchitecture: cpu0\nFootprint: xyz\nMean: 1\n"),
            "f.rec:5: Footprint: found 'xyz', expected a hexadecimal number");
  EXPECT_EQ(reads("%rec: timing\n\nModel: a\nArchitecture: cpu0\nFootprint: 1\nMean: -1\n"),
            "f.rec:6: Mean: found '-1', expected a number >= 0");
  EXPECT_EQ(reads("%rec: timing\n\nModel: a\nFootprint: 1\nMean: 1\n"),
            "f.rec:3: record of type timing without field Architecture");
  EXPECT_EQ(reads("+ more\n"), "f.rec:1: a line that continues a field, and no field before it");
  EXPECT_EQ(error_of([] { read_platform_rec(fs::path("/nowhere/p.rec")); }),
            "/nowhere/p.rec: cannot be opened for reading");
}

TEST(PlatformRec, KindOfArchitecture) {
  EXPECT_EQ(kind_of_architecture("cuda12"), "CUDA");
  EXPECT_EQ(kind_of_architecture("cpu0"), "CPU");
  EXPECT_EQ(kind_of_architecture("mpi_ms0"), "MPI_MS");
  Recording r;
  r.kinds = {{"CPU"}, {"CUDA (quick)", {0, 2}}, {"CUDA (lame)", {1, 12}}};
  EXPECT_EQ(kind_of_architecture("cuda12", r), "CUDA (lame)");
  EXPECT_EQ(kind_of_architecture("cuda2", r), "CUDA (quick)");
  EXPECT_EQ(kind_of_architecture("cuda7", r), "CUDA");
  EXPECT_EQ(kind_of_architecture("cpu0", r), "CPU");
  EXPECT_EQ(architecture_of(r.kinds[0]), "cpu0");
  EXPECT_EQ(architecture_of(r.kinds[2]), "cuda1");
  EXPECT_EQ(architecture_of({"CUDA"}), "cuda0");
}

TEST(PlatformRec, RecutilsReadWhatIsWritten) {
  if (!have("recinf") || !have("recsel")) GTEST_SKIP() << "recutils is not installed";
  const Folder folder;
  std::istringstream in(by_hand);
  const fs::path file = folder.path() / "p.rec";
  write_platform_rec(file, read_platform_rec(in, "by hand"));
  int status = 0;
  EXPECT_EQ(output_of("recinf " + file.string(), &status),
            "2 timing\n1 worker_count\n2 memory_workers\n1 memory_performance\n");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(output_of("recsel -t timing -e 'Architecture = \"cpu0\"' -P Mean " + file.string(), &status), "150\n");
  EXPECT_EQ(status, 0);
}

/// A model file as StarPU 1.4 writes it: gemm on a CPU core with two implementations, on two GPUs, and on two cores.
std::string model(double cpu_first, double cpu_second) {
  const auto comb = [](int type, int id, int cores, const std::string& implementations) {
    std::ostringstream out;
    out << "####################\n# COMB\n# number of types devices\n1\n# device type\n"
        << type << "\n# device id \n"
        << id << "\n# number of cores \n"
        << cores << "\n"
        << implementations;
    return out.str();
  };
  const auto implementation = [](double mean) {
    std::ostringstream out;
    out << "#####\n# Model\n# number of entries\n2\n"
           "0.000000e+00   \t0.000000e+00   \t0.000000e+00   \t0.000000e+00   \tnan            \tnan            "
           "\t0\t0              \t0              \n"
           "# a\t\tb\t\tc\nnan            \tnan            \tnan            \n# not multiple-regression-base\n0\n"
           "# hash\t\tsize\t\tflops\t\tmean (us or J)\tdev (us or J)\tsum\t\tsum2\t\tn\n0000beef\t24             \t"
           "2.000000e+06   \t"
        << mean << "   \t1.000000e+00   \t1.000000e+02   \t1.000000e+03   \t10\n"
        << "00000001\t8              \tnan            \t5.000000e+00   \t0.000000e+00   \t5.000000e+00   "
           "\t2.500000e+01   \t1\n\n";
    return out.str();
  };
  return "##################\n# Performance Model Version\n45\n\n# number of combinations\n4\n" +
         comb(0, 0, 1, "# number of implementations\n2\n" + implementation(cpu_first) + implementation(cpu_second)) +
         comb(1, 0, 1, "1\n" + implementation(10)) + comb(1, 1, 1, "1\n" + implementation(20)) +
         comb(0, 0, 2, "1\n" + implementation(60));
}

TEST(Sampling, FastestImplementationOfSingleUnits) {
  const Folder folder;
  const std::vector<Timing> t = read_model_file(folder.write("gemm.here", model(150, 100)), "gemm");
  ASSERT_EQ(t.size(), 6U);  // cpu0, cuda0, cuda1 with two footprints each
  EXPECT_EQ(t[0].architecture, "cpu0");
  EXPECT_EQ(t[0].footprint, 1U);
  EXPECT_FALSE(t[0].flops);
  EXPECT_EQ(t[1].footprint, 0xbeefU);
  EXPECT_EQ(t[1].mean, 100);
  EXPECT_EQ(*t[1].flops, 2e6);
  EXPECT_EQ(t[1].samples, 10U);
  EXPECT_EQ(t[3].architecture, "cuda0");
  EXPECT_EQ(t[3].mean, 10);
  EXPECT_EQ(t[5].architecture, "cuda1");
  EXPECT_EQ(t[5].mean, 20);
}

TEST(Sampling, HostsAndFolders) {
  const Folder folder;
  EXPECT_FALSE(has_models(folder.path() / "none"));
  EXPECT_FALSE(has_models(folder.path()));
  folder.write(".starpu/sampling/codelets/45/gemm.here", model(150, 100));
  EXPECT_TRUE(has_models(folder.path()));
  folder.write(".starpu/sampling/codelets/45/my.gemm.here", model(150, 100));
  for (const char* below : {"", ".starpu/sampling", ".starpu/sampling/codelets", ".starpu/sampling/codelets/45"})
    EXPECT_EQ(read_sampling(folder.path() / below).timings.size(), 12U) << below;
  folder.write(".starpu/sampling/codelets/45/gemm.there", model(1, 2));
  folder.write(".starpu/sampling/bus/there.bandwidth",
               "# to NUMA 0\tto CUDA 0\t\n0.000000e+00\t5.4e+04\tnan\t\n2.7e+04\t0.0\tnan\t\nnan\tnan\tnan\t\n");
  folder.write(".starpu/sampling/bus/there.latency", "# to NUMA 0\tto CUDA 0\t\n0.0\t9.5\tnan\n8.5\t0.0\tnan\n");
  const std::string error = error_of([&] { read_sampling(folder.path()); });
  EXPECT_NE(error.find("models of 2 hosts (here, there); say which one"), std::string::npos) << error;
  const PlatformRec there = read_sampling(folder.path(), {"there"});
  ASSERT_EQ(there.timings.size(), 6U);
  EXPECT_EQ(there.timings[1].mean, 1);
  ASSERT_EQ(there.memory_performance.size(), 2U);
  EXPECT_EQ(there.memory_performance[0].bandwidth, 5.4e4);
  EXPECT_EQ(there.memory_performance[0].latency, 9.5);
  EXPECT_EQ(there.memory_performance[1].from, 1U);
  EXPECT_EQ(there.memory_workers[1].name, "CUDA 0");
  EXPECT_NE(error_of([&] { read_sampling(folder.path(), {"elsewhere"}); }).find("no model of host elsewhere"),
            std::string::npos);
}

TEST(Sampling, ErrorsNameFileAndLine) {
  const Folder folder;
  const fs::path old = folder.write("a.old", "44\n");
  EXPECT_EQ(error_of([&] { read_model_file(old, "a"); }),
            old.string() + ": performance model of version 44, expected 45 (StarPU 1.4)");
  std::string text = model(150, 100);
  const fs::path cut = folder.write("a.cut", text.substr(0, text.find("0000beef")));
  EXPECT_NE(error_of([&] { read_model_file(cut, "a"); }).find(": the file ends, expected hash"), std::string::npos);
  const std::size_t at = text.find("0000beef");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.replace(at, 8, "0000xeef");
  const fs::path wrong = folder.write("a.wrong", text);
  const std::string error = error_of([&] { read_model_file(wrong, "a"); });
  EXPECT_EQ(error, wrong.string() + ":" + std::to_string(line) + ": found '0000xeef', expected a footprint");
}

#ifdef ASTERISM_RECDUMP
TEST(Sampling, AgreesWithRecdump) {
  const Folder folder;
  folder.write(".starpu/sampling/codelets/45/gemm.madeup", model(100, 150));  // recdump takes the first
  const fs::path out = folder.path() / "dump.rec";
  const std::string command = "STARPU_HOME=" + folder.path().string() +
                              " STARPU_HOSTNAME=madeup STARPU_SILENT=1 STARPU_NCPU=1 STARPU_NCUDA=0 "
                              "STARPU_WORKERS_NOBIND=1 " ASTERISM_RECDUMP " -o " +
                              out.string();
  int status = 0;
  output_of(command, &status);
  if (status != 0 || !fs::exists(out)) GTEST_SKIP() << "starpu_perfmodel_recdump does not run here";
  const PlatformRec theirs = read_platform_rec(out);
  const PlatformRec ours = read_sampling(folder.path(), {"madeup"});
  EXPECT_FALSE(theirs.worker_counts.empty());
  EXPECT_FALSE(theirs.memory_workers.empty());
  std::size_t found = 0;
  for (const Timing& t : ours.timings)
    for (const Timing& d : theirs.timings)
      if (t.model == d.model && t.architecture == d.architecture && t.footprint == d.footprint && t.mean == d.mean) {
        ++found;
        EXPECT_EQ(t.size, d.size);
        EXPECT_EQ(t.flops, d.flops);
        EXPECT_EQ(t.deviation, d.deviation);
        EXPECT_EQ(t.samples, d.samples);
        break;  // recdump calls the pair of cores cpu0 as well
      }
  EXPECT_EQ(found, ours.timings.size());
}
#endif

}  // namespace
