// SPDX-License-Identifier: Apache-2.0
// The readers behind read_particles(), one per format, and what they share.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_file.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/read_particles.hpp"

namespace asterism::fmm {

Particles read_text(const TextFile& file, const ReadOptions& options);
Particles read_pqr(const TextFile& file, const ReadOptions& options);
Particles read_npy(const TextFile& file, const ReadOptions& options);
Particles read_hdf5(const std::filesystem::path& path, const ReadOptions& options);

/// Where x, y, z, the charge and what moving particles have stand, from 0; no charge: each is 1.
struct Columns {
  std::array<std::size_t, 3> position = {0, 1, 2};
  std::optional<std::size_t> charge;
  std::optional<std::array<std::size_t, 3>> velocity = {};
  std::optional<std::size_t> mass = {};

  [[nodiscard]] std::size_t last() const;
};

/// The columns that the option asks for, by number or by their name in the header (empty: there is none).
/// `where` begins the message of a complaint: a file, or a file and line.
Columns columns_of_option(const std::string& where, const std::string& option, std::span<const std::string> header);

/// The columns that a header names, in any order and case; nothing unless it names x, y and z.
std::optional<Columns> columns_of_header(const std::string& where, std::span<const std::string> header);

/// Complains of the first row with a coordinate or charge that is NaN or infinite; `first`: the row of the first
/// particle.
void check_finite(const std::string& file, const Particles& particles, std::size_t first);

/// Complains of fewer particles than parts, but not of none.
void check_parts(const std::string& file, std::size_t particles, const Part& part);

}  // namespace asterism::fmm
