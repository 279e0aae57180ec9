// SPDX-License-Identifier: Apache-2.0
// The files that StarPU reads of a simulated machine.
#include "runtime/machine/platform_files.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "tests/data_file.hpp"
#include "tests/runtime/platform_fixture.hpp"

namespace asterism {
namespace {

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

TEST_F(PlatformTest, PeersThatDifferHaveLinksOfTheirOwn) {
  write_platform_files(read(with("peer = { bandwidth = 5e10, latency = 5e-6 }",
                                 "peer = [[{}, { bandwidth = 3e9, latency = 2e-5 }], "
                                 "[{ bandwidth = 4e9, latency = 1e-5 }, {}]]")),
                       folder_);
  const std::string xml = contents(folder_ / "bus/box.platform.v4.xml");
  for (const char* part : {"link id=\"CUDA0-CUDA1\" bandwidth=\"3000000000.000Bps\" latency=\"0.000020000s\"",
                           "link id=\"CUDA1-CUDA0\" bandwidth=\"4000000000.000Bps\" latency=\"0.000010000s\""})
    EXPECT_NE(xml.find(part), std::string::npos) << part;
  const auto bandwidth = numbers_in(folder_ / "bus/box.bandwidth");
  EXPECT_DOUBLE_EQ(bandwidth[1][2], 3e3);
  EXPECT_DOUBLE_EQ(bandwidth[2][1], 4e3);
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
