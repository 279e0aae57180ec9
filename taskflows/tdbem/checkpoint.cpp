// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/checkpoint.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/checked_data.hpp"
#include "taskflows/tdbem/results/traits.hpp"

namespace asterism::tdbem {
namespace {

constexpr const char* state_mark = "asterism tdbem state 2";
constexpr const char *history = "history", *begun = "begun", *record = "record";

using Shape = std::vector<std::size_t>;

Traits traits_of(const Problem& problem, const Method& method, std::size_t bytes) {
  Traits all = matrix_traits(problem, bytes);
  const Traits run = run_traits(problem);
  all.insert(all.end(), run.begin(), run.end());
  all.push_back({"group", fmt::format("{}", method.group)});
  all.push_back({"ahead", method.ahead ? "yes" : "no"});
  return all;
}

/// Values by wave and unknown; the last extent is what the number of values makes it.
Shape by_unknown(const Problem& problem, std::size_t values) {
  const Shape shape{problem.waves.size(), problem.surface.vertices.size()};
  return {shape[0], shape[1], values / (shape[0] * shape[1])};
}

Shape of_record(const Problem& problem, std::int64_t steps) {
  return {problem.waves.size(), problem.observers.size(), static_cast<std::size_t>(steps)};
}

std::size_t size(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// The last extent is the file's own.
template <class T>
Shape checked_by_unknown(const Hdf5Input& file, const char* dataset, const Problem& problem) {
  const Shape found = file.shape(dataset);
  Shape expected = by_unknown(problem, 0);
  expected[2] = found.size() == 3 ? found[2] : 1;
  if (expected[2] == 0 || expected[2] > std::size_t{std::numeric_limits<std::int32_t>::max()})
    bad_input("{}: dataset \"{}\": {} values for each unknown", file.name, dataset, expected[2]);
  check_shape<T>(file, dataset, expected);
  return expected;
}

template <class T>
std::int64_t checked_steps(const Hdf5Input& file, const Problem& problem, const Method& method) {
  check_format(file, state_mark, "the state of a run");
  check_same(file, traits_of(problem, method, sizeof(T)));
  const std::int64_t steps = file.integer_attribute("/", "steps");
  if (steps < 0 || steps % method.group != 0)
    bad_input("{}: steps: found {}, expected whole groups of {}", file.name, steps, method.group);
  check_shape<double>(file, record, of_record(problem, steps));
  return steps;
}

std::string checksums_of(const char* dataset) {
  return std::string(dataset) + "_checksums";
}

/// A checksum of each wave and unknown of the rows, as a signed number.
template <class T>
std::vector<std::int64_t> checksums(std::span<const T> values, std::size_t places) {
  std::vector<std::int64_t> sums;
  for (std::size_t at = 0; at < values.size(); at += places)
    sums.push_back(static_cast<std::int64_t>(checksum(values.data() + at, places * sizeof(T))));
  return sums;
}

/// Blocks of the waves of some unknowns.
Hdf5Block block_of(std::size_t wave, Range unknowns, std::size_t first, std::size_t places) {
  return {{wave, static_cast<std::size_t>(unknowns.begin), first},
          {1, static_cast<std::size_t>(unknowns.size()), places}};
}
Hdf5Block without_places(const Hdf5Block& block) {
  return {{block.first[0], block.first[1]}, {block.extent[0], block.extent[1]}};
}

template <class T>
void write_rows(DistributedHdf5& file, const char* dataset, const Problem& problem,
                const typename Simulation<T>::Rows& rows, std::size_t places) {
  const std::size_t size = static_cast<std::size_t>(rows.unknowns.size()) * places;
  for (std::size_t w = 0; w < problem.waves.size() && size > 0; ++w) {
    const std::span<const T> values(rows.values.data() + w * size, size);
    const Hdf5Block block = block_of(w, rows.unknowns, 0, places);
    file.write_block(dataset, block, values);
    file.write_block(checksums_of(dataset), without_places(block),
                     std::span<const std::int64_t>(checksums(values, places)));
  }
}

template <class T>
typename Simulation<T>::Rows read_rows(const Hdf5Input& file, const char* dataset, const Problem& problem,
                                       Range unknowns, std::size_t places) {
  typename Simulation<T>::Rows rows{unknowns, {}};
  const std::size_t size = static_cast<std::size_t>(unknowns.size()) * places;
  rows.values.resize(problem.waves.size() * size);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(unknowns.size()));
  for (std::size_t w = 0; w < problem.waves.size() && size > 0; ++w) {
    const std::span<T> values(rows.values.data() + w * size, size);
    const Hdf5Block block = block_of(w, unknowns, 0, places);
    file.read_block(dataset, block, values);
    file.read_block(checksums_of(dataset), without_places(block), std::span<std::int64_t>(expected));
    const std::vector<std::int64_t> found = checksums(std::span<const T>(values), places);
    for (std::size_t u = 0; u < found.size(); ++u)
      if (found[u] != expected[u])
        bad_input("{}: dataset \"{}\" is damaged: wave {}, unknown {}: checksum {}, expected {}", file.name, dataset, w,
                  static_cast<std::size_t>(unknowns.begin) + u, digits(static_cast<std::uint64_t>(found[u])),
                  digits(static_cast<std::uint64_t>(expected[u])));
  }
  return rows;
}

}  // namespace

template <class T>
void write_checkpoint(const std::filesystem::path& path, const Problem& problem, const Method& method,
                      const typename Simulation<T>::State& state) {
  DistributedHdf5 file(path, DistributedHdf5::Writers::all_ranks);
  file.on_rank_0([&](Hdf5Output& out) {
    out.attribute("/", "format", std::string(state_mark));
    write(out, traits_of(problem, method, sizeof(T)));
    out.attribute("/", "steps", state.steps);
  });
  const auto reach = static_cast<std::size_t>(state.reach);
  const auto width = static_cast<std::size_t>(method.ahead ? 2 * method.group : method.group);
  const Shape all = by_unknown(problem, 0);
  for (const auto& [dataset, places] : {std::pair{history, reach}, std::pair{begun, width}}) {
    file.create(dataset, hdf5_number<T>(), {all[0], all[1], places});
    file.create(checksums_of(dataset), Hdf5Number::int64, {all[0], all[1]});
  }
  file.make_room({history, checksums_of(history), begun, checksums_of(begun)});
  write_rows<T>(file, history, problem, state.history, reach);
  write_rows<T>(file, begun, problem, state.begun, width);
  file.on_rank_0([&](Hdf5Output& out) {
    write_checked(out, record, of_record(problem, state.steps), std::span<const double>(state.record));
  });
  file.commit_checkpoint();
}

template <class T>
std::int64_t checkpoint_steps(const std::filesystem::path& path, const Problem& problem, const Method& method) {
  require_checksums(path);
  return checked_steps<T>(Hdf5Input(path), problem, method);
}

bool checkpoint_ahead(const std::filesystem::path& path) {
  require_checksums(path);
  const Hdf5Input file(path);
  check_format(file, state_mark, "the state of a run");
  return file.text_attribute("/", "ahead") == "yes";
}

template <class T>
typename Simulation<T>::State read_checkpoint(const std::filesystem::path& path, const Problem& problem,
                                              const Method& method, const typename Simulation<T>::Wanted& wanted) {
  require_checksums(path);
  const Hdf5Input file(path);
  typename Simulation<T>::State state;
  state.steps = checked_steps<T>(file, problem, method);
  const Shape past = checked_by_unknown<T>(file, history, problem), sums = checked_by_unknown<T>(file, begun, problem);
  for (const char* dataset : {history, begun})
    check_shape<std::int64_t>(file, checksums_of(dataset), {past[0], past[1]});
  const auto group = static_cast<std::size_t>(method.group);
  if (past[2] < group) bad_input("{}: {} past steps, expected {} at least", file.name, past[2], group);
  state.reach = static_cast<std::int32_t>(past[2]);
  state.history = read_rows<T>(file, history, problem, wanted.history, past[2]);
  state.begun = read_rows<T>(file, begun, problem, wanted.begun, sums[2]);
  state.last.resize(past[0] * past[1] * group);
  file.read_block(history, {{0, 0, past[2] - group}, {past[0], past[1], group}}, std::span<T>(state.last));
  const Shape shape = of_record(problem, state.steps);
  if (rank_group().is_root()) {
    state.record.resize(size(shape));
    read_checked(file, record, shape, std::span<double>(state.record));
  }
  return state;
}

#define ASTERISM_CHECKPOINT(T)                                                                                  \
  template void write_checkpoint<T>(const std::filesystem::path&, const Problem&, const Method&,                \
                                    const Simulation<T>::State&);                                               \
  template std::int64_t checkpoint_steps<T>(const std::filesystem::path&, const Problem&, const Method&);       \
  template Simulation<T>::State read_checkpoint<T>(const std::filesystem::path&, const Problem&, const Method&, \
                                                   const Simulation<T>::Wanted&);
ASTERISM_CHECKPOINT(float)
ASTERISM_CHECKPOINT(double)
#undef ASTERISM_CHECKPOINT

}  // namespace asterism::tdbem
