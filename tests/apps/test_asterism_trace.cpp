// SPDX-License-Identifier: Apache-2.0
// The program asterism-trace from outside, on recordings of programs that run here, on the recording of four GPUs that
// the repository holds, and on files that are wrong. Nothing of the project is linked.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::tests::contents;
using asterism::tests::Ran;
using nlohmann::json;

json json_of(const fs::path& path) {
  return json::parse(contents(path));
}

std::string program(const char* variable, const char* built) {
  const char* const bundled = std::getenv(variable);
  return bundled != nullptr ? bundled : built;
}

class AsterismTrace : public testing::Test {
 protected:
  AsterismTrace() {
    std::string name = (fs::temp_directory_path() / "asterism-trace-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~AsterismTrace() override { fs::remove_all(folder); }

  Ran shell(const std::string& command) const {
    const std::string all = "cd " + folder.string() +
                            " && export STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_SILENT=1 STARPU_WORKERS_NOBIND=1 "
                            "OMP_WAIT_POLICY=passive STARPU_HOME=" +
                            (folder / "home").string() + " && { " + command + "; } >stdout 2>stderr";
    Ran ran;
    const int status = std::system(all.c_str());
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = contents(folder / "stdout");
    std::istringstream lines(contents(folder / "stderr"));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("[starpu]")) ran.err += line + "\n";
    return ran;
  }
  Ran trace(const std::string& arguments) const {
    return shell(program("ASTERISM_TRACE", ASTERISM_TRACE) + " " + arguments);
  }
  void expect_refused(const std::string& arguments, const std::string& what) const {
    const Ran ran = trace(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find(what), std::string::npos) << ran.err;
  }

  /// What holds for every recording of a run.
  static void expect_sound(const json& record) {
    const double makespan = record["makespan"];
    EXPECT_GT(makespan, 0);
    for (const json& unit : record["units"]) {
      double sum = 0;
      for (const char* state : {"computing", "waiting for data", "scheduling", "runtime", "idle"}) {
        const double share = unit[state];
        EXPECT_GE(share, 0);
        sum += share;
      }
      EXPECT_NEAR(sum, 1, 1e-3) << unit["name"];
      double codelets = 0;
      for (const auto& [name, share] : unit["codelets"].items()) codelets += share.get<double>();
      EXPECT_NEAR(codelets, unit["computing"].get<double>(), 1e-9) << unit["name"];
    }
    std::set<std::string> seen;
    for (const json& bound : record["bounds"]) {
      seen.insert(bound["name"]);
      EXPECT_GT(bound["seconds"].get<double>(), 0) << bound;
      EXPECT_LE(bound["seconds"].get<double>(), makespan * (1 + 1e-9)) << bound;
    }
    EXPECT_TRUE(seen.contains("LP"));
    EXPECT_TRUE(seen.contains("LP where tasks fit"));
    EXPECT_TRUE(seen.contains("critical path"));
    EXPECT_LE(record["critical_path"]["length"].get<double>(), makespan);
    std::uint64_t tasks = 0;
    for (const json& codelet : record["codelets"]) {
      tasks += codelet["count"].get<std::uint64_t>();
      EXPECT_LE(codelet["minimum"].get<double>(), codelet["median"].get<double>());
      EXPECT_LE(codelet["median"].get<double>(), codelet["maximum"].get<double>());
    }
    EXPECT_EQ(tasks, record["tasks"].get<std::uint64_t>());
    for (const json& link : record["links"]) {
      EXPECT_GE(link["overlap"].get<double>(), 0);
      EXPECT_LE(link["overlap"].get<double>(), 1 + 1e-9);
    }
  }

  fs::path folder;
};

TEST_F(AsterismTrace, SolversRecordAndAnalyseInOneGo) {
  for (const std::string scheduler : {"lws", "dmdas", "eager", "cyclic", "calibrate"}) {
    SCOPED_TRACE(scheduler);
    const Ran ran = shell(program("ASTERISM_CG", ASTERISM_CG) +
                          " --stencil 7pts-20 --blocks 3 --iterations 24 --quiet --scheduler " + scheduler +
                          " --trace run-" + scheduler);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    const fs::path run = folder / ("run-" + scheduler);
    for (const char* file :
         {"trace.html", "trace.json", "trace.csv", "perfetto.json", "tasks.rec", "paje.trace", "platform_file.rec"})
      EXPECT_TRUE(fs::exists(run / file)) << file;
    const json record = json_of(run / "trace.json");
    expect_sound(record);
    EXPECT_EQ(record["iterations"]["number"].size(), 24U);
    EXPECT_EQ(record["units"].size(), 2U);
    std::uint64_t products = 0;
    for (const json& c : record["codelets"])
      if (c["codelet"] == "cg_spmv_dot") products += c["count"].get<std::uint64_t>();
    EXPECT_EQ(products, 3U * 24U);  // one per block-row and iteration: nothing before or after the solve
    // asterism-trace says the same of the folder, and of the FxT file
    for (const std::string& source : {"run-" + scheduler, "run-" + scheduler + "/prof_file_rank_0"}) {
      ASSERT_EQ(trace(source + " --json again.json --quiet").status, 0);
      const json again = json_of(folder / "again.json");
      EXPECT_EQ(again["makespan"], record["makespan"]);
      EXPECT_EQ(again["units"], record["units"]);
    }
    const json events = json_of(run / "perfetto.json");
    std::uint64_t tasks = 0;
    for (const json& e : events["traceEvents"]) tasks += e.value("cat", "") == "task";
    EXPECT_GE(tasks, record["tasks"].get<std::uint64_t>());
  }
}

TEST_F(AsterismTrace, CalibrationIsRecordedApart) {
  const Ran ran =
      shell(program("ASTERISM_CG", ASTERISM_CG) + " --stencil 7pts-16 --blocks 2 --quiet --calibrate --trace run");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  ASSERT_EQ(trace("run/calibration --json c.json --quiet").status, 0);
  const json calibration = json_of(folder / "c.json");
  expect_sound(calibration);
  for (const json& c : calibration["codelets"])
    EXPECT_TRUE(c["codelet"] != "cg_spmv_dot" || c["count"].get<int>() >= 20) << c;
  // durations are in StarPU's models too
  bool models = false;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "home"))
    models = models || entry.path().filename().string().starts_with("cg_spmv_dot");
  EXPECT_TRUE(models);
}

TEST_F(AsterismTrace, AnyStarPUProgram) {
  const Ran ran = shell("STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=" + (folder / "rec/").string() + " " STARPU_SAMPLE " 20");
  ASSERT_EQ(ran.status, 0) << ran.err;
  ASSERT_EQ(trace("rec --all out --quiet").status, 0);
  const json record = json_of(folder / "out" / "trace.json");
  expect_sound(record);
  std::set<std::string> codelets;
  for (const json& c : record["codelets"]) codelets.insert(c["codelet"]);
  EXPECT_FALSE(codelets.contains("cg_spmv_dot"));
  EXPECT_GE(codelets.size(), 2U);
  // a window of it, and beside itself
  const double half = record["makespan"].get<double>() / 2;
  ASSERT_EQ(trace("rec --window 0:" + std::to_string(half) + " --beside out --json half.json --quiet").status, 0);
  const json halved = json_of(folder / "half.json");
  EXPECT_NEAR(halved["makespan"].get<double>(), half, 1e-6);
  EXPECT_LT(halved["tasks"].get<int>(), record["tasks"].get<int>());
  EXPECT_EQ(halved["beside"].size(), 1U);
}

TEST_F(AsterismTrace, FourGpusOfTheH200Machine) {
  const std::string results = ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-";
  const Ran ran = trace(results + "cyclic --window iterations --one-unit " + results + "one --all out");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json record = json_of(folder / "out" / "trace.json");
  expect_sound(record);
  EXPECT_EQ(record["units"].size(), 4U);
  for (const json& unit : record["units"]) {
    EXPECT_EQ(unit["kind"], "CUDA");
    EXPECT_GT(unit["computing"].get<double>(), 0.3);
    EXPECT_GT(unit["waiting for data"].get<double>(), 0.1);  // halos of 128^3 are not hidden
  }
  EXPECT_EQ(record["iterations"]["number"].size(), 30U);
  // Nearest neighbours exchange halos of one plane, 128 x 128 doubles, with every product.
  bool found = false;
  for (const json& link : record["links"]) {
    if (link["from"] != "CUDA 0" || link["to"] != "CUDA 1") continue;
    found = true;
    EXPECT_GE(link["bytes"].get<double>(), 30 * 128 * 128 * 8.0);
    EXPECT_LT(link["bytes"].get<double>(), 40 * 128 * 128 * 8.0);
  }
  EXPECT_TRUE(found);
  const json& e = record["efficiency"];
  EXPECT_EQ(e["units"], 4);
  EXPECT_NEAR(e["e"].get<double>(), e["S"].get<double>() / 4, 1e-12);
  // CPUs and GPUs under dmdas
  ASSERT_EQ(trace(results + "dmdas --json d.json --quiet").status, 0);
  const json mixed = json_of(folder / "d.json");
  expect_sound(mixed);
  EXPECT_EQ(mixed["units"].size(), 10U);
  EXPECT_EQ(mixed["kinds"].size(), 2U);
  EXPECT_EQ(mixed["kinds"][0]["name"], "CPU");
}

#ifdef ASTERISM_MPI_SAMPLE
TEST_F(AsterismTrace, OneFilePerRank) {
  const Ran ran = shell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 STARPU_NCPU=1 STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=" +
      (folder / "rec/").string() + " mpirun --oversubscribe -n 2 " ASTERISM_MPI_SAMPLE);
  ASSERT_EQ(ran.status, 0) << ran.err;
  ASSERT_EQ(trace("rec --json r.json --all out --quiet").status, 0) << contents(folder / "stderr");
  const json record = json_of(folder / "r.json");
  expect_sound(record);
  EXPECT_EQ(record["ranks"], 2);
  EXPECT_EQ(record["tasks"], 8);
  std::set<std::string> names;
  for (const json& unit : record["units"]) names.insert(unit["name"].get<std::string>().substr(0, 2));
  EXPECT_EQ(names, (std::set<std::string>{"0:", "1:"}));
  ASSERT_EQ(record["messages"]["pairs"].size(), 2U);
  for (const json& pair : record["messages"]["pairs"]) {
    EXPECT_EQ(pair["from"].get<int>() + pair["to"].get<int>(), 1);
    EXPECT_GE(pair["bytes"].get<double>(), 3 * 65536 * 8.0);
  }
  EXPECT_EQ(record["messages"]["lost"], 0);
}
#endif

TEST_F(AsterismTrace, OtherToolsReadWhatIsWritten) {
  ASSERT_EQ(shell(program("ASTERISM_CG", ASTERISM_CG) + " --stencil 7pts-16 --iterations 8 --quiet --trace run").status,
            0);
  int tools = 0;
  if (shell("command -v pj_dump").status == 0) {
    // StarPU's converter writes events a few microseconds out of order now and then; StarVZ sorts them too
    const Ran dumped = shell(
        "{ grep -E '^(%|[1-6][[:space:]])' run/paje.trace; grep -vE '^(%|[1-6][[:space:]])' run/paje.trace | "
        "LC_ALL=C sort -s -k2,2g; } > sorted && pj_dump sorted > dump && grep -q spmv_dot dump");
    EXPECT_EQ(dumped.status, 0) << dumped.err;
    ++tools;
  }
  if (shell("command -v recsel").status == 0) {
    ASSERT_EQ(trace("run --tasks-rec w.rec --platform-rec p.rec --quiet").status, 0);
    EXPECT_EQ(shell("test $(recsel -e \"Name = 'cg_spmv_dot'\" -c w.rec) = 16").status, 0)
        << contents(folder / "stdout");
    EXPECT_EQ(shell("recsel -t timing -e \"Model = 'cg_spmv_dot_double'\" p.rec | grep -q Mean").status, 0);
    ++tools;
  }
  if (tools == 0) GTEST_SKIP() << "neither pajeng nor recutils is installed";
}

TEST_F(AsterismTrace, DiagnosesAndExportsToSqlite) {
  const fs::path recordings = fs::path(ASTERISM_SOURCE_DIR) / "experiments" / "records" / "recordings";
  const std::string clean = (recordings / "cg-11pts-128-h200x4-cyclic").string();
  Ran ran = trace(clean + " --no-bounds --diagnose --sqlite run.db --json run.json --html run.html");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("\ndiagnosis: nothing odd\n"), std::string::npos) << ran.out;
  EXPECT_EQ(json_of(folder / "run.json")["diagnosis"], json::array());
  EXPECT_EQ(contents(folder / "run.db").substr(0, 15), "SQLite format 3");

  ran = trace((recordings / "cg-11pts-128-h200x4-dmdas").string() +
              " --no-bounds --diagnose --sqlite run.db --json run.json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json record = json_of(folder / "run.json");
  ASSERT_FALSE(record["diagnosis"].empty());
  double last = 1e300;
  for (const json& f : record["diagnosis"]) {
    EXPECT_NE(ran.out.find(f["what"].get<std::string>()), std::string::npos) << f;
    EXPECT_NE(ran.out.find(f["try"].get<std::string>()), std::string::npos) << f;
    EXPECT_LE(f["seconds"].get<double>(), last);
    last = f["seconds"];
    EXPECT_LT(f["begin"].get<double>(), f["end"].get<double>());
    EXPECT_LE(f["end"].get<double>(), record["makespan"].get<double>());
    EXPECT_FALSE(f["jobs"].empty());
  }
  EXPECT_FALSE(json_of(folder / "run.json").contains("beside"));
  ASSERT_EQ(trace(clean + " --no-bounds --quiet --json plain.json").status, 0);
  EXPECT_FALSE(json_of(folder / "plain.json").contains("diagnosis"));

  // no file of a recording is replaced
  fs::copy(clean, folder / "copy");
  const auto before = fs::file_size(folder / "copy" / "tasks.rec.gz");
  expect_refused("copy --quiet --sqlite copy/tasks.rec.gz", "--sqlite copy/tasks.rec.gz: is a file of the recording");
  expect_refused(clean + " --quiet --beside copy --sqlite copy/data.rec.gz", "is a file of the recording");
  EXPECT_EQ(fs::file_size(folder / "copy" / "tasks.rec.gz"), before);
  for (int again = 0; again < 2; ++again) EXPECT_EQ(trace("copy --quiet --no-bounds --sqlite copy/run.db").status, 0);
  expect_refused(clean + " --quiet --sqlite none/run.db", "there is no folder none");
}

TEST_F(AsterismTrace, WrongInputIsOneLineAndStatusTwo) {
  ASSERT_EQ(shell("STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=" + (folder / "rec/").string() + " " STARPU_SAMPLE " 5").status,
            0);
  std::string file;
  for (const auto& entry : fs::directory_iterator(folder / "rec")) file = entry.path().filename().string();
  expect_refused("", "recording");
  expect_refused("nowhere", "nowhere: there is no such file");
  expect_refused("rec --window 3:2", "window '3:2'");
  expect_refused("rec --window 90:91", "no task between");
  expect_refused("rec --html nowhere/x.html", "nowhere");
  expect_refused("rec --one-unit stdout", "stdout");
  expect_refused("rec --frobnicate", "frobnicate");
  const std::string whole = contents(folder / "rec" / file);
  for (const double part : {0.01, 0.3, 0.6, 0.95}) {
    std::ofstream(folder / "cut.fxt", std::ios::binary)
        << whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part));
    expect_refused("cut.fxt --json cut.json", "cut.fxt");
    EXPECT_FALSE(fs::exists(folder / "cut.json"));
  }
  std::string noise = whole;
  for (std::size_t i = 5000; i < noise.size(); i += 97) noise[i] = static_cast<char>(noise[i] ^ 0x5a);
  std::ofstream(folder / "noise.fxt", std::ios::binary) << noise;
  const Ran ran = trace("noise.fxt --json noise.json");
  EXPECT_EQ(ran.status, 2) << ran.err;
  expect_refused("/bin/sh", "/bin/sh");
  expect_refused("stdout --json x.json", "stdout");
}

}  // namespace
