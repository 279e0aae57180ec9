// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/paper.hpp"

#include <set>

#include "base/error.hpp"
#include "io/toml_table.hpp"

namespace asterism::apps::reproduce {
namespace {

std::vector<std::string> texts(const TomlValue& array) {
  std::vector<std::string> all;
  for (const TomlValue& element : array.elements()) all.push_back(element.text());
  return all;
}

Figure figure_of(const TomlValue& parts_of) {
  const std::vector<TomlValue> parts = parts_of.elements();
  if (parts.size() != 2 && parts.size() != 3) parts_of.refuse("[\"name\", number or \"not given\", why ours differs]");
  Figure figure{parts[0].text(), {}, {}};
  if (parts.size() == 3) figure.why = parts[2].text();
  if (!parts[1].is_text())
    figure.value = parts[1].number();
  else if (parts[1].text() != "not given")
    parts[1].refuse("a number or \"not given\"");
  return figure;
}

Section section_of(TomlTable table) {
  Section section;
  section.title = table.get("title", "what the figures are").text();
  if (const auto unit = table.find("unit"); unit && unit->show() != "\"\"") section.unit = unit->text();
  section.says = table.get("says", "the paper's words").text();
  if (const auto why = table.find("why")) section.why = why->text();
  if (const auto rounded = table.find("rounded_down")) section.rounded_down = rounded->boolean();
  std::set<std::string> names;
  for (const TomlValue& pair : table.get("figures", "an array of figures").elements()) {
    section.figures.push_back(figure_of(pair));
    if (!names.insert(section.figures.back().name).second) pair.refuse("a name that is not there yet");
  }
  table.finish();
  return section;
}

std::vector<Section> sections_of(TomlTable& root, const char* key) {
  std::vector<Section> sections;
  if (const auto all = root.find(key))
    for (const TomlValue& section : all->elements()) sections.push_back(section_of(section.table()));
  return sections;
}

}  // namespace

double Paper::input(const std::string& section, const std::string& figure) const {
  for (const Section& s : inputs)
    for (const Figure& f : s.figures)
      if (s.title == section && f.name == figure && f.value) return *f.value;
  bad_input("{}: no input \"{}\" under \"{}\"", place, figure, section);
}

Paper read_paper(const std::filesystem::path& folder, const std::string& name) {
  const TomlFile file(folder / (name + ".toml"));
  TomlTable root = file.root();
  Paper p;
  p.paper = root.get("paper", "authors, journal, year").text();
  if (const auto doi = root.find("doi")) p.doi = doi->text();
  p.place = root.get("place", "table, figure or section").text();
  p.title = root.get("title", "what the experiment is").text();
  const TomlValue columns = root.get("columns", "names of our figures' variants");
  p.columns = texts(columns);
  if (p.columns.empty()) columns.refuse("at least one name");
  if (const auto notes = root.find("notes")) p.notes = texts(*notes);
  p.sections = sections_of(root, "section");
  p.inputs = sections_of(root, "input");
  root.finish();
  return p;
}

std::filesystem::path folder_of_papers() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "asterism" / "papers";
}

}  // namespace asterism::apps::reproduce
