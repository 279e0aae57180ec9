// SPDX-License-Identifier: Apache-2.0
// Small recordings whose content is known, as StarPU writes them, and a folder to read them from.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces::testing {

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
inline const char* const tasks_rec = R"(Name: produce
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

inline const char* const definitions = R"(%EventDef	PajeDestroyContainer	8
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
inline const char* const events = R"(7	0.0 MPIroot      MPIP      0       root
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

}  // namespace asterism::traces::testing
