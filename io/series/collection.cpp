// SPDX-License-Identifier: Apache-2.0
#include "io/series/collection.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/series/series_detail.hpp"
#include "io/series/vtkhdf.hpp"
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

std::string as_it_is(std::string_view text) {
  return std::string(text);
}

/// The step of a file of a series, which a list names as spell() has it.
std::optional<std::int64_t> step_of(const std::filesystem::path& path, std::string_view file,
                                    std::string_view extension, std::string (*spell)(std::string_view)) {
  constexpr std::size_t digits = 10;
  if (file.size() <= digits + extension.size()) return std::nullopt;
  const std::string_view stem = file.substr(0, file.size() - extension.size());
  const std::size_t begin = stem.rfind('_') + 1;
  const std::size_t zeros = std::min(stem.substr(begin).find_first_not_of('0'), stem.size() - begin - 1);
  std::int64_t step = -1;
  if (begin == 0 || !parse_integer(stem.substr(begin + zeros), step) || file != spell(member_of(path, step, extension)))
    return std::nullopt;
  return step;
}

std::vector<SavedTime> read_series(const std::filesystem::path& path, std::string_view extension) {
  const TextFile text(list_of(path), "a list of files");
  std::vector<SavedTime> times;
  const auto refuse = [&] { bad_input("{}: is no list of files; expected one that this program wrote", text.name); };
  const nlohmann::json list = nlohmann::json::parse(text.text, nullptr, false);
  if (!list.is_object() || !list.contains("files") || !list["files"].is_array()) refuse();
  for (const nlohmann::json& file : list["files"]) {
    if (!file.is_object() || !file.contains("name") || !file["name"].is_string() || !file.contains("time") ||
        !file["time"].is_number())
      refuse();
    const auto step = step_of(path, file["name"].get<std::string>(), extension, as_it_is);
    if (!step || (!times.empty() && *step <= times.back().step)) refuse();
    times.push_back({*step, file["time"].get<double>()});
  }
  return times;
}

void write_series(const std::filesystem::path& path, const std::vector<SavedTime>& times, std::string_view extension) {
  nlohmann::ordered_json list{{"file-series-version", "1.0"}, {"files", nlohmann::ordered_json::array()}};
  for (const SavedTime& saved : times)
    list["files"].push_back({{"name", member_of(path, saved.step, extension)}, {"time", saved.time}});
  OutputFile file(list_of(path));
  file.write(list.dump(1) + "\n");
  file.commit();
}

}  // namespace

std::filesystem::path list_of(const std::filesystem::path& path) {
  return is_vtkhdf(path) ? std::filesystem::path(path.string() + ".series") : path;
}

std::string member_of(const std::filesystem::path& path, std::int64_t step, std::string_view extension) {
  return fmt::format("{}_{:010}{}", path.stem().string(), step, extension);
}

std::vector<SavedTime> read_collection(const std::filesystem::path& path, std::string_view extension) {
  if (is_vtkhdf(path)) return read_series(path, extension);
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
    const bool known =
        xml_attribute(line, "timestep", time) && parse_number(time, saved.time) && xml_attribute(line, "file", file);
    const auto step = known ? step_of(path, file, extension, detail::xml) : std::nullopt;
    if (!step || (!times.empty() && *step <= times.back().step)) {
      bad_input("{}: line {}: found {}, expected a time and a file as this program writes them", text.name,
                lines.number, in_quotes(trimmed(line)));
    }
    saved.step = *step;
    times.push_back(saved);
  }
  return times;
}

void write_collection(const std::filesystem::path& path, const std::vector<SavedTime>& times,
                      std::string_view extension) {
  if (is_vtkhdf(path)) return write_series(path, times, extension);
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
