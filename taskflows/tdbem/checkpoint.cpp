#include "taskflows/tdbem/checkpoint.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "taskflows/tdbem/checked_data.hpp"
#include "taskflows/tdbem/traits.hpp"

namespace asterism::tdbem {
namespace {

constexpr const char* format_mark = "asterism tdbem state 1";
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
  check_format(file, format_mark, "the state of a run");
  check_same(file, traits_of(problem, method, sizeof(T)));
  const std::int64_t steps = file.integer_attribute("/", "steps");
  if (steps < 0 || steps % method.group != 0)
    bad_input("{}: steps: found {}, expected whole groups of {}", file.name, steps, method.group);
  check_shape<double>(file, record, of_record(problem, steps));
  return steps;
}

template <class V>
void read(const Hdf5Input& file, const char* dataset, const Shape& shape, std::vector<V>& values) {
  values.resize(size(shape));
  read_checked(file, dataset, shape, std::span<V>(values));
}

}  // namespace

template <class T>
void write_checkpoint(const std::filesystem::path& path, const Problem& problem, const Method& method,
                      const typename Simulation<T>::State& state) {
  Hdf5Output file(path);
  file.attribute("/", "format", std::string(format_mark));
  write(file, traits_of(problem, method, sizeof(T)));
  file.attribute("/", "steps", state.steps);
  write_checked(file, history, by_unknown(problem, state.history.size()), std::span<const T>(state.history));
  write_checked(file, begun, by_unknown(problem, state.begun.size()), std::span<const T>(state.begun));
  write_checked(file, record, of_record(problem, state.steps), std::span<const double>(state.record));
  file.commit();
}

template <class T>
std::int64_t checkpoint_steps(const std::filesystem::path& path, const Problem& problem, const Method& method) {
  return checked_steps<T>(Hdf5Input(path), problem, method);
}

template <class T>
typename Simulation<T>::State read_checkpoint(const std::filesystem::path& path, const Problem& problem,
                                              const Method& method) {
  const Hdf5Input file(path);
  typename Simulation<T>::State state;
  state.steps = checked_steps<T>(file, problem, method);
  const Shape past = checked_by_unknown<T>(file, history, problem), sums = checked_by_unknown<T>(file, begun, problem);
  state.reach = static_cast<std::int32_t>(past[2]);
  read(file, history, past, state.history);
  read(file, begun, sums, state.begun);
  read(file, record, of_record(problem, state.steps), state.record);
  return state;
}

#define ASTERISM_CHECKPOINT(T)                                                                            \
  template void write_checkpoint<T>(const std::filesystem::path&, const Problem&, const Method&,          \
                                    const Simulation<T>::State&);                                         \
  template std::int64_t checkpoint_steps<T>(const std::filesystem::path&, const Problem&, const Method&); \
  template Simulation<T>::State read_checkpoint<T>(const std::filesystem::path&, const Problem&, const Method&);
ASTERISM_CHECKPOINT(float)
ASTERISM_CHECKPOINT(double)
#undef ASTERISM_CHECKPOINT

}  // namespace asterism::tdbem
