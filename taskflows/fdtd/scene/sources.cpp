// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/angles.hpp"
#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

double width(TomlTable& table, const Scene& scene) {
  const TomlValue value = table.get("width", "the time in s after which a pulse is down to 1/e");
  if (!(value.positive() >= scene.time_step)) {
    value.refuse(fmt::format("at least the time step, {:.4g} s", scene.time_step));
  }
  return value.number();
}

}  // namespace

Waveform waveform(const TomlValue& value, const Scene& scene) {
  using Kind = WaveformKind;
  constexpr double widths = 4.5;   // exp(-4.5^2) = 1.6e-9: a pulse begins that small
  constexpr double periods = 1.5;  // of Ricker's: (1 - 2 a) exp(-a) = -1e-8
  TomlTable table = value.table();
  Waveform w{};
  w.kind = table.get("kind", "a kind of waveform")
               .choice<Kind>({{"gaussian", Kind::gaussian},
                              {"differentiated_gaussian", Kind::differentiated_gaussian},
                              {"ricker", Kind::ricker},
                              {"modulated", Kind::modulated},
                              {"sine", Kind::sine}});
  if (const auto v = table.find("amplitude")) w.amplitude = v->number();
  const bool has_frequency = w.kind == Kind::ricker || w.kind == Kind::modulated || w.kind == Kind::sine;
  if (has_frequency) w.frequency = frequency(table.get("frequency", "a frequency in Hz"), scene);
  if (w.kind == Kind::modulated || w.kind == Kind::sine) {
    if (const auto v = table.find("phase")) w.phase = v->number() * degree;
  }
  if (w.kind == Kind::sine) {
    if (const auto v = table.find("ramp")) w.ramp = v->not_negative();
  } else {
    if (w.kind != Kind::ricker) w.width = width(table, scene);
    w.delay = w.kind == Kind::ricker ? periods / w.frequency : widths * w.width;
    if (const auto v = table.find("delay")) w.delay = v->number();
  }
  table.finish();
  return w;
}

namespace {

/// Tangential E on an electric conductor is 0 whatever flows there.
void check_not_on_conductor(const TomlTable& table, const Dipole& dipole, const Scene& scene) {
  for (std::size_t a = 0; a < 3; ++a) {
    const Boundary lower = scene.boundary[2 * a];
    const bool conductor = lower == Boundary::electric || lower == Boundary::cpml;
    if (conductor && dipole.place.entry[a] == 0 && dipole.component.field == Field::electric &&
        on_planes(Field::electric, dipole.component.axis, static_cast<int>(a))) {
      table.refuse(fmt::format("a dipole along the conductor at the lower face of {}", "xyz"[a]),
                   "one that is a cell away from it at least");
    }
  }
}

Dipole dipole(TomlTable& table, const Scene& scene) {
  Dipole result{};
  result.component = component(table.get("component", "the component that it drives"));
  result.place = place(table, scene, result.component);
  result.waveform = waveform(table.get("waveform", "a table"), scene);
  check_not_on_conductor(table, result, scene);
  return result;
}

PlaneWave plane_wave(TomlTable& table, const Scene& scene) {
  constexpr double rounding = 1e-6;
  PlaneWave result{};
  result.direction = direction(table.get("direction", "the direction of travel"));
  const TomlValue polarisation = table.get("polarisation", "the direction of E");
  Vector& e = result.polarisation;
  e = direction(polarisation);
  const Vector& k = result.direction;
  const double along = e[0] * k[0] + e[1] * k[1] + e[2] * k[2];
  if (std::abs(along) > rounding) {
    polarisation.refuse(fmt::format("{}, which is not transverse (cosine {:.3g})", polarisation.show(), along),
                        "a direction at right angles to that of travel");
  }
  for (std::size_t a = 0; a < 3; ++a) e[a] -= along * k[a];
  const double length = std::hypot(e[0], e[1], e[2]);
  for (double& x : e) x /= length;
  const TomlValue where = table.get("box", "the total-field region");
  const Box b = result.box = box(where, scene.grid, Extent::volume);
  const Box in = inside_layers(scene);
  if (b.x0 < in.x0 || b.x1 > in.x1 || b.y0 < in.y0 || b.y1 > in.y1 || b.z0 < in.z0 || b.z1 > in.z1) {
    where.refuse(show(b), fmt::format("{}, outside of absorbing layers", show(in)));
  }
  result.waveform = waveform(table.get("waveform", "a table"), scene);
  return result;
}

}  // namespace

void read_sources(TomlTable& root, Scene& scene) {
  for (const TomlValue& value : tables(root, "sources")) {
    TomlTable table = value.table();
    const bool is_dipole =
        table.get("type", "the kind of source").choice<bool>({{"dipole", true}, {"plane_wave", false}});
    if (is_dipole) {
      scene.dipoles.push_back(dipole(table, scene));
    } else {
      scene.plane_waves.push_back(plane_wave(table, scene));
    }
    table.finish();
  }
}

}  // namespace asterism::fdtd::scene::detail
