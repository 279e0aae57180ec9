// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/matrix_file.hpp"

#include <span>
#include <string>

#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/checked_data.hpp"
#include "taskflows/tdbem/matrices/gather_from_ranks.hpp"
#include "taskflows/tdbem/results/traits.hpp"

namespace asterism::tdbem {
namespace {

constexpr const char* matrices_mark = "asterism tdbem matrices 1";

std::string slices_of(std::size_t block) {
  return fmt::format("slices_{}", block);
}
std::string initial_of(std::size_t block) {
  return fmt::format("initial_{}", block);
}

/// As Matrices takes it: of a single block that is no multiple of panels, the next one.
template <class T>
std::int64_t block_size_of(const Matrices<T>& matrices) {
  const std::int64_t size = matrices.structure().blocks.front().size();
  return (size + panel_rows - 1) / panel_rows * panel_rows;
}

template <class T>
std::vector<std::size_t> words(const Matrices<T>& matrices, std::size_t block) {
  return {static_cast<std::size_t>(matrices.block_bytes(block)) / sizeof(std::int64_t)};
}
template <class T>
std::vector<std::size_t> initial_values(const Matrices<T>& matrices, std::size_t block) {
  return {static_cast<std::size_t>(matrices.initial_values(block))};
}

/// A checksum of all in a block but the values: where its tiles are, and which lags they have.
template <class T>
std::string structure_of(const Matrices<T>& matrices, std::size_t block, const void* bytes) {
  const std::int64_t directory = matrices.place(block, 0, matrices.blocks()).directory;
  const auto* const begin = static_cast<const char*>(bytes);
  const auto* const tiles = reinterpret_cast<const PlacedTile*>(begin + directory);
  std::uint64_t sum = checksum(begin + directory, static_cast<std::size_t>(matrices.block_bytes(block) - directory));
  for (std::size_t t = 0; t < matrices.blocks(); ++t) {
    const std::int64_t end = t + 1 < matrices.blocks() ? tiles[t + 1].values : directory;
    sum = checksum(begin + tiles[t].start, static_cast<std::size_t>(end - tiles[t].start), sum);
  }
  return digits(sum);
}

template <class T>
void check_file(const Hdf5Input& file, const Problem& problem, const Matrices<T>& matrices) {
  check_format(file, matrices_mark, "convolution matrices");
  check_same(file, matrix_traits(problem, sizeof(T)));
  const std::int64_t block_size = file.integer_attribute("/", "cluster");
  if (block_size != block_size_of(matrices))
    bad_input("{}: cluster: found {}, expected {} as the run has", file.name, block_size, block_size_of(matrices));
  for (const std::size_t b : matrices.own_blocks()) {
    check_shape<std::int64_t>(file, slices_of(b), words(matrices, b));
    check_shape<double>(file, initial_of(b), initial_values(matrices, b));
  }
}

/// A block, as the rank that has it knows it.
struct KeptBlock {
  std::uint64_t block = 0, words = 0, initial = 0;
};
/// What is attached to its two datasets.
struct Checks {
  std::uint64_t block = 0;
  std::uint64_t words = 0, initial = 0;  ///< checksums
  char structure[16]{};
};

template <class T>
std::vector<KeptBlock> kept_blocks(const Matrices<T>& matrices) {
  std::vector<KeptBlock> mine;
  for (const std::size_t b : matrices.own_blocks())
    mine.push_back({b, words(matrices, b)[0], initial_values(matrices, b)[0]});
  return gather_from_ranks(mine);
}

}  // namespace

template <class T>
void save_matrices(const std::filesystem::path& path, const Problem& problem, Matrices<T>& matrices) {
  DistributedHdf5 file(path, DistributedHdf5::Writers::all_ranks);
  file.attribute("/", "format", std::string(matrices_mark));
  file.on_rank_0([&](Hdf5Output& once) { write(once, matrix_traits(problem, sizeof(T))); });
  file.attribute("/", "cluster", block_size_of(matrices));
  std::vector<std::string> datasets;
  for (const KeptBlock& kept : kept_blocks(matrices)) {
    file.create(datasets.emplace_back(slices_of(kept.block)), Hdf5Number::int64, {kept.words});
    file.create(datasets.emplace_back(initial_of(kept.block)), Hdf5Number::float64, {kept.initial});
  }
  file.make_room(datasets);
  std::vector<Checks> mine;
  matrices.get([&](std::size_t b, const void* bytes, const double* initial) {
    const std::size_t n = words(matrices, b)[0], few = initial_values(matrices, b)[0];
    file.write_block(slices_of(b), {{0}, {n}}, std::span(static_cast<const std::int64_t*>(bytes), n));
    file.write_block(initial_of(b), {{0}, {few}}, std::span(initial, few));
    Checks& checks = mine.emplace_back(
        Checks{b, checksum(bytes, n * sizeof(std::int64_t)), checksum(initial, few * sizeof(double)), {}});
    structure_of(matrices, b, bytes).copy(checks.structure, sizeof checks.structure);
  });
  for (const Checks& checks : gather_from_ranks(mine)) {
    file.attribute(slices_of(checks.block), "checksum", digits(checks.words));
    file.attribute(slices_of(checks.block), "structure", std::string(checks.structure, sizeof checks.structure));
    file.attribute(initial_of(checks.block), "checksum", digits(checks.initial));
  }
  file.commit();
}

MatrixFile read_matrix_file(const std::filesystem::path& path, const Problem& problem) {
  const Hdf5Input file(path);
  check_format(file, matrices_mark, "convolution matrices");
  const Precision precision = file.text_attribute("/", "precision") == name_of(Precision::single_precision)
                                  ? Precision::single_precision
                                  : Precision::double_precision;
  check_same(file, matrix_traits(problem, static_cast<std::size_t>(size_of(precision))));
  const std::int64_t block_size = file.integer_attribute("/", "cluster");
  const std::int64_t unknowns = problem.surface.unknowns();
  if (block_size <= 0 || block_size % panel_rows != 0 || block_size >= unknowns + panel_rows)
    bad_input("{}: cluster: found {}, expected a multiple of {} for {} unknowns", file.name, block_size, panel_rows,
              unknowns);
  return {static_cast<std::int32_t>(block_size), precision};
}

template <class T>
void load_matrices(const std::filesystem::path& path, const Problem& problem, Matrices<T>& matrices) {
  const Hdf5Input file(path);
  check_file(file, problem, matrices);
  matrices.set([&](std::size_t b, void* bytes, double* initial) {
    // `bytes` has all but the values already
    const std::string expected = structure_of(matrices, b, bytes);
    const std::string found = file.text_attribute(slices_of(b), "structure");
    if (found != expected)
      bad_input("{}: dataset \"{}\" has other lags than the surface: found {}, expected {}", file.name, slices_of(b),
                in_quotes(found), expected);
    const std::vector<std::size_t> shape = words(matrices, b), few = initial_values(matrices, b);
    read_checked(file, slices_of(b), shape, std::span(static_cast<std::int64_t*>(bytes), shape[0]));
    read_checked(file, initial_of(b), few, std::span(initial, few[0]));
  });
}

#define ASTERISM_MATRIX_FILE(T)                                                            \
  template void save_matrices(const std::filesystem::path&, const Problem&, Matrices<T>&); \
  template void load_matrices(const std::filesystem::path&, const Problem&, Matrices<T>&);
ASTERISM_MATRIX_FILE(float)
ASTERISM_MATRIX_FILE(double)
#undef ASTERISM_MATRIX_FILE

}  // namespace asterism::tdbem
