// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/fields/centre_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "io/output_file.hpp"

namespace asterism::lbm {
namespace {

struct TablePoint {
  double position, velocity;
};

struct Published {
  double reynolds;
  bool cubic;  ///< else two-dimensional
  const char* source;
  std::span<const TablePoint> u, w;
};

constexpr TablePoint ghia_100[] = {{.0547, -.03717}, {.0625, -.04192}, {.0703, -.04775}, {.1016, -.06434},
                                   {.1719, -.10150}, {.2813, -.15662}, {.4531, -.21090}, {.5, -.20581},
                                   {.6172, -.13641}, {.7344, .00332},  {.8516, .23151},  {.9531, .68717},
                                   {.9609, .73722},  {.9688, .78871},  {.9766, .84123}};
constexpr TablePoint ghia_400[] = {{.0547, -.08186}, {.0625, -.09266}, {.0703, -.10338}, {.1016, -.14612},
                                   {.1719, -.24299}, {.2813, -.32726}, {.4531, -.17119}, {.5, -.11477},
                                   {.6172, .02135},  {.7344, .16256},  {.8516, .29093},  {.9531, .55892},
                                   {.9609, .61756},  {.9688, .68439},  {.9766, .75837}};
constexpr TablePoint albensoeder_u[] = {{.0547, -.20623}, {.0703, -.23696}, {.1016, -.27293}, {.1719, -.25160},
                                        {.2813, -.10999}, {.4531, -.00612}, {.5, .00802},     {.6172, .03905},
                                        {.7344, .07334},  {.8516, .12183},  {.9531, .33171},  {.9609, .39821},
                                        {.9688, .48443},  {.9766, .58964}};
constexpr TablePoint albensoeder_w[] = {{.0625, .21738},  {.0781, .23503},  {.0938, .24407},  {.1563, .22924},
                                        {.2266, .17580},  {.5, .03674},     {.8047, -.15223}, {.8594, -.31117},
                                        {.9063, -.43423}, {.9453, -.33511}, {.9609, -.24095}, {.9688, -.18864}};
constexpr Published tables[] = {{100, false, "Ghia et al. 1982", ghia_100, {}},
                                {400, false, "Ghia et al. 1982", ghia_400, {}},
                                {1000, true, "Albensoeder and Kuhlmann 2005", albensoeder_u, albensoeder_w}};

/// The one or two cells in the middle of n.
std::vector<int> middle(int n) {
  return n % 2 != 0 ? std::vector<int>{n / 2} : std::vector<int>{n / 2 - 1, n / 2};
}

/// Velocity component `along` of the walls at both ends of an axis, in units of the flow's, where there are walls.
void add_walls(const Case& flow, int axis, std::size_t along, Line& line) {
  for (const int side : {0, 1}) {
    const Face& face = flow.problem.face[static_cast<std::size_t>(2 * axis + side)];
    if (face.periodic || face.wall.kind != Wall::Kind::velocity) continue;
    const double u = face.wall.u[along] / flow.velocity;
    line.position.insert(side == 0 ? line.position.begin() : line.position.end(), side);
    line.velocity.insert(side == 0 ? line.velocity.begin() : line.velocity.end(), u);
  }
}

double largest_difference(const Line& line, std::span<const TablePoint> published) {
  double largest = 0;
  for (const TablePoint& p : published) largest = std::max(largest, std::abs(line.at(p.position) - p.velocity));
  return largest;
}

}  // namespace

double Line::at(double where) const {
  const auto next = std::lower_bound(position.begin(), position.end(), where) - position.begin();
  const auto points = static_cast<std::ptrdiff_t>(position.size());
  const std::ptrdiff_t count = std::min<std::ptrdiff_t>(4, points);
  const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(next - 2, 0, points - count);
  double sum = 0;
  for (std::ptrdiff_t i = first; i < first + count; ++i) {
    double weight = velocity[static_cast<std::size_t>(i)];
    for (std::ptrdiff_t j = first; j < first + count; ++j)
      if (j != i)
        weight *= (where - position[static_cast<std::size_t>(j)]) /
                  (position[static_cast<std::size_t>(i)] - position[static_cast<std::size_t>(j)]);
    sum += weight;
  }
  return sum;
}

CentreLines centre_lines(const Case& flow, const VelocityOfCell& velocity) {
  const auto& n = flow.problem.cells;
  const auto mean = [&](int component, const std::vector<int>& xs, const std::vector<int>& ys,
                        const std::vector<int>& zs) {
    double sum = 0;
    for (const int z : zs)
      for (const int y : ys)
        for (const int x : xs) sum += velocity(component, x, y, z);
    return sum / static_cast<double>(xs.size() * ys.size() * zs.size()) / flow.velocity;
  };
  CentreLines lines;
  for (int z = 0; z < n[2]; ++z) {
    lines.u.position.push_back((z + 0.5) / n[2]);
    lines.u.velocity.push_back(mean(0, middle(n[0]), middle(n[1]), {z}));
  }
  for (int x = 0; x < n[0]; ++x) {
    lines.w.position.push_back((x + 0.5) / n[0]);
    lines.w.velocity.push_back(mean(2, {x}, middle(n[1]), middle(n[2])));
  }
  add_walls(flow, 2, 0, lines.u);
  add_walls(flow, 0, 2, lines.w);
  return lines;
}

template <class T>
CentreLines centre_lines(const Case& flow, const Fields<T>& fields) {
  const auto& n = flow.problem.cells;
  return centre_lines(flow, [&](int component, int x, int y, int z) {
    const std::span<const T> field = std::array{fields.u, fields.v, fields.w}[static_cast<std::size_t>(component)];
    return static_cast<double>(
        field[static_cast<std::size_t>(x) +
              static_cast<std::size_t>(n[0]) *
                  (static_cast<std::size_t>(y) + static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(z))]);
  });
}

template CentreLines centre_lines(const Case&, const Fields<float>&);
template CentreLines centre_lines(const Case&, const Fields<double>&);

void write_centre_lines(const std::filesystem::path& path, const CentreLines& lines) {
  std::string table = "line,position,velocity\n";
  for (const auto& [name, line] : {std::pair{"u(z)", &lines.u}, std::pair{"w(x)", &lines.w}})
    for (std::size_t i = 0; i < line->position.size(); ++i)
      table += fmt::format("{},{},{}\n", name, line->position[i], line->velocity[i]);
  OutputFile file(path);
  file.write(table);
  file.commit();
}

std::optional<Deviation> deviation_from_published(const Case& flow, const CentreLines& lines) {
  const Problem& p = flow.problem;
  const double viscosity = (p.collision.tau - 0.5) / 3;
  const double reynolds = flow.velocity * flow.length / viscosity;
  const auto at_rest = [&](std::size_t f) {
    const Face& face = p.face[f];
    return !face.periodic && face.wall.kind == Wall::Kind::velocity && face.wall.u[0] == 0 && face.wall.u[1] == 0 &&
           face.wall.u[2] == 0;
  };
  const Face& lid = p.face[5];
  const bool slides = !lid.periodic && lid.wall.kind == Wall::Kind::velocity && lid.wall.u[0] == flow.velocity &&
                      lid.wall.u[1] == 0 && lid.wall.u[2] == 0;
  if (!slides || !at_rest(0) || !at_rest(1) || !at_rest(4) || p.cells[0] != p.cells[2] || !p.solid.empty()) return {};
  const bool cubic = at_rest(2) && at_rest(3) && p.cells[1] == p.cells[0];
  if (!cubic && !p.face[2].periodic) return {};
  for (const Published& table : tables) {
    if (table.cubic != cubic || std::abs(reynolds / table.reynolds - 1) > 1e-9) continue;
    Deviation d{table.source, largest_difference(lines.u, table.u), {}};
    if (!table.w.empty()) d.w = largest_difference(lines.w, table.w);
    return d;
  }
  return {};
}

}  // namespace asterism::lbm
