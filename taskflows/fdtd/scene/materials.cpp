// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numbers>

#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

Drude drude(TomlTable& table) {
  return {table.get("omega_p", "the plasma frequency in rad/s").positive(),
          table.get("gamma", "the collision rate in rad/s").not_negative()};
}

Lorentz lorentz(TomlTable& table) {
  return {table.get("delta_eps", "the change of permittivity").positive(),
          table.get("omega_0", "the resonance in rad/s").positive(),
          table.get("delta", "the damping in rad/s").not_negative()};
}

Debye debye(TomlTable& table) {
  return {table.get("delta_eps", "the change of permittivity").positive(),
          table.get("tau", "the relaxation time in s").positive()};
}

/// S/m: eps'' = eps' times the loss tangent at a frequency in Hz.
double conductivity(const TomlValue& value, double eps_r) {
  TomlTable table = value.table();
  const double tangent = table.get("value", "the loss tangent").not_negative();
  const double frequency = table.get("frequency", "where it holds, in Hz").positive();
  table.finish();
  return 2 * std::numbers::pi * frequency * vacuum_permittivity * eps_r * tangent;
}

template <class Read>
void read_poles(TomlTable& table, const char* kind, const Read& read, std::vector<Pole>& poles) {
  const auto value = table.find(kind);
  if (!value) return;
  for (const TomlValue& pole : value->one_or_more()) {
    TomlTable parameters = pole.table();
    poles.emplace_back(read(parameters));
    parameters.finish();
  }
}

Material material(const std::string& name, const TomlValue& value) {
  Material result{name, {}, {}};
  TomlTable table = value.table();
  const auto conductor = table.find("perfect_conductor");
  if (conductor && conductor->boolean()) {
    result.constants.sigma = std::numeric_limits<double>::infinity();
    table.finish();
    return result;
  }
  if (const auto v = table.find("eps_r")) result.constants.eps_r = v->positive();
  if (const auto v = table.find("mu_r")) result.constants.mu_r = v->positive();
  if (const auto v = table.find("sigma")) result.constants.sigma = v->not_negative();
  if (const auto v = table.find("sigma_m")) result.constants.sigma_m = v->not_negative();
  if (const auto v = table.find("loss_tangent")) result.constants.sigma += conductivity(*v, result.constants.eps_r);
  read_poles(table, "drude", drude, result.poles);
  read_poles(table, "lorentz", lorentz, result.poles);
  read_poles(table, "debye", debye, result.poles);
  table.finish();
  return result;
}

}  // namespace

void read_materials(TomlTable& root, Scene& scene) {
  scene.materials.push_back({"vacuum", {}, {}});
  scene.materials.push_back({"pec", {.sigma = std::numeric_limits<double>::infinity()}, {}});
  if (const auto value = root.find("materials")) {
    TomlTable table = value->table();
    for (const auto& [name, parameters] : table.entries()) {
      if (name == "vacuum" || name == "pec") parameters.refuse("a material of that name", "another name");
      if (scene.materials.size() > std::numeric_limits<std::uint16_t>::max()) table.refuse("more", "65536 materials");
      scene.materials.push_back(material(name, parameters));
    }
  }
  if (const auto v = root.find("conformal")) scene.conformal = v->boolean();
  if (const auto v = root.find("smoothing"))
    scene.smoothing = v->is_text()   ? v->choice<Smoothing>({{"diagonal", Smoothing::diagonal}})
                      : v->boolean() ? Smoothing::tensor
                                     : Smoothing::none;
  if (const auto name = root.find("background")) scene.background = material_named(*name, scene);
}

}  // namespace asterism::fdtd::scene::detail
