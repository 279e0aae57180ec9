// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/operator_cache.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "base/version.hpp"
#include "io/output_file.hpp"
#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/fmm/periodic/lattice_operator.hpp"

namespace asterism::fmm {
namespace {

/// Raised when operators or the layout of the file change.
constexpr int format = 2;
/// Primitive directions (kernels/far/m2l_operators.hpp).
constexpr std::uint64_t directions_kept = 16;

/// What the operators depend on: the kernel by its values between cells of half width 1.
std::string fingerprint(const Problem& problem) {
  const Accuracy& accuracy = problem.accuracy;
  Fingerprint all;
  all.numbers(format, accuracy.basis.order, accuracy.basis.radius_squared, accuracy.epsilon);
  constexpr int samples = 64;
  constexpr double farthest = 192;  // (2 * 3 + 2)^2 * 3
  for (int i = 1; i <= samples; ++i) all.numbers(problem.interaction.radial(farthest * i / samples));
  return all.text();
}

/// The words of a file whose last one is the checksum of the others; nothing where that is not so.
std::optional<std::vector<std::uint64_t>> read_words(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(file.tellg());
  if (bytes % sizeof(std::uint64_t) != 0 || bytes < 2 * sizeof(std::uint64_t)) return std::nullopt;
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes))) return std::nullopt;
  const std::uint64_t sum = words.back();
  words.pop_back();
  if (checksum(words.data(), words.size() * sizeof(std::uint64_t)) != sum) return std::nullopt;
  return words;
}

std::optional<std::vector<PrimitiveOperator>> read(const std::filesystem::path& path, std::size_t size) {
  const auto words = read_words(path);
  if (!words || words->size() < directions_kept) return std::nullopt;
  std::vector<PrimitiveOperator> operators(directions_kept);
  std::size_t at = directions_kept;
  for (std::size_t d = 0; d < directions_kept; ++d) {
    const std::uint64_t rank = (*words)[d];
    if (rank > size || at + 2 * size * rank > words->size()) return std::nullopt;
    operators[d].rank = static_cast<int>(rank);
    for (std::vector<double>* const part : {&operators[d].u, &operators[d].v}) {
      part->resize(size * rank);
      std::memcpy(part->data(), words->data() + at, part->size() * sizeof(double));
      at += part->size();
    }
  }
  if (at != words->size()) return std::nullopt;
  return operators;
}

void write(const std::filesystem::path& path, const std::vector<PrimitiveOperator>& operators) {
  std::vector<std::uint64_t> words;
  for (const PrimitiveOperator& o : operators) words.push_back(static_cast<std::uint64_t>(o.rank));
  for (const PrimitiveOperator& o : operators)
    for (const std::vector<double>* const part : {&o.u, &o.v}) {
      const std::size_t at = words.size();
      words.resize(at + part->size());
      std::memcpy(words.data() + at, part->data(), part->size() * sizeof(double));
    }
  words.push_back(checksum(words.data(), words.size() * sizeof(std::uint64_t)));
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  try {
    OutputFile file(path);
    file.write({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
    file.commit();
  } catch (const Error&) {
    // they are computed again by the next run
  }
}

/// Empty: nothing is kept.
std::filesystem::path file_named(const Problem& problem, const std::string& name) {
  const std::filesystem::path folder = simulated ? std::filesystem::path() : cache_folder();
  if (folder.empty()) return {};
  return folder / "operators" / fmt::format("{}-{}-{}.bin", name, problem.accuracy.basis.order, fingerprint(problem));
}

template <class Compute>
std::vector<PrimitiveOperator> kept_or_computed(const std::filesystem::path& file, const Basis& basis,
                                                const Compute& compute) {
  if (!file.empty())
    if (auto kept = read(file, static_cast<std::size_t>(basis.size()))) return std::move(*kept);
  std::vector<PrimitiveOperator> operators = compute();
  if (!file.empty()) write(file, operators);
  return operators;
}

}  // namespace

std::filesystem::path operator_file(const Problem& problem) {
  return problem.interaction.homogeneous ? file_named(problem, problem.interaction.name) : std::filesystem::path();
}

std::filesystem::path lattice_file(const Problem& problem, int periodic) {
  return file_named(problem, fmt::format("lattice-{}", periodic));
}

bool operators_are_kept(const Problem& problem) {
  const std::filesystem::path file = operator_file(problem);
  std::error_code ignored;
  return !file.empty() && std::filesystem::exists(file, ignored);
}

std::vector<PrimitiveOperator> primitive_operators_of(const Problem& problem, const Basis& basis, double half_width) {
  return kept_or_computed(operator_file(problem), basis, [&] {
    return primitive_operators(basis, interpolation_nodes(problem.accuracy.basis), problem.interaction.radial,
                               half_width, problem.accuracy.epsilon);
  });
}

std::vector<PrimitiveOperator> lattice_operators_of(const Problem& problem, const Basis& basis, int periodic) {
  return kept_or_computed(lattice_file(problem, periodic), basis,
                          [&] { return lattice_operators(basis, problem.accuracy, periodic); });
}

}  // namespace asterism::fmm
