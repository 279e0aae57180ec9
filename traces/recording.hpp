// SPDX-License-Identifier: Apache-2.0
// What a run of any StarPU program looked like: units, tasks, dependencies, transfers, and what each unit did
// at each instant. Readers (read.hpp) fill it; metrics, bounds and reports only read it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asterism::traces {

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// What a unit does at an instant; exactly one of these, so that shares sum to one.
enum class State : std::uint8_t {
  computing,   ///< runs a task
  waiting,     ///< waits for the data of the task it runs next
  scheduling,  ///< inside the scheduler's push or pop
  runtime,     ///< other work of StarPU: callbacks, submission, releasing data
  idle,        ///< nothing to do (polling and sleeping included)
};
inline constexpr std::size_t state_count = 5;
inline constexpr const char* state_names[state_count] = {"computing", "waiting for data", "scheduling", "runtime",
                                                         "idle"};

/// Units of one kind are interchangeable: same codelets, same speeds. Named as StarPU does: CPU, CUDA, ...; where GPUs
/// are of several models, which a program marks (unit_mark), with the model: "CUDA (Tesla K40c)".
struct Kind {
  std::string name;
  std::vector<int> devices{};  ///< numbers of its GPUs where there are several models; empty: all of this name
};
/// How the markers begin that tell the model of a GPU: "unit CUDA 0: NVIDIA Tesla K40c".
inline constexpr std::string_view unit_mark = "unit ";

struct MemoryNode {
  std::string name;  ///< "RAM", "CUDA 0", with the rank in front when there are several
  std::uint32_t rank = 0;
  std::uint32_t index = 0;  ///< StarPU's number on that rank
};

/// One worker of StarPU.
struct Unit {
  std::string name;  ///< "CPU 3", "CUDA 0", with the rank in front when there are several ("1: CPU 3")
  std::uint32_t kind = 0;
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  ///< StarPU's number on that rank
  std::uint32_t node = 0;    ///< index in Recording::nodes
};

struct Codelet {
  std::string name;
  std::string model;  ///< performance model symbol; empty when unknown
};

enum class Mode : std::uint8_t { read, write, read_write, other };

struct Access {
  std::uint32_t handle = none;  ///< index in Recording::handles
  Mode mode = Mode::other;
};

struct Handle {
  std::string name;                ///< the application's, else StarPU's address
  std::uint64_t bytes = 0;         ///< 0 when unknown
  std::vector<int> coordinates{};  ///< that the application gave it (starpu_data_set_coordinates)
};

/// A task, or a node of the graph that no unit executed (unit == none: barriers, unregistrations).
/// Times are seconds from Recording's origin.
struct Task {
  std::uint64_t id = 0;  ///< StarPU's job id on its rank
  double submitted = std::numeric_limits<double>::quiet_NaN();
  double start = std::numeric_limits<double>::quiet_NaN();
  double end = std::numeric_limits<double>::quiet_NaN();
  double flops = 0;  ///< 0 when not given
  std::uint32_t rank = 0;
  std::uint32_t unit = none;
  std::uint32_t codelet = none;
  std::uint32_t footprint = 0;
  std::uint32_t parameters = none;  ///< index in Recording::texts
  std::int32_t priority = 0;
  std::int32_t iteration = -1;  ///< outermost starpu_iteration_push; -1: outside
  std::uint64_t submit_order = 0;

  [[nodiscard]] bool executed() const noexcept { return unit != none; }
  /// seconds; 0 for a node that nobody executed
  [[nodiscard]] double duration() const noexcept { return executed() ? end - start : 0.0; }
};

/// Lists of varying length kept one after the other: list i is [begin(i), end(i)).
template <class T>
struct Lists {
  std::vector<std::uint64_t> offset{0};
  std::vector<T> item;

  [[nodiscard]] std::size_t size() const noexcept { return offset.size() - 1; }
  [[nodiscard]] const T* begin(std::size_t i) const noexcept { return item.data() + offset[i]; }
  [[nodiscard]] const T* end(std::size_t i) const noexcept { return item.data() + offset[i + 1]; }
  [[nodiscard]] std::size_t count(std::size_t i) const noexcept { return offset[i + 1] - offset[i]; }
  void close() { offset.push_back(item.size()); }  ///< ends the list whose items were pushed since the last call
};

template <class T>
struct Range {
  const T* first;
  const T* last;
  [[nodiscard]] const T* begin() const noexcept { return first; }
  [[nodiscard]] const T* end() const noexcept { return last; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(last - first); }
  const T& operator[](std::size_t i) const noexcept { return first[i]; }
};

/// A stretch of a unit's time.
struct Span {
  double start = 0;
  double end = 0;
  std::uint32_t task = none;  ///< computing: index in Recording::tasks
  State state = State::idle;
};

/// What a unit does at each instant: spans that touch, from the recording's begin to its end. Long recordings have tens
/// of millions: kept as starts only.
class Timeline {
 public:
  class Iterator {
   public:
    Iterator(const Timeline& timeline, std::size_t at) : timeline_(&timeline), at_(at) {}
    Span operator*() const { return (*timeline_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Timeline* timeline_;
    std::size_t at_;
  };

  /// `span` starts where the last one ended; one that continues it (same task and state) makes it longer.
  void append(const Span& span) {
    if (span.end <= span.start) return;
    if (starts_.empty() || starts_.back().state != span.state || starts_.back().task != span.task)
      starts_.push_back({span.start, span.task, span.state});
    end_ = span.end;
  }
  void reserve(std::size_t spans) { starts_.reserve(spans); }
  [[nodiscard]] std::size_t size() const noexcept { return starts_.size(); }
  [[nodiscard]] bool empty() const noexcept { return starts_.empty(); }
  [[nodiscard]] Span operator[](std::size_t i) const {
    return {starts_[i].time, i + 1 < starts_.size() ? starts_[i + 1].time : end_, starts_[i].task, starts_[i].state};
  }
  [[nodiscard]] Span front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  struct Start {
    double time;
    std::uint32_t task;
    State state;
  };
  std::vector<Start> starts_;
  double end_ = 0;
};

/// A copy between two memory nodes of one rank.
struct Transfer {
  double start = 0;
  double end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t from = 0;  ///< index in Recording::nodes
  std::uint32_t to = 0;
  std::uint32_t handle = none;
  std::uint32_t type = none;  ///< index in Recording::texts: "fetch", "task prefetch", "prefetch", "idle prefetch"
};

enum class MessageKind : std::uint8_t { point_to_point, collective };

/// Data sent by MPI from one rank to another: from just before the sender's MPI_Isend to when the receiver's MPI thread
/// found them complete. Where only StarPU's links say so: from after MPI_Isend.
struct Message {
  double start = 0;
  double end = 0;  ///< not before start: clocks that say so are wrong
  std::uint64_t bytes = 0;
  std::uint32_t from = 0;  ///< ranks
  std::uint32_t to = 0;
  std::int64_t tag = -1;            ///< MPI's, as StarPU keeps it; -1 when unknown
  std::uint32_t handle = none;      ///< the sender's
  std::uint32_t received = none;    ///< the receiver's; a handle of StarPU's own when it was not awaited yet
  std::uint32_t sent_after = none;  ///< the node of the graph (of `from`) after which the data may be sent
  std::uint32_t releases = none;    ///< the node of the graph (of `to`) that waits for them
  std::int32_t priority = 0;
  MessageKind kind = MessageKind::point_to_point;
};

/// How the clocks of several ranks were brought onto one time axis.
struct Clocks {
  enum class Alignment : std::uint8_t {
    barriers,       ///< as StarPU's converter does: all leave its two barriers at the same instants
    messages,       ///< and each shifted so that no message arrives before it was sent
    equal_rates,    ///< as `messages`, but clocks run equally fast: the barriers were left at different instants
    contradictory,  ///< as `barriers`; no shift suits all messages
  };
  Alignment alignment = Alignment::barriers;
  std::vector<double> shift;      ///< per rank: seconds added at the first barrier to what StarPU's converter says
  double error = 0;               ///< by how much two ranks' times may be off and no message contradict it
  std::uint64_t early = 0;        ///< messages that arrived before they were sent, by StarPU's barriers
  double earliest = 0;            ///< and by how much at most
  std::uint64_t still_early = 0;  ///< the same after the alignment; these are no dependencies
};
inline constexpr const char* alignment_names[] = {"barriers", "messages", "equal rates", "contradictory"};

/// A value over time, a step function. Kept in bounded memory: beyond `limit` points neighbours are merged, the
/// merged point keeping the larger value.
class Curve {
 public:
  struct Point {
    double time = 0;
    double value = 0;
  };
  static constexpr std::size_t limit = 1 << 16;

  void add(double time, double value);
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }
  [[nodiscard]] std::vector<Point>& points() noexcept { return points_; }

 private:
  std::vector<Point> points_;
  double resolution_ = 0;
};

/// An event the program recorded with starpu_fxt_trace_user_event_string.
struct Marker {
  double time = 0;
  std::string text;
  std::uint32_t rank = 0;
};

struct Recording {
  std::string name;  ///< for titles
  double begin = 0;  ///< seconds: first task's start (or the window's)
  double end = 0;    ///< last task's end (or the window's)
  std::uint32_t ranks = 1;
  bool has_states = false;        ///< the units' states were recorded (paje.trace), not only the tasks
  bool has_dependencies = false;  ///< tasks.rec was read

  std::vector<Kind> kinds;
  std::vector<MemoryNode> nodes;
  std::vector<Unit> units;  ///< sorted by rank, kind, worker
  std::vector<Codelet> codelets;
  std::vector<Handle> handles;
  std::vector<std::string> texts;
  std::vector<Task> tasks;            ///< sorted by submission (rank, submit order, id)
  Lists<std::uint32_t> dependencies;  ///< per task: the tasks it waited for, through messages included
  Lists<Access> accesses;             ///< per task
  std::vector<Timeline> timeline;     ///< per unit
  std::vector<Transfer> transfers;    ///< sorted by start
  std::vector<Message> messages;      ///< sorted by start
  std::uint64_t lost_messages = 0;    ///< sent, and not known to have arrived: left out
  Clocks clocks;                      ///< of several ranks
  Curve ready;                        ///< tasks ready and not yet started
  Curve submitted;                    ///< tasks submitted and not yet finished
  std::vector<Marker> markers;

  /// seconds
  [[nodiscard]] double makespan() const noexcept { return end - begin; }
  [[nodiscard]] Range<std::uint32_t> predecessors(std::size_t task) const noexcept {
    return {dependencies.begin(task), dependencies.end(task)};
  }
  [[nodiscard]] Range<Access> data(std::size_t task) const noexcept {
    return {accesses.begin(task), accesses.end(task)};
  }
  [[nodiscard]] const std::string& codelet_name(const Task& task) const;
  /// "CUDA" of "CUDA 0"
  [[nodiscard]] const std::string& kind_name(const Task& task) const;
  [[nodiscard]] std::size_t units_of(std::uint32_t kind) const noexcept;
};

/// Which part of a recording to look at.
struct Window {
  enum class Part {
    automatic,   ///< between the markers "begin NAME" and "end NAME" when the program set them, else everything
    everything,  ///< first task's start to last task's end
    iterations,  ///< the tasks of numbered iterations
    interval,    ///< [begin, end] seconds after the first task's start
  };
  Part part = Part::automatic;
  double begin = 0;
  double end = 0;

  /// "auto", "all", "iterations" or "BEGIN:END" in seconds. Throws Error (bad_input).
  static Window parse(const std::string& text);
};

/// The recording restricted to a window: tasks that started and ended inside (tasks nobody executed stay, they
/// carry dependencies), spans and transfers cut at its ends, messages that were sent and arrived inside. Throws Error
/// (bad_input) when no task is inside.
Recording restrict_to(Recording recording, const Window& window);

}  // namespace asterism::traces
