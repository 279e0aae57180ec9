// SPDX-License-Identifier: Apache-2.0
#include "io/series/collection.hpp"

#include <algorithm>

#include "io/series/series_detail.hpp"
#include "io/text_file.hpp"

namespace asterism::output {
namespace {

/// The value of an attribute in a line of XML; false when it is missing.
bool xml_attribute(std::string_view line, const char* name, std::string_view& value) {
  const std::string mark = fmt::format(" {}=\"", name);
  const std::size_t begin = line.find(mark);
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin + mark.size());
  value = line.substr(0, line.find('"'));
  return value.size() < line.size();
}

}  // namespace

std::string member_of(const std::filesystem::path& path, std::int64_t step, std::string_view extension) {
  return fmt::format("{}_{:010}{}", path.stem().string(), step, extension);
}

std::vector<SavedTime> read_collection(const std::filesystem::path& path, std::string_view extension) {
  const TextFile text(path, "a ParaView collection");
  if (text.text.find("<VTKFile type=\"Collection\"") == std::string_view::npos) {
    bad_input("{}: is no ParaView collection; expected one that this program wrote", text.name);
  }
  std::vector<SavedTime> times;
  Lines lines{text.text.data(), text.text.data() + text.text.size()};
  for (std::string_view line; lines.next(line);) {
    if (!trimmed(line).starts_with("<DataSet ")) continue;
    SavedTime saved{};
    std::string_view time;
    std::string_view file;
    constexpr std::size_t digits = 10;
    std::int64_t step = -1;
    bool known = xml_attribute(line, "timestep", time) && parse_number(time, saved.time) &&
                 xml_attribute(line, "file", file) && file.size() > digits + extension.size();
    if (known) {
      const std::string_view stem = file.substr(0, file.size() - extension.size());
      const std::size_t begin = stem.rfind('_') + 1;
      known = begin > 0 &&
              parse_integer(
                  stem.substr(begin + std::min(stem.substr(begin).find_first_not_of('0'), stem.size() - begin - 1)),
                  step) &&
              file == detail::xml(member_of(path, step, extension));
    }
    if (!known || (!times.empty() && step <= times.back().step)) {
      bad_input("{}: line {}: found {}, expected a time and a file as this program writes them", text.name,
                lines.number, in_quotes(trimmed(line)));
    }
    saved.step = step;
    times.push_back(saved);
  }
  return times;
}

void write_collection(const std::filesystem::path& path, const std::vector<SavedTime>& times,
                      std::string_view extension) {
  OutputFile file(path);
  file.write(
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"{}\">\n"
                  "<Collection>\n",
                  vtk_byte_order));
  for (const SavedTime& saved : times) {
    file.write(fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", saved.time,
                           detail::xml(member_of(path, saved.step, extension))));
  }
  file.write("</Collection>\n</VTKFile>\n");
  file.commit();
}

}  // namespace asterism::output
