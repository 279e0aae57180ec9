// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/points.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace asterism::apps::tdbem {

using asterism::tdbem::Point;

Point point_of(const std::string& option, const std::string& text) {
  std::istringstream in(text);
  Point p;
  char first = 0, second = 0;
  in >> p.x >> first >> p.y >> second >> p.z;
  if (!in || first != ',' || second != ',' || in.peek() != std::istringstream::traits_type::eof() ||
      !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
    bad_input("{} {}: expected three numbers x,y,z", option, text);
  return p;
}

std::vector<Point> points_in(const std::string& path) {
  std::ifstream in(path);
  if (!in) bad_input("--observers {}: cannot be read", path);
  if (!std::filesystem::is_regular_file(path)) bad_input("--observers {}: is not a regular file", path);
  std::vector<Point> points;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    points.push_back(point_of(fmt::format("{}, line {}:", path, number), line));
  }
  if (points.empty()) bad_input("--observers {}: no point, expected lines x,y,z", path);
  return points;
}

}  // namespace asterism::apps::tdbem
