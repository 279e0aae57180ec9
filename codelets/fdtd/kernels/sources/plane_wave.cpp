// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/sources/plane_wave.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace asterism::fdtd {
namespace {

constexpr const char* axis_name[3] = {"x", "y", "z"};

double norm(const double (&v)[3]) {
  return std::hypot(v[0], v[1], v[2]);
}

/// Between unit vectors; accurate for small angles.
double angle_between(const double (&u)[3], const double (&v)[3]) {
  const double difference[3] = {u[0] - v[0], u[1] - v[1], u[2] - v[2]};
  return 2 * std::asin(std::min(1.0, norm(difference) / 2));
}

Direction direction_of(const std::int32_t (&m)[3], const double (&spacing)[3], const double (&wanted)[3]) {
  Direction d{{m[0], m[1], m[2]}, {}, {}};
  const double along[3] = {m[0] / spacing[0], m[1] / spacing[1], m[2] / spacing[2]};
  for (int a = 0; a < 3; ++a) d.unit[a] = along[a] / norm(along);
  d.deviation = angle_between(d.unit, wanted);
  return d;
}

std::int32_t sum_of(const Direction& d) {
  return std::abs(d.m[0]) + std::abs(d.m[1]) + std::abs(d.m[2]);
}

std::int32_t largest_of(const Direction& d) {
  return std::max({std::abs(d.m[0]), std::abs(d.m[1]), std::abs(d.m[2])});
}

std::string degrees(double radian) {
  return std::to_string(radian * 45 / std::atan(1)) + " degrees";
}

TotalField total_field(const Box& planes, const Space& space, const Direction& direction) {
  TotalField total{planes, {}};
  const std::int32_t lower[3] = {planes.x0, planes.y0, planes.z0};
  const std::int32_t upper[3] = {planes.x1, planes.y1, planes.z1};
  for (int a = 0; a < 3; ++a) {
    const bool through = space.periodic[a] && lower[a] == 0 && upper[a] == space.n[a];
    total.faces[a] = !through;
    const std::string where = std::string("box of the plane wave along ") + axis_name[a] + ": from plane " +
                              std::to_string(lower[a]) + " to " + std::to_string(upper[a]);
    if (through && direction.m[a] != 0)
      throw std::invalid_argument(where + ", through a periodic domain, but the wave travels along it");
    if (!through && (lower[a] < 1 || upper[a] <= lower[a] || upper[a] >= space.n[a]))
      throw std::invalid_argument(where + ", has to be within planes 1 to " + std::to_string(space.n[a] - 1));
  }
  return total;
}

/// Beyond the box, for waves that decay along the line, as they do from where E is given.
constexpr std::int32_t margin_per_m = 8;
constexpr std::int32_t absorber_per_m = 96;
/// Share of a wave that the end of the line reflects, were the layer before it continuous. As it is one of entries, it
/// reflects 1e-8 of waves of 20 cells and more, 1e-6 of those of 10, 5e-4 of those of 2 to 3 (measured).
constexpr double absorbed_to = 1e-14;

Line line_through(const TotalField& total, const Direction& direction) {
  const Box& b = total.planes;
  const std::int32_t ends[3][2] = {{b.x0, b.x1}, {b.y0, b.y1}, {b.z0, b.z1}};
  const std::int32_t largest = largest_of(direction);
  std::int32_t first = -largest;
  std::int32_t last = largest;
  for (int a = 0; a < 3; ++a) {
    const std::int32_t m = direction.m[a];
    first += 2 * m * ends[a][m < 0 ? 1 : 0];
    last += 2 * m * ends[a][m < 0 ? 0 : 1];
  }
  Line line{{direction.m[0], direction.m[1], direction.m[2]}, {}, {}, (largest + 1) / 2 + 1, {}};
  const std::int32_t before = line.fixed(Field::electric) + margin_per_m * largest;
  line.origin = first - (first & 1) - 2 * before;
  line.absorber = (last - line.origin) / 2 + line.reach;
  line.length = line.absorber + absorber_per_m * largest;
  return line;
}

/// The lengths of the cells that the line goes through; those beside the box go on outside.
class CellsOfLine {
 public:
  CellsOfLine(const Incident& incident, const GradedMesh& mesh, std::size_t axis)
      : mesh_(mesh), axis_(axis), sign_(incident.line.m[axis]) {
    const Box& b = incident.total.planes;
    first_ = std::array{b.x0, b.y0, b.z0}[axis] - 1;
    last_ = std::array{b.x1, b.y1, b.z1}[axis];
  }
  /// Length of the cell around an odd place, or the distance of the centres beside an even one.
  [[nodiscard]] double around(std::int32_t place) const {
    return place % 2 == 0 ? (after(place - 1) + after(place)) / 2 : after(place);
  }
  /// Length of the cell between a place and the next.
  [[nodiscard]] double after(std::int32_t place) const {
    const std::int32_t halves = sign_ > 0 ? place : -place - 1;
    return mesh_.cell(axis_, std::clamp((halves - (halves & 1)) / 2, first_, last_));
  }

 private:
  const GradedMesh& mesh_;
  std::size_t axis_;
  std::int32_t sign_, first_, last_;
};

bool is_oblique(const Direction& d) {
  return (d.m[0] != 0 ? 1 : 0) + (d.m[1] != 0 ? 1 : 0) + (d.m[2] != 0 ? 1 : 0) > 1;
}

/// The length of all cells in the box along an axis and of one beyond each face, in spacings; 0: they have several.
double length_in(const Box& planes, const GradedMesh& mesh, std::size_t axis) {
  constexpr double rounding = 1e-9;
  const std::int32_t first = std::array{planes.x0, planes.y0, planes.z0}[axis] - 1;
  const std::int32_t last = std::array{planes.x1, planes.y1, planes.z1}[axis];
  const double length = mesh.cell(axis, first);
  for (std::int32_t i = first; i <= last; ++i)
    if (std::abs(mesh.cell(axis, i) - length) > rounding * length) return 0;
  return length;
}

/// The direction of the wave, and the lengths of the cells of an oblique one, by which its scheme is that of a regular
/// grid.
std::array<double, 3> choose_direction(const PlaneWave& wave, const Box& planes, const Space& space,
                                       Incident& incident) {
  const double unit[3] = {std::sin(wave.theta) * std::cos(wave.phi), std::sin(wave.theta) * std::sin(wave.phi),
                          std::cos(wave.theta)};
  std::array<double, 3> lengths{};
  double spacing[3];
  for (std::size_t a = 0; a < 3; ++a) {
    lengths[a] = length_in(planes, space.mesh, a);
    spacing[a] = space.spacing[a] * (lengths[a] == 0 ? 1 : lengths[a]);
  }
  incident.direction = round_direction(unit, spacing, wave.tolerance);
  if (!is_oblique(incident.direction)) return {1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    if (incident.direction.m[a] != 0 && lengths[a] == 0)
      throw std::invalid_argument(std::string("it travels along several axes, and the cells of its box along ") +
                                  axis_name[a] +
                                  " have several lengths; expected one axis, or cells of one length along each of "
                                  "them, in the box and next to it");
    if (lengths[a] == 0) lengths[a] = 1;
  }
  return lengths;
}

/// Lengths beside the faces, and those along the line. Delays of its places are those of waves in vacuum.
void set_lengths(const Space& space, const std::array<double, 3>& of_scheme, Incident& incident) {
  const Box& b = incident.total.planes;
  const std::int32_t ends[3][2] = {{b.x0, b.x1}, {b.y0, b.y1}, {b.z0, b.z1}};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t side = 0; side < 2; ++side) {
      const bool face = incident.total.faces[a];  // others are not used
      incident.beside[0][a][side] = face ? of_scheme[a] / space.mesh.across(a, ends[a][side]) : 1;
      incident.beside[1][a][side] = face ? of_scheme[a] / space.mesh.cell(a, ends[a][side] - (side == 0 ? 1 : 0)) : 1;
    }
  Line& line = incident.line;
  for (std::size_t a = 0; a < 3; ++a) {
    if (line.m[a] == 0 || space.mesh.planes[a].empty() || is_oblique(incident.direction)) continue;
    line.graded = true;
    const CellsOfLine cells(incident, space.mesh, a);
    double delay = 0;
    for (std::int32_t place = line.origin; place < line.origin + 2 * line.length; ++place) {
      incident.inverse_lengths.push_back(1 / cells.around(place));
      incident.delays.push_back(delay);
      delay += incident.half_delay * cells.after(place);
    }
    incident.half_delay *= cells.after(line.origin);
  }
}

void set_polarisation(const PlaneWave& wave, Incident& incident) {
  const double(&u)[3] = incident.direction.unit;
  const bool pole = incident.direction.m[0] == 0 && incident.direction.m[1] == 0;
  const double phi = pole ? wave.phi : std::atan2(u[1], u[0]);
  const double across = pole ? 0.0 : std::hypot(u[0], u[1]);
  const double growing_theta[3] = {u[2] * std::cos(phi), u[2] * std::sin(phi), -across};
  const double growing_phi[3] = {-std::sin(phi), std::cos(phi), 0};
  for (int a = 0; a < 3; ++a)
    incident.electric[a] =
        std::cos(wave.polarisation) * growing_theta[a] + std::sin(wave.polarisation) * growing_phi[a];
}

}  // namespace

Direction round_direction(const double (&unit)[3], const double (&spacing)[3], double tolerance) {
  constexpr std::int32_t most = most_along_axis;
  Direction simplest{};
  Direction nearest{};
  nearest.deviation = std::numeric_limits<double>::infinity();
  for (std::int32_t x = -most; x <= most; ++x)
    for (std::int32_t y = -most; y <= most; ++y)
      for (std::int32_t z = -most; z <= most; ++z) {
        if (std::gcd(std::gcd(x, y), z) != 1) continue;
        const Direction d = direction_of({x, y, z}, spacing, unit);
        if (d.deviation < nearest.deviation) nearest = d;
        if (!(d.deviation <= tolerance)) continue;
        const std::int32_t more = sum_of(d) - sum_of(simplest);
        if (sum_of(simplest) == 0 || more < 0 || (more == 0 && d.deviation < simplest.deviation)) simplest = d;
      }
  if (sum_of(simplest) != 0) return simplest;
  throw std::invalid_argument("no whole numbers up to " + std::to_string(most) +
                              " give the plane wave's direction to " + degrees(tolerance) + "; (" +
                              std::to_string(nearest.m[0]) + ", " + std::to_string(nearest.m[1]) + ", " +
                              std::to_string(nearest.m[2]) + ") are off by " + degrees(nearest.deviation));
}

Incident make_incident(const PlaneWave& wave, const Box& planes, const Space& space) {
  check(wave.waveform);
  Incident incident{};
  const std::array<double, 3> lengths = choose_direction(wave, planes, space, incident);
  const double spacing[3] = {space.spacing[0] * lengths[0], space.spacing[1] * lengths[1],
                             space.spacing[2] * lengths[2]};
  incident.total = total_field(planes, space, incident.direction);
  incident.line = line_through(incident.total, incident.direction);
  incident.e_factors = factors(space.dt, space.eps0, spacing);
  incident.h_factors = factors(space.dt, space.mu0, spacing);
  incident.dt = space.dt;
  set_polarisation(wave, incident);
  const std::int32_t(&m)[3] = incident.direction.m;
  const double per_length[3] = {m[0] / spacing[0], m[1] / spacing[1], m[2] / spacing[2]};
  incident.half_delay = 0.5 * std::sqrt(space.eps0 * space.mu0) / norm(per_length);
  set_lengths(space, lengths, incident);
  // loss (x / depth)^3 per step takes exp(-2 loss / 4 x steps through the layer) on the way, and the same back
  const std::int32_t layer = 2 * (incident.line.length - incident.line.absorber);
  const double last_delay =
      incident.line.graded ? incident.delays.back() - incident.delays.end()[-2] : incident.half_delay;
  const double steps_through = layer * last_delay / space.dt;
  incident.loss = -std::log(absorbed_to) / steps_through;
  incident.waveform = wave.waveform;
  return incident;
}

void require_vacuum(const TotalField& total, const Cells& cells, const std::vector<Material>& materials,
                    const std::vector<std::vector<Pole>>& poles) {
  const Box& p = total.planes;
  const std::int32_t lower[3] = {p.x0, p.y0, p.z0};
  const std::int32_t upper[3] = {p.x1, p.y1, p.z1};
  std::int32_t first[3];
  std::int32_t end[3];
  for (int a = 0; a < 3; ++a) {
    first[a] = lower[a] - (total.faces[a] ? 1 : 0);
    end[a] = upper[a] + (total.faces[a] ? 1 : 0);
  }
  const auto beside_face = [&](const std::int32_t(&cell)[3]) {
    for (int a = 0; a < 3; ++a)
      if (total.faces[a] && (cell[a] <= lower[a] || cell[a] >= upper[a] - 1)) return true;
    return false;
  };
  for (std::int32_t i = first[0]; i < end[0]; ++i)
    for (std::int32_t j = first[1]; j < end[1]; ++j)
      for (std::int32_t k = first[2]; k < end[2]; ++k) {
        if (!beside_face({i, j, k})) continue;
        const std::uint16_t number = cells.material[(static_cast<std::int64_t>(i) * cells.n[1] + j) * cells.n[2] + k];
        const Material& m = materials.at(number);
        const bool dispersive = number < poles.size() && !poles[number].empty();
        if (m.eps_r != 1 || m.mu_r != 1 || m.sigma != 0 || m.sigma_m != 0 || dispersive)
          throw std::invalid_argument("cell (" + std::to_string(i) + ", " + std::to_string(j) + ", " +
                                      std::to_string(k) +
                                      ") beside a face of the plane wave's box is not vacuum, which it has to be");
      }
}

template <class T>
std::vector<T> new_line(const Incident& incident) {
  std::vector<T> line(static_cast<std::size_t>(incident.line.elements()), T{0});
  line.insert(line.end(), incident.inverse_lengths.begin(), incident.inverse_lengths.end());
  return line;
}
template std::vector<double> new_line(const Incident&);
template std::vector<float> new_line(const Incident&);

double delay_of(const Incident& incident, std::int32_t place) {
  const std::int32_t since = place - incident.line.origin;
  return incident.line.graded ? incident.delays.at(static_cast<std::size_t>(since)) : since * incident.half_delay;
}
double delay_at(const Incident& incident, Field field, int c, int i, int j, int k) {
  return delay_of(incident, incident.line.place(field, c, i, j, k));
}

template <class T>
Given<T> given_at(const Incident& incident, std::int64_t step) {
  Given<T> given{};
  const double t = time_of(Moment::whole, step, incident.dt);
  for (int a = 0; a < 3; ++a) {
    const std::int32_t first = incident.line.first(Field::electric, a) - incident.line.origin;
    for (std::int32_t q = 0; q < incident.line.fixed(Field::electric); ++q)
      given.value[a][q] =
          static_cast<T>(incident.electric[a] * value(incident.waveform, t - (first + 2 * q) * incident.half_delay));
  }
  return given;
}
template Given<double> given_at(const Incident&, std::int64_t);
template Given<float> given_at(const Incident&, std::int64_t);

}  // namespace asterism::fdtd
