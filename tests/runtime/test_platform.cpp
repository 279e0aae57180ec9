// Machines to simulate: what files say, what is wrong with them, and what tasks cost there.
#include "runtime/machine/platform.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/machine/platform_files.hpp"
#include "tests/data_file.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const char* const good = R"(description = "a machine"
[cpu]
cores = 6
model = "a core"
rates = { flops = 2e9, bytes = 4e9, seconds = 1e-6 }
[gpu]
count = 2
model = "a GPU"
memory = 3e9
rates = { flops = 1e12, bytes = 5e11, seconds = 1e-5 }
[bus]
to_gpu = [{ bandwidth = 1e10, latency = 1e-5 }, { bandwidth = 2e10, latency = 2e-5 }]
from_gpu = { bandwidth = 3e10, latency = 3e-5 }
shared = 2.5e10
peer = { bandwidth = 5e10, latency = 5e-6 }
[codelets.product]
gpu = { flops = 2e12 }
[codelets.product_double]
gpu = { bytes = 1e11, seconds = 2e-5 }
cpu = "none"
[codelets.measured]
cpu = { by = "bytes", samples = [[1e3, 1e-4], [1e5, 1e-2]], classes = [["a1", 0.5]] }
[codelets.both]
cpu = { flops = 1e9, bytes = 1e9 }
)";

/// The platform `good` with two kinds of GPUs instead of one: one GPU, then two half as fast.
std::string with_two_kinds() {
  std::string text = good;
  const auto replace = [&](const std::string& what, const std::string& instead) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), instead);
  };
  replace("[gpu]\ncount = 2", "[[gpu]]\ncount = 1");
  replace("[bus]\n", R"([[gpu]]
count = 2
model = "a smaller GPU"
memory = 1e9
rates = { flops = 5e11, bytes = 2.5e11, seconds = 2e-5 }
[bus]
)");
  replace("latency = 2e-5 }]", "latency = 2e-5 }, { bandwidth = 2e10, latency = 4e-5 }]");
  replace("gpu = { flops = 2e12 }", "gpu = [{ flops = 2e12 }, { flops = 1e12 }]");
  return text;
}

class PlatformTest : public testing::Test {
 protected:
  PlatformTest() { fs::create_directories(folder_); }
  ~PlatformTest() override { fs::remove_all(folder_); }

  fs::path file(const std::string& text) const {
    const fs::path path = folder_ / "box.toml";
    std::ofstream(path) << text;
    return path;
  }
  Platform read(const std::string& text) const { return read_platform(file(text)); }
  /// `good` with its first `what` replaced.
  static std::string with(const std::string& what, const std::string& instead) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
  }
  /// What the error says, which is bad input in one line.
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "none";
  }
  void expect_complaint(const std::string& text, const std::string& about) const {
    const std::string says = complaint(text);
    EXPECT_NE(says.find(about), std::string::npos) << says;
    EXPECT_NE(says.find("box.toml"), std::string::npos) << says;
  }

  fs::path folder_ = fs::temp_directory_path() / ("platform_test_" + std::to_string(getpid()));
};

TEST_F(PlatformTest, SaysWhatTheFileSays) {
  const Platform p = read(good);
  EXPECT_EQ(p.name, "box");
  EXPECT_EQ(p.description, "a machine");
  EXPECT_EQ(p.cores, 6);
  EXPECT_EQ(p.cpu_model, "a core");
  EXPECT_EQ(p.gpus(), 2);
  ASSERT_EQ(p.gpu_kinds.size(), 1U);
  EXPECT_EQ(p.gpu_kinds[0].model, "a GPU");
  EXPECT_EQ(p.gpu_kinds[0].memory, 3e9);
  ASSERT_EQ(p.to_gpu.size(), 2U);
  EXPECT_EQ(p.to_gpu[0].bandwidth, 1e10);
  EXPECT_EQ(p.to_gpu[1].latency, 2e-5);
  ASSERT_EQ(p.from_gpu.size(), 2U);
  EXPECT_EQ(p.from_gpu[1].bandwidth, 3e10);
  EXPECT_EQ(p.from_gpu[0].latency, 3e-5);
  EXPECT_EQ(p.shared, 2.5e10);
  ASSERT_TRUE(p.peer.has_value());
  EXPECT_EQ(p.peer->bandwidth, 5e10);
  EXPECT_EQ(p.peer->latency, 5e-6);
}

TEST_F(PlatformTest, Overheads) {
  EXPECT_TRUE(read(good).overheads);
  EXPECT_TRUE(read("overheads = true\n" + std::string(good)).overheads);
  EXPECT_FALSE(read("overheads = false\n" + std::string(good)).overheads);
  EXPECT_THROW(read("overheads = 0\n" + std::string(good)), Error);
}

TEST_F(PlatformTest, DefaultsAreARoofline) {
  const Platform p = read(good);
  const auto seconds = [&](UnitKind kind, double flops, double bytes) {
    return p.cost("other", "other", kind)->of({flops, bytes, 0});
  };
  EXPECT_DOUBLE_EQ(seconds(UnitKind::cpu, 2e6, 4), 1e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds(UnitKind::cpu, 2, 4e6), 1e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds(UnitKind::gpu, 1e9, 1), 1e-5 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds(UnitKind::gpu, 1e9, 5e9), 1e-5 + 1e-2);
  EXPECT_DOUBLE_EQ(seconds(UnitKind::gpu, 0, 0), 1e-5);
}

TEST_F(PlatformTest, CodeletsDifferFromDefaults) {
  const Platform p = read(good);
  const TaskWork work{1e9, 1e9, 0};
  // by symbol before name; a rate stands for both, an overhead is kept
  EXPECT_DOUBLE_EQ(p.cost("product_float", "product", UnitKind::gpu)->of(work), 1e-5 + 5e-4);
  EXPECT_DOUBLE_EQ(p.cost("product_float", "product", UnitKind::cpu)->of(work), 1e-6 + 0.5);
  EXPECT_DOUBLE_EQ(p.cost("product_double", "product", UnitKind::gpu)->of(work), 2e-5 + 1e-2);
  EXPECT_EQ(p.cost("product_double", "product", UnitKind::cpu), nullptr);
  EXPECT_DOUBLE_EQ(p.cost("both", "both", UnitKind::cpu)->of({1e9, 3e9, 0}), 1e-6 + 3);
}

TEST_F(PlatformTest, SamplesAreLinesOfLogarithms) {
  const Platform p = read(good);
  const TaskCost& cost = *p.cost("measured", "measured", UnitKind::cpu);
  const auto seconds = [&](double bytes, std::uint32_t footprint = 0) { return cost.of({1e12, bytes, footprint}); };
  EXPECT_DOUBLE_EQ(seconds(1e3), 1e-4);
  EXPECT_DOUBLE_EQ(seconds(1e5), 1e-2);
  EXPECT_NEAR(seconds(1e4), 1e-3, 1e-12);
  EXPECT_DOUBLE_EQ(seconds(500), 5e-5);
  EXPECT_DOUBLE_EQ(seconds(3e5), 3e-2);
  EXPECT_DOUBLE_EQ(seconds(1e3, 0xa1), 0.5);
  EXPECT_DOUBLE_EQ(seconds(0), 1e-6 + 500);  // nothing of what samples are counted in: by the rates
  // a power that is not 1, between points that are not at its ends
  EXPECT_NEAR(interpolate({{1, 1}, {10, 100}, {1000, 400}}, 100), 200, 1e-9);
  EXPECT_NEAR(interpolate({{1, 1}, {10, 100}, {1000, 400}}, 3), 9, 1e-9);
  EXPECT_NEAR(interpolate({{1, 1}, {10, 100}, {1000, 400}}, 6), 36, 1e-9);
  EXPECT_DOUBLE_EQ(interpolate({{2, 3}}, 8), 12);
}

TEST_F(PlatformTest, GpusOfSeveralKinds) {
  const Platform p = read(with_two_kinds());
  ASSERT_EQ(p.gpu_kinds.size(), 2U);
  EXPECT_EQ(p.gpus(), 3);
  EXPECT_EQ(p.kind_of_gpu(0), 0U);
  EXPECT_EQ(p.kind_of_gpu(1), 1U);
  EXPECT_EQ(p.kind_of_gpu(2), 1U);
  EXPECT_EQ(p.gpu_kinds[1].model, "a smaller GPU");
  const TaskWork work{1e9, 1e9, 0};
  const auto seconds = [&](const char* codelet, int gpu) {
    return p.cost(codelet, codelet, UnitKind::gpu, gpu)->of(work);
  };
  EXPECT_DOUBLE_EQ(seconds("other", 0), 1e-5 + 2e-3);
  EXPECT_DOUBLE_EQ(seconds("other", 2), 2e-5 + 4e-3);
  EXPECT_DOUBLE_EQ(seconds("product", 0), 1e-5 + 5e-4);
  EXPECT_DOUBLE_EQ(seconds("product", 1), 2e-5 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds("product_double", 2), 2e-5 + 1e-2);  // one table for both kinds

  write_platform_files(p, folder_ / "models");
  std::ifstream file(folder_ / "models" / "bus" / "box.platform.v4.xml");
  const std::string xml((std::istreambuf_iterator<char>(file)), {});
  const auto host = [&](const std::string& id) {
    const std::size_t at = xml.find("<host id=\"" + id + "\"");
    return at == std::string::npos ? std::string() : xml.substr(at, xml.find("</host>", at) - at);
  };
  EXPECT_NE(host("CUDA0").find("\"a GPU\""), std::string::npos) << xml;
  EXPECT_NE(host("CUDA2").find("\"a smaller GPU\""), std::string::npos) << xml;
  EXPECT_NE(host("CUDA1").find("value=\"1000000000\""), std::string::npos) << xml;

  const auto refuses = [&](const std::string& what, const std::string& instead, const std::string& about) {
    std::string text = with_two_kinds();
    text.replace(text.find(what), what.size(), instead);
    expect_complaint(text, about);
  };
  refuses(", { flops = 1e12 }", "", "codelets.product.gpu");
  refuses("{ flops = 1e12 }", "\"none\"", "codelets.product.gpu[1]");
  refuses(", { bandwidth = 2e10, latency = 4e-5 }", "", "bus.to_gpu");
  refuses("memory = 1e9\n", "", "gpu[1].memory");
}

TEST_F(PlatformTest, WithoutGpusNeedsNoBus) {
  const Platform p = read("description = \"c\"\n[cpu]\ncores = 1\nrates = { flops = 1, bytes = 1, seconds = 1 }\n");
  EXPECT_EQ(p.gpus(), 0);
  EXPECT_EQ(p.cost("other", "other", UnitKind::gpu), nullptr);
  EXPECT_FALSE(p.peer.has_value());
  EXPECT_TRUE(p.to_gpu.empty());
  const std::string text =
      "description = \"c\"\n[cpu]\ncores = 1\nrates = { flops = 1, bytes = 1, seconds = 1 }\n[codelets.a]\ngpu = ";
  EXPECT_TRUE(read(text + "{ flops = 1 }\n").codelets.at("a").gpu.empty());
  expect_complaint(text + "{ flop = 1 }\n", "flop");
  expect_complaint(text + "[{ flops = 1 }]\n", "1 tables");
}

TEST_F(PlatformTest, RefusesWhatIsWrong) {
  EXPECT_EQ(complaint(good), "none");
  expect_complaint("cpu = ", "no TOML");
  expect_complaint(with("description = \"a machine\"\n", ""), "description");
  expect_complaint(with("description = \"a machine\"", "description = \"a machine\"\nspeed = 1"), "speed");
  expect_complaint(with("cores = 6", "cores = 6\nspeed = 1"), "cpu.\"speed\"");
  expect_complaint(with("memory = 3e9", "memory = 3e9\nspeed = 1"), "gpu.\"speed\"");
  expect_complaint(with("cores = 6", "cores = 6.5"), "cpu.cores");
  expect_complaint(with("cores = 6", "cores = 0"), "cpu.cores");
  expect_complaint(with("count = 2", "count = -1"), "gpu.count");
  expect_complaint(with("memory = 3e9\n", ""), "gpu.memory");
  expect_complaint(with("memory = 3e9", "memory = \"3 GB\""), "gpu.memory");
  expect_complaint(with("flops = 2e9, ", ""), "cpu.rates.flops");
  expect_complaint(with("bytes = 5e11, ", ""), "gpu.rates.bytes");
  expect_complaint(with(", seconds = 1e-5", ""), "gpu.rates.seconds");
  expect_complaint(with("seconds = 1e-6", "seconds = 0"), "cpu.rates.seconds");
  expect_complaint(with("flops = 2e9", "flops = 2e9, flop = 1"), "flop");
  expect_complaint(with("[bus]", "[buses]"), "bus");
  expect_complaint(with("shared", "shraed"), "shraed");
  expect_complaint(with(", { bandwidth = 2e10, latency = 2e-5 }]", "]"), "bus.to_gpu");
  expect_complaint(with(", latency = 5e-6", ""), "bus.peer.latency");
  expect_complaint(with("bandwidth = 5e10", "bandwidth = 0"), "bus.peer.bandwidth");
  expect_complaint(with("cpu = \"none\"", "cpu = \"never\""), "codelets.product_double.cpu");
  expect_complaint(with("gpu = { flops = 2e12 }", "gpu = \"none\"\ncpu = \"none\""), "runs nowhere");
  expect_complaint(with("gpu = { flops = 2e12 }", "gpus = { flops = 2e12 }"), "gpus");
  expect_complaint(with("by = \"bytes\", ", ""), "codelets.measured.cpu.by");
  expect_complaint(with("[1e5, 1e-2]", "[1e3, 1e-2]"), "samples[1]");
  expect_complaint(with("[1e5, 1e-2]", "[1e5]"), "samples[1]");
  expect_complaint(with("[1e5, 1e-2]", "[1e5, 0]"), "samples[1]");
  expect_complaint(with("[\"a1\", 0.5]", "[\"xy\", 0.5]"), "classes[0]");
  expect_complaint(with("[\"a1\", 0.5]", "[\"a1\", 0.5], [\"A1\", 0.5]"), "classes[1]");
  EXPECT_THROW(read_platform(folder_ / "none.toml"), Error);
}

TEST_F(PlatformTest, CodeletsOfAnotherPlatform) {
  std::ofstream(folder_ / "other.toml") << good << R"(
[codelets.elsewhere]
cpu = { flops = 5e9 }
gpu = "none"
)";
  const Platform p = read("codelets_of = \"other\"\n" + with("gpu = { flops = 2e12 }", "gpu = { flops = 3e12 }"));
  EXPECT_EQ(p.cost("elsewhere", "", UnitKind::gpu), nullptr);
  EXPECT_EQ(p.cost("elsewhere", "", UnitKind::cpu)->flops, 5e9);
  EXPECT_EQ(p.cost("product", "", UnitKind::gpu)->flops, 3e12) << "this file's own comes first";
  EXPECT_FALSE(read(good).codelets.contains("elsewhere"));
  expect_complaint("codelets_of = \"nobody\"\n" + std::string(good), "codelets_of");
  expect_complaint("codelets_of = \"box\"\n" + std::string(good), "another platform");
  expect_complaint("codelets_of = \"other\"\n" + with_two_kinds(), "1 kinds of GPUs");
  std::ofstream(folder_ / "other.toml") << "codelets_of = \"third\"\n" << good;
  expect_complaint("codelets_of = \"other\"\n" + std::string(good), "its own codelets");
}

TEST_F(PlatformTest, NamesOfCodeletsAreChecked) {
  const fs::path path = file(good);
  std::vector<std::string> asked;
  const auto all_right = [&](const std::string& name) {
    asked.push_back(name);
    return "";
  };
  const std::size_t named = read_platform(path, all_right).codelets.size();
  EXPECT_EQ(asked.size(), named);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "both"), 1);
  try {
    read_platform(path, [](const std::string& name) { return name == "both" ? "a codelet, such as booth" : ""; });
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    const std::string says = error.what();
    for (const char* part :
         {"box.toml", "line ", "codelets.both", "found \"both\"", "expected a codelet, such as booth"})
      EXPECT_NE(says.find(part), std::string::npos) << says;
  }
}

TEST_F(PlatformTest, AreFoundByNameOrFile) {
  file(good);
  const fs::path program = folder_ / "build/cpu/bin/asterism-cg";
  const fs::path shipped = folder_ / "experiments/machines";
  fs::create_directories(program.parent_path());
  fs::create_directories(shipped);
  fs::copy(folder_ / "box.toml", shipped / "shipped.toml");
  EXPECT_EQ(find_platform("--simulate", "shipped", program), fs::canonical(shipped / "shipped.toml"));
  EXPECT_EQ(find_platform("--simulate", (folder_ / "box.toml").string(), program), folder_ / "box.toml");
  EXPECT_THROW(find_platform("--simulate", (folder_ / "other.toml").string(), program), Error);
  try {
    find_platform("show", "box", program);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    EXPECT_EQ(std::string(error.what()).find("show box: "), 0U) << error.what();
    EXPECT_NE(std::string(error.what()).find("shipped"), std::string::npos);
  }
}

/// Rows of numbers, without comments.
std::vector<std::vector<double>> numbers_in(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    rows.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) rows.back().push_back(std::stod(word));
  }
  return rows;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(PlatformTest, FilesForStarpu) {
  write_platform_files(read(good), folder_);
  const auto bandwidth = numbers_in(folder_ / "bus/box.bandwidth");
  const auto latency = numbers_in(folder_ / "bus/box.latency");
  ASSERT_GE(bandwidth.size(), 3U);
  ASSERT_EQ(bandwidth.size(), bandwidth[0].size());
  const double expected_bandwidth[3][3] = {{0, 1e4, 2e4}, {3e4, 0, 5e4}, {3e4, 5e4, 0}};  // MB/s
  const double expected_latency[3][3] = {{0, 10, 20}, {30, 0, 5}, {30, 5, 0}};            // microseconds
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_DOUBLE_EQ(bandwidth[i][j], expected_bandwidth[i][j]) << i << " " << j;
      EXPECT_NEAR(latency[i][j], expected_latency[i][j], 1e-9) << i << " " << j;
    }
  EXPECT_TRUE(std::isnan(bandwidth[3][0]));
  const std::string xml = contents(folder_ / "bus/box.platform.v4.xml");
  for (const char* part :
       {"host id=\"CPU5\"", "host id=\"CUDA1\"", "id=\"memsize\" value=\"3000000000\"", "id=\"model\" value=\"a GPU\"",
        "id=\"memcpy_peer\" value=\"1\"", "link id=\"Interconnect\" bandwidth=\"25000000000.000Bps\"",
        "link id=\"RAM-CUDA1\" bandwidth=\"20000000000.000Bps\" latency=\"0.000020000s\"",
        "link id=\"CUDA0-RAM\" bandwidth=\"30000000000.000Bps\" latency=\"0.000030000s\"",
        "link id=\"CUDA1-CUDA0\" bandwidth=\"50000000000.000Bps\" latency=\"0.000005000s\"",
        "<route src=\"RAM\" dst=\"CUDA0\" symmetrical=\"NO\"><link_ctn id=\"RAM-CUDA0\"/><link_ctn "
        "id=\"Interconnect\"/>",
        "<route src=\"CUDA0\" dst=\"CUDA1\" symmetrical=\"NO\"><link_ctn id=\"CUDA0-CUDA1\"/></route>"})
    EXPECT_NE(xml.find(part), std::string::npos) << part;
  EXPECT_EQ(xml.find("host id=\"CPU6\""), std::string::npos);
  EXPECT_EQ(xml.find("host id=\"CUDA2\""), std::string::npos);
}

TEST_F(PlatformTest, WithoutPeerLinksByWayOfMainMemory) {
  write_platform_files(read(with("peer = { bandwidth = 5e10, latency = 5e-6 }\n", "")), folder_);
  EXPECT_EQ(contents(folder_ / "bus/box.platform.v4.xml").find("memcpy_peer"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "bus/box.platform.v4.xml").find("dst=\"CUDA1\" symmetrical=\"NO\"><link_ctn id=\"CUDA0"),
            std::string::npos);
  const auto bandwidth = numbers_in(folder_ / "bus/box.bandwidth");
  EXPECT_NEAR(bandwidth[1][2], 1e4 / (1 / 3. + 1 / 2.), 1e-3);
  EXPECT_NEAR(bandwidth[2][1], 1e4 / (1 / 3. + 1 / 1.), 1e-3);
  EXPECT_NEAR(numbers_in(folder_ / "bus/box.latency")[1][2], 50, 1e-9);
}

TEST_F(PlatformTest, FolderGoesWithItsOwner) {
  fs::path folder;
  {
    const PlatformFiles files(read(good));
    folder = files.folder();
    EXPECT_TRUE(fs::exists(folder / "bus/box.config"));
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_THROW(PlatformFiles(read(with("cores = 6", "cores = 4000"))), Error);
}

/// What StarPU wrote on a machine of four H200, and what we write for the platform of that name.
TEST(PlatformFiles, AreThoseThatStarpuMeasured) {
  const fs::path measured = tests::data_file("machines/h200x4/sampling/bus");
  const Platform platform = read_platform(fs::path(ASTERISM_SOURCE_DIR) / "experiments/machines/h200x4.toml");
  const PlatformFiles ours(platform);
  for (const char* what : {"bandwidth", "latency"}) {
    const auto theirs = numbers_in(measured / (std::string("h200x4.") + what));
    const auto written = numbers_in(ours.folder() / "bus" / (std::string("h200x4.") + what));
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        const double allowed = i > 0 && j > 0 ? 0.03 : 1e-6;  // one figure for all pairs of GPUs
        EXPECT_NEAR(written[i][j], theirs[i][j], allowed * theirs[i][j]) << what << " " << i << " " << j;
      }
  }
  EXPECT_EQ(numbers_in(ours.folder() / "bus/h200x4.affinity"), numbers_in(measured / "h200x4.affinity"));
  EXPECT_EQ(contents(ours.folder() / "bus/h200x4.config"), contents(measured / "h200x4.config"));
  const std::string xml = contents(ours.folder() / "bus/h200x4.platform.v4.xml");
  EXPECT_NE(xml.find("value=\"150109880320\""), std::string::npos);
  EXPECT_NE(xml.find("host id=\"CPU63\""), std::string::npos);
}

TEST(Platforms, ThoseShippedCanBeRead) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ASTERISM_SOURCE_DIR) / "experiments/machines")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(PlatformFiles(read_platform(entry.path()))) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 9);
}

}  // namespace
}  // namespace asterism
