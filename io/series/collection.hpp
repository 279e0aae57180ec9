// SPDX-License-Identifier: Apache-2.0
// Lists of times and of the file that holds each of them, which ParaView opens: collections (.pvd) for files in VTK's
// XML, file series (.series, JSON) for others.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/series/series.hpp"

namespace asterism::output {

/// As VTK's XML files name it.
inline constexpr const char* vtk_byte_order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

/// The list of a series NAME.vtkhdf: NAME.vtkhdf.series; of others the series itself.
std::filesystem::path list_of(const std::filesystem::path& path);

/// The name of the file of a time, in the folder of the series NAME.pvd or NAME.vtkhdf: NAME_STEP and the extension.
std::string member_of(const std::filesystem::path& path, std::int64_t step, std::string_view extension);

/// path: of the series. The times of a list that this program wrote. Throws Error (bad_input) for anything else.
std::vector<SavedTime> read_collection(const std::filesystem::path& path, std::string_view extension);

/// Throws Error; then an older list stays.
void write_collection(const std::filesystem::path& path, const std::vector<SavedTime>& times,
                      std::string_view extension);

}  // namespace asterism::output
