// SPDX-License-Identifier: Apache-2.0
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
#include "tests/runtime/platform_fixture.hpp"

namespace asterism {
namespace {

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
  ASSERT_NE(p.peer(0, 1), nullptr);
  for (const Link* const peer : {p.peer(0, 1), p.peer(1, 0)}) {
    EXPECT_EQ(peer->bandwidth, 5e10);
    EXPECT_EQ(peer->latency, 5e-6);
  }
  EXPECT_FALSE(p.in_turn);
}

TEST_F(PlatformTest, PeersThatDiffer) {
  const std::string peer = "peer = { bandwidth = 5e10, latency = 5e-6 }";
  const auto rows = [&](const std::string& value) { return with(peer, "peer = " + value + "\nin_turn = true"); };
  const Platform p =
      read(rows("[[{}, { bandwidth = 3e9, latency = 2e-5 }], [{ bandwidth = 4e9, latency = 1e-5 }, {}]]"));
  EXPECT_EQ(p.peer(0, 1)->bandwidth, 3e9);
  EXPECT_EQ(p.peer(1, 0)->bandwidth, 4e9);
  EXPECT_EQ(p.peer(1, 0)->latency, 1e-5);
  EXPECT_TRUE(p.in_turn);
  expect_complaint(rows("[[{}, { bandwidth = 3e9, latency = 2e-5 }]]"), "a row for each GPU");
  expect_complaint(rows("[[{}], [{}]]"), "a link to each GPU");
  expect_complaint(rows("[[{}, {}], [{}, {}]]"), "bus.peer[0][1].bandwidth");
  expect_complaint(rows("[[{ bandwidth = 1 }, {}], [{}, {}]]"), "bus.peer[0][0]");
  expect_complaint(with(peer, "in_turn = 1"), "bus.in_turn");
}

TEST_F(PlatformTest, Watts) {
  EXPECT_FALSE(read(good).cpu_watts);
  EXPECT_FALSE(read(good).gpu_kinds[0].watts);
  std::string text = good;
  text.insert(text.find("[gpu]") + 6, "watts = { idle = 50, busy = 300.5 }\n");
  const auto with_cores = [&](const std::string& watts) {
    std::string whole = text;
    whole.insert(whole.find("[cpu]") + 6, "watts = " + watts + "\n");
    return read(whole);
  };
  const Platform p = with_cores("{ idle = 0, busy = 8 }");
  ASSERT_TRUE(p.cpu_watts && p.gpu_kinds[0].watts);
  EXPECT_EQ(p.cpu_watts->idle, 0);
  EXPECT_EQ(p.cpu_watts->busy, 8);
  EXPECT_EQ(p.gpu_kinds[0].watts->idle, 50);
  EXPECT_EQ(p.gpu_kinds[0].watts->busy, 300.5);
  for (const char* wrong : {"8", "{ idle = 1 }", "{ busy = 1 }", "{ idle = -1, busy = 2 }", "{ idle = 3, busy = 2 }",
                            "{ idle = 1, busy = 2, off = 0 }"})
    EXPECT_THROW(with_cores(wrong), Error) << wrong;
}

TEST_F(PlatformTest, Overheads) {
  const auto with_overheads = [this](const std::string& value) {
    return read("overheads = " + value + "\n" + std::string(good)).overheads;
  };
  EXPECT_TRUE(read(good).overheads == Overheads{});
  EXPECT_TRUE(with_overheads("true") == Overheads{});
  EXPECT_TRUE(with_overheads("false") == (Overheads{0, 0, 0}));
  EXPECT_TRUE(with_overheads("{ launch = 6e-6, copy = 0, datum = 5e-7 }") == (Overheads{6e-6, 0, 5e-7}));
  for (const char* wrong : {"0", "{ launch = 1e-6, copy = 0 }", "{ launch = -1e-6, copy = 0, datum = 0 }",
                            "{ launch = 0, copy = 0, datum = 0, task = 0 }"})
    EXPECT_THROW(with_overheads(wrong), Error) << wrong;
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

TEST_F(PlatformTest, PiecesThatAreCopiedCost) {
  const Platform p = read(good);
  const TaskWork work{.flops = 1e9, .bytes = 0, .footprint = 0, .chunks = 640};
  EXPECT_DOUBLE_EQ(p.cost("copied", "copied", UnitKind::gpu)->of(work), 1e-5 + 1e-3 + 640 * 1e-7);
  EXPECT_DOUBLE_EQ(p.cost("copied", "copied", UnitKind::cpu)->of(work), p.cost("x", "x", UnitKind::cpu)->of(work));
  std::string text = good;
  text.replace(text.find("chunk = 1e-7"), 12, "chunk = 0");
  expect_complaint(text, "codelets.copied.gpu.chunk");
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

TEST(TaskCosts, BeyondTheLargestSampleTheRestIsAdded) {
  TaskCost cost;
  cost.flops = 10;
  cost.bytes = std::numeric_limits<double>::infinity();
  cost.samples = {{100, 50}, {200, 52}};  // a launch of 48
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 52 + 20) << "the rest at ten operations a second";
  cost.flops = 100;
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 52 + 4) << "the rest by the slope";
  cost.samples = {{100, 50}, {180, 40}, {200, 52}};
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 52 + 4) << "sizes near to each other say nothing of a slope";
  cost.samples = {{150, 51}, {200, 52}};
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 52 + 4) << "unless there are no others";
  cost.samples = {{100, 50}, {200, 52}};
  cost.flops = 1;
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 104) << "no more than in proportion";
  cost.flops = 100;
  cost.samples = {{100, 60}, {200, 52}};
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 52 + 2) << "no slope downwards";
  cost.samples = {{200, 52}};
  EXPECT_DOUBLE_EQ(cost.of({400, 0}), 104) << "one sample says nothing of a launch";
}

/// Four steps in one task: four times the operations on the same data, at a rate of their own.
TEST_F(PlatformTest, SamplesAtIntensities) {
  const std::string samples = "by = \"bytes\", samples = [[1e3, 1e-4], [1e5, 1e-2]]";
  const std::string text =
      with(samples, "at = [{ intensity = 1, samples = [[1e3, 1e-3]] }, { intensity = 4, samples = [[4e3, 2e-3]] }]");
  const Platform p = read(text);
  const TaskCost& cost = *p.cost("measured", "measured", UnitKind::cpu);
  EXPECT_DOUBLE_EQ(cost.of({2e3, 2e3}), 2e-3);
  EXPECT_DOUBLE_EQ(cost.of({8e3, 2e3}), 4e-3);
  EXPECT_DOUBLE_EQ(cost.of({3.8e3, 2e3}), 3.8e-3);
  EXPECT_DOUBLE_EQ(cost.of({4.2e3, 2e3}), 2.1e-3);
  EXPECT_DOUBLE_EQ(cost.of({2e9, 0}), cost.seconds + 2e9 / cost.flops);
  const auto in = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  expect_complaint(in("intensity = 4", "intensity = 1"), "at[1].intensity");
  expect_complaint(in("[[4e3, 2e-3]]", "[]"), "at[1].samples");
  expect_complaint(in("at = ", samples + ", at = "), "measured.cpu.at");
}

/// Memory that they share: a core has its own rate until all together ask for more.
TEST_F(PlatformTest, CoresShareALimit) {
  const Platform p = read(with("cpu = { flops = 1e9, bytes = 1e9 }", "cpu = { flops = 1e9, together = 2.5e9 }"));
  const TaskCost& cost = *p.cost("both", "both", UnitKind::cpu);
  const auto seconds = [&](int cores) { return cost.of({1e9, 0, 0, cores}); };
  EXPECT_DOUBLE_EQ(seconds(1), 1e-6 + 1);
  EXPECT_DOUBLE_EQ(seconds(2), 1e-6 + 1);
  EXPECT_DOUBLE_EQ(seconds(4), 1e-6 + 1.6);
  EXPECT_DOUBLE_EQ(seconds(5), 1e-6 + 2);
  // samples are of a core that computes alone, too
  TaskCost measured;
  measured.samples = {{1e9, 1}, {2e9, 2}};
  measured.together = 2.5e9;
  EXPECT_DOUBLE_EQ(measured.of({2e9, 0, 0, 2}), 2);
  EXPECT_DOUBLE_EQ(measured.of({2e9, 0, 0, 4}), 3.2);
  expect_complaint(with("gpu = { flops = 2e12 }", "gpu = { flops = 2e12, together = 1e12 }"), "together");
  expect_complaint(with("cpu = { flops = 1e9, bytes = 1e9 }", "cpu = { together = 0 }"), "codelets.both.cpu.together");
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
  EXPECT_TRUE(p.peers.empty());
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
  const fs::path shipped = folder_ / "build/cpu/share/asterism/machines";
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

}  // namespace
}  // namespace asterism
