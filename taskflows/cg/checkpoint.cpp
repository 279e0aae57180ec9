// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/acquired.hpp"

namespace asterism::cg {
namespace {

/// A vector of the state, by block-row.
struct StateVector {
  const char* name;
  std::vector<starpu_data_handle_t> block;
};

std::vector<StateVector> state_vectors(const System& sys) {
  std::vector<StateVector> all;
  const auto add = [&](const char* name, const auto& block_of) {
    StateVector vector{name, std::vector<starpu_data_handle_t>(as_size(sys.blocks()))};
    for (const int i : sys.own()) vector.block[as_size(i)] = block_of(i);
    all.push_back(std::move(vector));
  };
  const auto add_vector = [&](const char* name, const BlockVector& v) { add(name, [&](int i) { return v[i]; }); };
  add_vector("x", sys.x);
  add_vector("r", sys.r);
  add("p", [&](int i) { return sys.p.piece(i); });
  if (sys.options.flow != Flow::pipelined) return all;
  add_vector("s", sys.s);
  add_vector("z", sys.az);
  add_vector("direction", sys.direction);
  if (!sys.preconditioned()) return all;
  add_vector("u", sys.z);
  add_vector("w", sys.w);
  add_vector("q", sys.mq);
  return all;
}

/// Scalars are stored as they are in memory.
template <class T>
std::vector<std::int64_t> words(const T& value) {
  const auto memory = std::bit_cast<std::array<std::int64_t, sizeof(T) / sizeof(std::int64_t)>>(value);
  return {memory.begin(), memory.end()};
}

template <class T>
T value_of(const std::vector<std::int64_t>& words) {
  std::array<std::int64_t, sizeof(T) / sizeof(std::int64_t)> memory{};
  std::copy_n(words.begin(), memory.size(), memory.begin());
  return std::bit_cast<T>(memory);
}

std::string method(const System& sys) {
  const PreconditionerFlow flow = sys.options.preconditioner_flow;
  const bool own_flow = flow != PreconditionerFlow::none;
  return fmt::format("{}, preconditioner of {} rows{}, {} dot products, {}", name_of(sys.options.flow),
                     own_flow ? sys.options.node_rows : sys.options.preconditioner_block,
                     own_flow ? " (" + name_of(flow) + ")" : "", name_of(sys.options.dot), name_of(sys.options.format));
}

/// Which contributions the next iteration of the pipelined flow begins with.
int next_parity(const Past& past) {
  return past.since_start % 2;
}

}  // namespace

void require_checkpoints(const Options& options) {
  if (options.flow != Flow::fused && options.flow != Flow::pipelined)
    bad_input("--checkpoint: found --flow {}; expected fused or pipelined", name_of(options.flow));
  if (options.vector != VectorMode::pieces)
    bad_input("--checkpoint: found --vector {}; expected pieces", name_of(options.vector));
  if (options.dot != DotMode::gather) bad_input("--checkpoint: found --dot {}; expected gather", name_of(options.dot));
}

void write_checkpoint(const std::filesystem::path& path, const System& sys, const Past& past) {
  DistributedHdf5 file(path, DistributedHdf5::Writers::all_ranks);
  const auto n = as_size(sys.partition.first(sys.blocks()));
  for (const StateVector& vector : state_vectors(sys)) {
    file.create(vector.name, Hdf5Number::float64, {n});
    file.make_room({vector.name});
    for (const int i : sys.own()) {
      const Acquired<double> part(vector.block[as_size(i)], STARPU_R);
      const auto rows = as_size(sys.partition.rows(i));
      file.write_block(vector.name, {{as_size(sys.partition.first(i))}, {rows}},
                       std::span<const double>(part.get(), rows));
    }
  }
  std::vector<Dots> mine;
  if (sys.options.flow == Flow::pipelined)
    for (const int i : sys.own()) mine.push_back(*Acquired<Dots>(sys.dots_of(i, next_parity(past)), STARPU_R));
  const std::vector<Dots> dots = rank_group().collect(std::span<const Dots>(mine));
  const State state = *Acquired<State>(sys.state_of(sys.own().front()), STARPU_R);
  std::vector<std::int64_t> contributions;
  for (const Dots& of_block : dots) {
    const std::vector<std::int64_t> more = words(of_block);
    contributions.insert(contributions.end(), more.begin(), more.end());
  }
  if (!dots.empty())
    file.write("contributions", {dots.size(), words(Dots{}).size()}, std::span<const std::int64_t>(contributions));
  const std::vector<std::int64_t> scalars = words(state);
  file.write("state", {scalars.size()}, std::span<const std::int64_t>(scalars));
  file.write("history", {past.history.size()}, std::span<const double>(past.history));
  file.write("block_rows", {sys.partition.begin.size()}, std::span<const std::int64_t>(sys.partition.begin));
  file.attribute("/", "method", method(sys));
  file.attribute("/", "nonzeros", sys.nonzeros());
  file.attribute("/", "b_norm", past.b_norm);
  file.attribute("/", "true_residual", past.true_residual);
  file.attribute("/", "iterations", past.iterations);
  file.attribute("/", "since_start", std::int64_t{past.since_start});
  file.attribute("/", "restarts", std::int64_t{past.restarts});
  file.commit_checkpoint();
}

namespace {

template <class T>
std::vector<T> read_all(const Hdf5Input& file, const std::string& dataset) {
  const std::vector<std::size_t> shape = file.shape(dataset);
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  std::vector<T> values(size);
  file.read_block(dataset, {std::vector<std::size_t>(shape.size(), 0), shape}, std::span<T>(values));
  return values;
}

void require_the_same(const Hdf5Input& file, const System& sys, double b_norm) {
  const auto refuse = [&](const std::string& what, const auto& found, const auto& expected) {
    if (found != expected)
      bad_input("{}: the checkpoint is of {} {}; this run has {}", file.name, what, found, expected);
  };
  refuse("the method", file.text_attribute("/", "method"), method(sys));
  refuse("a matrix with non-zeros:", file.number_attribute("/", "nonzeros"), sys.nonzeros());
  refuse("a right-hand side of norm", file.number_attribute("/", "b_norm"), b_norm);
  const auto begin = read_all<std::int64_t>(file, "block_rows");
  refuse("block-rows (--blocks):", std::ssize(begin) - 1, std::int64_t{sys.blocks()});
  if (begin != sys.partition.begin)
    bad_input("{}: the checkpoint's {} block-rows are cut elsewhere than this run's (--balance, --units)", file.name,
              sys.blocks());
}

}  // namespace

Past read_checkpoint(const std::filesystem::path& path, System& sys, double b_norm, double threshold) {
  require_checksums(path);
  const Hdf5Input file(path);
  require_the_same(file, sys, b_norm);
  Past past;
  past.iterations = file.integer_attribute("/", "iterations");
  past.since_start = static_cast<std::int32_t>(file.integer_attribute("/", "since_start"));
  past.restarts = static_cast<std::int32_t>(file.integer_attribute("/", "restarts"));
  past.true_residual = file.number_attribute("/", "true_residual");
  past.b_norm = b_norm;
  past.history = read_all<double>(file, "history");
  const auto scalars = read_all<std::int64_t>(file, "state");
  if (past.history.empty() || scalars.size() != words(State{}).size())
    bad_input("{}: not a checkpoint of this version", file.name);

  for (const StateVector& vector : state_vectors(sys))
    for (const int i : sys.own()) {
      const Acquired<double> part(vector.block[as_size(i)], STARPU_W);
      const auto rows = as_size(sys.partition.rows(i));
      file.read_block(vector.name, {{as_size(sys.partition.first(i))}, {rows}}, std::span<double>(part.get(), rows));
    }
  if (sys.options.flow == Flow::pipelined) {
    const std::size_t length = words(Dots{}).size();
    for (const int i : sys.own()) {
      std::vector<std::int64_t> of_block(length);
      file.read_block("contributions", {{as_size(i), 0}, {1, length}}, std::span<std::int64_t>(of_block));
      *Acquired<Dots>(sys.dots_of(i, next_parity(past)), STARPU_W) = value_of<Dots>(of_block);
    }
  }
  for (const Handle& handle : sys.state) {
    Acquired<State> state(handle, STARPU_W);
    *state = value_of<State>(scalars);
    state->threshold = threshold;
  }
  return past;
}

}  // namespace asterism::cg
