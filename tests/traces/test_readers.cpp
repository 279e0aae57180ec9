// Readers against small files whose content is known, and against files that are wrong.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "taskflows/runtime/error.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/metrics.hpp"
#include "traces/read.hpp"
#include "traces/report.hpp"

namespace asterism::traces {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "asterism-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }

  /// The message of the error that reading gives; it must be one line and ask for exit status 2.
  static std::string refusal(const std::vector<fs::path>& paths, const std::string& window = "all") {
    ReadOptions options;
    options.window = Window::parse(window);
    try {
      read(paths, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "read without an error";
    return {};
  }

  fs::path folder;
};

/// Two workers: a CPU in main memory and a GPU; job 3 needs what job 1 wrote, which travels from 2.5 to 4 ms.
const char* const tasks_rec = R"(Name: produce
Model: produce_model
File: somewhere.c
Line: 3
JobId: 1
SubmitOrder: 1
Priority: 2
Tag: 0
WorkerId: 1
MemoryNode: 0
SubmitTime: 0.500000
StartTime: 1.000000
EndTime: 2.500000
Footprint: abcd1234
GFlop: 0.003000
Iteration: 0 5
Parameters: V4 V8
Handles: 10 20
Modes: W R
Sizes: 4000 64
NumaNodes: -1 -1
MPIRank: -1

JobId: 2
Priority: 0
DependsOn: 1
DepLabels: task
Tag: 0
SubmitTime: 0.600000
Footprint: 0
MPIRank: -1

Name: consume
Model: consume_model
JobId: 3
SubmitOrder: 2
Priority: -1
DependsOn: 2 1 1
DepLabels: task task ghost
Tag: 0
WorkerId: 0
MemoryNode: 1
SubmitTime: 0.700000
StartTime: 4.000000
EndTime: 5.000000
Footprint: 7
Iteration: 1
Handles: 10
Modes: RW
Sizes: 4000
NumaNodes: -1
MPIRank: -1

)";

const char* const definitions = R"(%EventDef	PajeDestroyContainer	8
%	Time	date
%	Name	string
%	Type	string
%EndEventDef
%EventDef	PajeCreateContainer	7
%	Time	date
%	Alias	string
%	Type	string
%	Container	string
%	Name	string
%EndEventDef
%EventDef	PajeNewEvent	9
%	Time	date
%	Type	string
%	Container	string
%	Value	string
%EndEventDef
%EventDef PajeSetState 10
%	Time	date
%	Container	string
%	Type	string
%	Value	string
%EndEventDef
%EventDef	PajePushState	11
%	Time	date
%	Container	string
%	Type	string
%	Value	string
%EndEventDef
%EventDef	PajePopState	12
%	Time	date
%	Container	string
%	Type	string
%EndEventDef
%EventDef	PajeSetVariable	13
%	Time	date
%	Container	string
%	Type	string
%	Value	double
%EndEventDef
%EventDef	PajeEndLink	19
%	Time	date
%	Type	string
%	Container	string
%	Value	string
%	EndContainer	string
%	Key	string
%EndEventDef
%EventDef PajeSetState 20
%	Time	date
%	Container	string
%	Type	string
%	Value	string
%	Size	string
%	Params	string
%	Footprint	string
%	Tag	string
%	JobId	string
%	SubmitOrder	string
%	Priority	string
%	GFlop	string
%	X	string
%	Y	string
%	Iteration	string
%	Subiteration	string
%	NumaNodes	string
%EndEventDef
%EventDef	PajeStartLink	24
%	Time	date
%	Type	string
%	Container	string
%	Value	string
%	StartContainer	string
%	Key	string
%	Handle	string
%	HName	string
%	X	string
%	Y	string
%EndEventDef
)";

/// The GPU's thread and worker have states of their own, the CPU's worker has all: as StarPU does it.
const char* const events = R"(7	0.0 MPIroot      MPIP      0       root
7	0.0	p	P	MPIroot	program
7	0.0	sched	Sc	p	scheduler
7	0.1	mn0	Mn	p	MEMNODE0
7	0.1	mm0	Mm	mn0	MEMMANAGER0
7	0.1	mn1	Mn	p	MEMNODE1
7	0.1	mm1	Mm	mn1	MEMMANAGER1
7	0.2	t77	T	mn1	T0
7	0.2	w0	W	t77	CUDA0_0
7	0.2	t78	T	mn0	T1
7	0.2	w1	W	t78	CPU0
10	0.900000	w1	WS	"B"
9	0.950000	prog_event	p	"begin all of it"
10	1.000000	w1	WS	"produce"
13	1.000000	sched	nready	2.000000
20	1.000000	w1	WS	"produce"	4064	"V4_V8"	abcd1234	0000000000000000	1	1	2	0.003000	0	0	0	5	"-1"
10	1.000000	t77	S	Sl
10	2.500000	w1	WS	"I"
24	2.500000	F	p	4000	mm0	com_1	10	"data[0]"	0	0
10	2.600000	w1	WS	"B"
11	2.700000	w1	WS	Sc
12	2.900000	w1	WS
10	3.000000	w1	WS	"Sl"
10	3.000000	t77	S	P
10	3.500000	w0	WS	"Fi"
10	3.700000	w0	WS	"I"
19	4.000000	F	p	4000	mm1	com_1
10	4.000000	w0	WS	"consume"
20	4.000000	w0	WS	"consume"	4000	"V4"	00000007	0000000000000000	3	2	-1	0.000000	0	0	1	-1	"-1"
10	4.000000	t77	S	B
13	4.500000	sched	nready	0.000000
10	5.000000	w0	WS	"I"
9	5.100000	prog_event	p	"end all of it"
8	5.200000	t77	T
8	5.200000	t78	T
)";

TEST_F(Files, TasksRecAlone) {
  const Recording r = read({write("tasks.rec", tasks_rec)});
  ASSERT_EQ(r.tasks.size(), 3U);
  const Task& produce = r.tasks[0];
  EXPECT_EQ(produce.id, 1U);
  EXPECT_EQ(r.codelet_name(produce), "produce");
  EXPECT_EQ(r.codelets[produce.codelet].model, "produce_model");
  EXPECT_EQ(produce.priority, 2);
  EXPECT_DOUBLE_EQ(produce.submitted, 0.5e-3);
  EXPECT_DOUBLE_EQ(produce.start, 1e-3);
  EXPECT_DOUBLE_EQ(produce.end, 2.5e-3);
  EXPECT_EQ(produce.footprint, 0xabcd1234U);
  EXPECT_DOUBLE_EQ(produce.flops, 3e6);
  EXPECT_EQ(produce.iteration, 0);
  EXPECT_EQ(r.texts[produce.parameters], "V4 V8");
  ASSERT_EQ(r.data(0).size(), 2U);
  EXPECT_EQ(r.data(0)[0].mode, Mode::write);
  EXPECT_EQ(r.data(0)[1].mode, Mode::read);
  EXPECT_EQ(r.handles[r.data(0)[0].handle].bytes, 4000U);
  EXPECT_FALSE(r.tasks[1].executed());
  ASSERT_EQ(r.predecessors(1).size(), 1U);
  EXPECT_EQ(r.predecessors(1)[0], 0U);
  EXPECT_EQ(r.predecessors(2).size(), 2U);  // the repeated one counts once
  EXPECT_EQ(r.data(2)[0].mode, Mode::read_write);
  EXPECT_EQ(r.data(2)[0].handle, r.data(0)[0].handle);
  EXPECT_EQ(r.kind_name(r.tasks[2]), "GPU");
  EXPECT_EQ(r.units[r.tasks[0].unit].name, "CPU 1");
  EXPECT_DOUBLE_EQ(r.makespan(), 4e-3);
  EXPECT_FALSE(r.has_states);
}

TEST_F(Files, TasksAndStates) {
  write("tasks.rec", tasks_rec);
  write("paje.trace", std::string(definitions) + events);
  write("data.rec",
        "Handle: 10\nHomeNode: 0\nName: data[0]\nSize: 4000\n\nHandle: 20\nHomeNode: 0\nName: other\nSize: 64\n\n");
  const Recording r = read({folder});
  ASSERT_EQ(r.units.size(), 2U);
  EXPECT_EQ(r.units[0].name, "CPU 0");
  EXPECT_EQ(r.units[1].name, "CUDA 0");
  EXPECT_EQ(r.nodes[0].name, "RAM");
  EXPECT_EQ(r.nodes[1].name, "CUDA 0");
  EXPECT_EQ(r.handles[r.data(0)[1].handle].name, "other");
  ASSERT_EQ(r.transfers.size(), 1U);
  EXPECT_EQ(r.transfers[0].bytes, 4000U);
  EXPECT_EQ(r.handles[r.transfers[0].handle].name, "data[0]");
  EXPECT_EQ(r.texts[r.transfers[0].type], "fetch");
  const Metrics m = measure(r);
  EXPECT_DOUBLE_EQ(m.makespan, 4e-3);  // the markers lie outside the tasks
  // CPU: produce 1.5 of 4 ms, B from 2.6 to 3 with 0.2 in the scheduler, else idle
  EXPECT_NEAR(m.unit[0][State::computing], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::runtime], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::scheduling], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::idle], 2.1 / 4, 1e-9);
  // GPU: from 2.5 to 4 its data travel
  EXPECT_NEAR(m.unit[1][State::waiting], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::computing], 1.0 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::idle], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.critical_path.length, 2.5e-3, 1e-12);
  ASSERT_EQ(r.markers.size(), 2U);
  ASSERT_EQ(r.ready.points().size(), 2U);
  EXPECT_DOUBLE_EQ(r.ready.points()[0].value, 2);
}

/// A program marks the models of its GPUs where they differ.
TEST_F(Files, GpusThatDifferAreKindsOfTheirOwn) {
  std::string text = std::string(definitions) + events;
  const std::string worker = "7\t0.2\tw0\tW\tt77\tCUDA0_0\n";
  const std::size_t at = text.find(worker);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + worker.size(),
              "7\t0.2\tw2\tW\tt77\tCUDA1_0\n9\t0.300000\tprog_event\tp\t\"unit CUDA 0: NVIDIA quick one\"\n"
              "9\t0.300000\tprog_event\tp\t\"unit CUDA 1: lame\"\n");
  const Recording r = read({write("paje.trace", text)});
  ASSERT_EQ(r.kinds.size(), 3U);
  EXPECT_EQ(r.kinds[0].name, "CPU");
  EXPECT_EQ(r.kinds[1].name, "CUDA (quick one)");
  EXPECT_EQ(r.kinds[1].devices, std::vector<int>{0});
  EXPECT_EQ(r.kinds[2].name, "CUDA (lame)");
  EXPECT_EQ(r.kinds[2].devices, std::vector<int>{1});
  EXPECT_EQ(r.markers.size(), 2U);
  for (const Unit& u : r.units)
    EXPECT_EQ(r.kinds[u.kind].name, u.name == "CUDA 0"   ? "CUDA (quick one)"
                                    : u.name == "CUDA 1" ? "CUDA (lame)"
                                                         : "CPU");
}

TEST_F(Files, StatesAlone) {
  const Recording r = read({write("paje.trace", std::string(definitions) + events)});
  ASSERT_EQ(r.tasks.size(), 2U);
  EXPECT_EQ(r.codelet_name(r.tasks[0]), "produce");
  EXPECT_DOUBLE_EQ(r.tasks[0].end, 2.5e-3);
  EXPECT_DOUBLE_EQ(r.tasks[0].flops, 3e6);
  EXPECT_EQ(r.tasks[1].footprint, 7U);
  EXPECT_EQ(r.tasks[1].priority, -1);
  EXPECT_FALSE(r.has_dependencies);
  const Metrics m = measure(r);
  EXPECT_NEAR(m.unit[0][State::scheduling], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::waiting], 0.2 / 4, 1e-9);  // without handles only what StarPU calls fetching
}

TEST_F(Files, CompressedIsTheSame) {
  const std::string text = std::string(definitions) + events;
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>{"paje.trace.gz", text}, {"tasks.rec.gz", tasks_rec}}) {
    gzFile f = gzopen((folder / name).c_str(), "wb");
    gzwrite(f, content.data(), static_cast<unsigned>(content.size()));
    gzclose(f);
  }
  const Recording r = read({folder});
  EXPECT_EQ(r.tasks.size(), 3U);
  EXPECT_TRUE(r.has_states);
  // and a compressed file that was cut
  fs::resize_file(folder / "tasks.rec.gz", fs::file_size(folder / "tasks.rec.gz") / 2);
  EXPECT_NE(refusal({folder}).find("tasks.rec.gz: damaged or cut"), std::string::npos);
}

TEST_F(Files, SeveralRanks) {
  std::string text = definitions;
  for (const std::string rank : {"0", "1"}) {
    const std::string p = rank + "_";
    text += "7\t0.0\t" + p + "p\tP\tMPIroot\tprogram " + rank + "\n7\t0.1\t" + p + "mn0\tMn\t" + p + "p\t" + p +
            "MEMNODE0\n7\t0.1\t" + p + "mm0\tMm\t" + p + "mn0\tMEMMANAGER0\n" + "7\t0.1\t" + p + "mpict\tMPICt\t" + p +
            "p\tmpi\n7\t0.2\t" + p + "t5\tT\t" + p + "mn0\t" + p + "T0\n7\t0.2\t" + p + "w0\tW\t" + p + "t5\t" + p +
            "CPU0\n" + "10\t1.0\t" + p + "w0\tWS\t\"work\"\n20\t1.0\t" + p +
            "w0\tWS\t\"work\"\t8\t\"V1\"\t00000001\t0\t" + p + "4\t" + p +
            "1\t0\t0.0\t0\t0\t-1\t-1\t\"-1\"\n10\t2.0\t" + p + "w0\tWS\t\"I\"\n";
  }
  text +=
      "24\t2.0\tMPIL\tMPIroot\t512\t0_mpict\tmpicom_0\t10\t\"x\"\t0\t0\n19\t2.5\tMPIL\tMPIroot\t512\t1_mpict\tmpicom_"
      "0\n10\t2.5\t0_w0\tWS\t\"I\"\n8\t3.0\t0_t5\tT\n8\t3.0\t1_t5\tT\n";
  const Recording r = read({write("paje.trace", text)});
  EXPECT_EQ(r.ranks, 2U);
  ASSERT_EQ(r.units.size(), 2U);
  EXPECT_EQ(r.units[1].name, "1: CPU 0");
  EXPECT_TRUE(r.transfers.empty());
  ASSERT_EQ(r.messages.size(), 1U);
  EXPECT_EQ(r.messages[0].from, 0U);
  EXPECT_EQ(r.messages[0].to, 1U);
  EXPECT_EQ(r.messages[0].bytes, 512U);
  EXPECT_NEAR(r.messages[0].end - r.messages[0].start, 0.5e-3, 1e-12);
  ASSERT_EQ(r.tasks.size(), 2U);
  EXPECT_EQ(r.tasks[0].id, r.tasks[1].id);
  EXPECT_NE(r.tasks[0].unit, r.tasks[1].unit);
}

TEST_F(Files, WrittenTasksRecReadsTheSame) {
  write("tasks.rec", tasks_rec);
  write("paje.trace", std::string(definitions) + events);
  const Recording r = read({folder});
  write_tasks_rec(folder / "again.rec", r);
  const Recording again = read({folder / "again.rec"});
  ASSERT_EQ(again.tasks.size(), r.tasks.size());
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& a = r.tasks[i];
    const Task& b = again.tasks[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(r.codelet_name(a), again.codelet_name(b));
    EXPECT_EQ(a.footprint, b.footprint);
    EXPECT_EQ(a.flops, b.flops);
    EXPECT_EQ(a.priority, b.priority);
    EXPECT_EQ(a.iteration, b.iteration);
    EXPECT_EQ(a.executed(), b.executed());
    if (a.executed()) {
      EXPECT_NEAR(a.start, b.start, 1e-12);
    }
    ASSERT_EQ(r.predecessors(i).size(), again.predecessors(i).size());
    for (std::size_t d = 0; d < r.predecessors(i).size(); ++d)
      EXPECT_EQ(r.predecessors(i)[d], again.predecessors(i)[d]);
    EXPECT_EQ(r.data(i).size(), again.data(i).size());
  }
}

TEST_F(Files, WrongFilesAreNamedInOneLine) {
  const std::string tasks = tasks_rec;
  const std::string paje = std::string(definitions) + events;
  EXPECT_NE(refusal({folder / "none"}).find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal({folder}).find("neither tasks.rec, paje.trace nor prof_file"), std::string::npos);
  // cut in the middle of a line, at a line's end, at a record's end
  EXPECT_NE(refusal({write("tasks.rec", tasks.substr(0, 300))}).find("tasks.rec:"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", tasks.substr(0, tasks.find("Footprint")))}).find("it was cut"),
            std::string::npos);
  // a task of a codelet that tasks.rec knows starts after its last one (StarPU's own tasks are never in it)
  std::string again = paje;
  for (std::size_t at = 0; (at = again.find("consume")) != std::string::npos;) again.replace(at, 7, "produce");
  write("paje.trace", again);
  write("tasks.rec", tasks.substr(0, tasks.find("JobId: 2")));
  EXPECT_NE(refusal({folder}).find("tasks.rec was cut"), std::string::npos);
  write("tasks.rec", tasks);
  write("paje.trace", paje.substr(0, paje.find("24\t2.5")));
  EXPECT_NE(refusal({folder}).find("worker threads never end"), std::string::npos);
  write("paje.trace", paje.substr(0, paje.rfind("8\t5.2")));
  EXPECT_NE(refusal({folder}).find("1 of 2 worker threads never end"), std::string::npos);
  ReadOptions partial;
  partial.partial = true;
  EXPECT_EQ(read({folder}, partial).tasks.size(), 3U);
  write("paje.trace", paje.substr(0, paje.size() - 5));
  EXPECT_NE(refusal({folder}).find("it was cut"), std::string::npos);
  fs::remove(folder / "paje.trace");
  // foreign and broken content
  EXPECT_NE(refusal({write("tasks.rec", "<html>\n<body>\n")}).find("tasks.rec:1: '<html>' found where"),
            std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", "Name: x\nTag: 1\n\n")}).find("without JobId"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", "")}).find("no task in it"), std::string::npos);
  std::string broken = tasks;
  broken.replace(broken.find("StartTime: 1.0"), 13, "StartTime: 1,0");
  EXPECT_NE(refusal({write("tasks.rec", broken)}).find("tasks.rec:12: '1,0"), std::string::npos) << refusal({folder});
  broken = tasks;
  broken.replace(broken.find("EndTime: 2.5"), 12, "EndTime: 0.5");
  EXPECT_NE(refusal({write("tasks.rec", broken)}).find("before it starts"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", tasks + tasks)}).find("is there twice"), std::string::npos);
  fs::remove(folder / "tasks.rec");
  EXPECT_NE(refusal({write("paje.trace", "hello\n")}).find("paje.trace:1: 'hello' found where"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", "")}).find("not a paje.trace"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", definitions)}).find("no worker in it"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", std::string(definitions) + "99\t1.0\tx\n")}).find("event 99 was not declared"),
            std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", std::string(definitions) + "10\tx\tw0\tWS\t\"B\"\n")}).find("a time in ms"),
            std::string::npos);
  // FxT files that are none
  std::string noise(100000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * 2654435761U >> 13);
  EXPECT_NE(refusal({write("prof_file_0", noise)}).find("prof_file_0"), std::string::npos);
  EXPECT_NE(refusal({write("prof_file_0", "short")}).find("too short"), std::string::npos);
  EXPECT_NE(refusal({write("photo.png", noise)}).find("photo.png"), std::string::npos);
}

/// 1 GB of paje.trace, a recorded piece repeated in time, is read in memory that does not grow with the file.
TEST_F(Files, AGigabyteInBoundedMemory) {
  const char* const asked = std::getenv("ASTERISM_TEST_GIGABYTES");
  const double gigabytes = asked ? std::atof(asked) : 1.0;
  const fs::path path = folder / "paje.trace";
  std::size_t pieces = 0;
  {
    std::ofstream out(path, std::ios::binary);
    const std::string text = std::string(definitions) + events;
    const std::size_t head = text.find("10\t0.900000");
    out << text.substr(0, head);
    // A piece: 40 changes of state and one task on each of two workers, 6 ms long.
    std::uintmax_t written = 0;
    std::string piece;
    char line[256];
    for (; static_cast<double>(written) < gigabytes * 1e9; ++pieces) {
      piece.clear();
      const double t = 6.0 * static_cast<double>(pieces);
      const auto add = [&](int n) { piece.append(line, static_cast<std::size_t>(n)); };
      for (int k = 0; k < 20; ++k) {
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw1\tWS\t\"%s\"\n", t + 0.01 * k,
                          k % 3 == 0   ? "B"
                          : k % 3 == 1 ? "Sc"
                                       : "Sl"));
        add(std::snprintf(line, sizeof line, "10\t%.9f\tt77\tS\t%s\n", t + 0.01 * k,
                          k % 3 == 0   ? "B"
                          : k % 3 == 1 ? "Sc"
                                       : "P"));
        add(std::snprintf(line, sizeof line, "13\t%.9f\tsched\tnready\t%d.0\n", t + 0.01 * k, k));
      }
      for (int w = 0; w < 2; ++w) {
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw%d\tWS\t\"work\"\n", t + 1, w));
        add(std::snprintf(line, sizeof line,
                          "20\t%.9f\tw%d\tWS\t\"work\"\t4064\t\"V4_V8\"\tabcd1234\t0000000000000000\t%zu\t%zu\t2\t0."
                          "003000\t0\t0\t0\t5\t\"-1\"\n",
                          t + 1, w, 2 * pieces + static_cast<std::size_t>(w) + 1,
                          2 * pieces + static_cast<std::size_t>(w) + 1));
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw%d\tWS\t\"I\"\n", t + 5, w));
      }
      add(std::snprintf(line, sizeof line, "24\t%.9f\tF\tp\t4000\tmm0\tcom_%zu\t10\t\"data[0]\"\t0\t0\n", t + 1,
                        pieces));
      add(std::snprintf(line, sizeof line, "19\t%.9f\tF\tp\t4000\tmm1\tcom_%zu\n", t + 2, pieces));
      out << piece;
      written += piece.size();
    }
    for (const char* thread : {"t77", "t78"})
      out << "8\t" << 6.0 * static_cast<double>(pieces) << '\t' << thread << "\tT\n";
  }
  const auto resident = [](const char* key) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
      if (line.starts_with(key)) return std::atof(line.c_str() + std::string(key).size()) / 1e6;  // GB from kB
    return 0.0;
  };
  const double before = resident("VmHWM:");
  const Recording r = read({path});
  const Metrics m = measure(r);
  EXPECT_EQ(m.tasks, 2 * pieces);
  EXPECT_EQ(r.transfers.size(), pieces);
  EXPECT_NEAR(m.unit[0][State::computing], 4.0 * static_cast<double>(pieces) / (m.makespan * 1e3), 1e-6);
  const double used = resident("VmHWM:") - before;
  RecordProperty("gigabytes", std::to_string(used));
  std::printf("%zu tasks, %.2f GB of text, %.0f MB of memory\n", 2 * pieces, gigabytes, used * 1e3);
  EXPECT_LT(used, 0.75 * std::max(1.0, gigabytes)) << "GB";
}

}  // namespace
}  // namespace asterism::traces
