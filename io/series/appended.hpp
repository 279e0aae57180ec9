// SPDX-License-Identifier: Apache-2.0
// Arrays as raw appended data of VTK's XML files (VTK file formats, XML 1.0).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/output_file.hpp"
#include "io/series/collection.hpp"
#include "io/series/series_detail.hpp"

namespace asterism::output {

/// Arrays one after the other, each behind its size in bytes; their places are known before they are written. Values
/// must stay where they are until then.
class Appended {
 public:
  /// The element that describes an array. type: "Float64", "Int32"; unit: empty, or what VTK's UNITS_LABEL says.
  template <class T>
  std::string array(const char* type, const std::string& name, int components, std::span<const T> values,
                    const std::string& unit = {}) {
    std::string tag =
        fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"",
                    type, detail::xml(name), components, size_);
    tag += unit.empty() ? std::string("/>\n")
                        : fmt::format(
                              ">\n<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}"
                              "</InformationKey>\n</DataArray>\n",
                              detail::xml(unit));
    arrays_.push_back({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    size_ += sizeof(std::uint64_t) + values.size_bytes();
    return tag;
  }
  /// Writes the whole file: `inside` is what stands in the element of this type ("PolyData"), then come the arrays.
  void write_file(const std::filesystem::path& path, const std::string& type, const std::string& inside) const {
    OutputFile file(path);
    file.write(
        fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"{1}\" "
                    "header_type=\"UInt64\">\n<{0}>\n{2}</{0}>\n<AppendedData encoding=\"raw\">\n_",
                    type, vtk_byte_order, inside));
    for (const std::string_view bytes : arrays_) {
      const std::uint64_t size = bytes.size();
      file.write({reinterpret_cast<const char*>(&size), sizeof size});
      file.write(bytes);
    }
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
  }

 private:
  std::vector<std::string_view> arrays_;
  std::uint64_t size_ = 0;
};

}  // namespace asterism::output
