// SPDX-License-Identifier: Apache-2.0
// Arrays over cells come in C order, shape (nx, ny, nz): the Python part has looked at their shapes.
#include <pybind11/complex.h>

#include <asterism/fdtd.hpp>

#include "python/owned.hpp"
#include "python/simulations.hpp"

namespace asterism::python {
namespace {

using PyFdtd = Unlocked<fdtd::Simulation>;
using Entry = std::array<int, 3>;

const std::initializer_list<std::pair<const char*, fdtd::Component>> names = {
    {"ex", fdtd::Component::ex}, {"ey", fdtd::Component::ey}, {"ez", fdtd::Component::ez},
    {"hx", fdtd::Component::hx}, {"hy", fdtd::Component::hy}, {"hz", fdtd::Component::hz}};

fdtd::Component component_of(const std::string& name) {
  return choice("component", name, names);
}

std::string name_of(fdtd::Component component) {
  for (const auto& [name, meaning] : names)
    if (meaning == component) return name;
  return {};
}

std::vector<double> moment_of(const py::array& moment) {
  const std::span<const double> values = values_of("moment", moment);
  return {values.begin(), values.end()};
}

fdtd::Options options_of(const py::dict& given) {
  fdtd::Options options;
  options.cells = option<Entry>(given, "cells");
  options.spacing = option<std::array<double, 3>>(given, "spacing");
  const auto faces = option<std::vector<std::string>>(given, "faces");
  for (std::size_t f = 0; f < options.faces.size(); ++f)
    options.faces[f] = choice<fdtd::Face>("face", faces[f],
                                          {{"electric", fdtd::Face::electric},
                                           {"magnetic", fdtd::Face::magnetic},
                                           {"periodic", fdtd::Face::periodic},
                                           {"absorbing", fdtd::Face::absorbing}});
  options.absorbing_cells = option<int>(given, "absorbing_cells");
  options.courant = option<double>(given, "courant");
  options.precision =
      choice<Precision>("precision", option<std::string>(given, "precision"),
                        {{"double", Precision::double_precision}, {"single", Precision::single_precision}});
  options.gpu_share = option<std::optional<double>>(given, "gpu_share");
  for (const py::handle& source : option<py::list>(given, "sources")) {
    const auto [component, entry, moment] = source.cast<std::tuple<std::string, Entry, py::array>>();
    options.sources.push_back({component_of(component), entry, moment_of(moment)});
  }
  for (const auto& [component, entry] : option<std::vector<std::pair<std::string, Entry>>>(given, "probes"))
    options.probes.push_back({component_of(component), entry});
  return options;
}

std::unique_ptr<PyFdtd> make(PySession& session, const py::dict& given, const py::dict& arrays) {
  const fdtd::Options options = options_of(given);
  fdtd::Materials materials;
  for (const auto& [name, to] : {std::pair{"epsilon", &materials.epsilon},
                                 {"mu", &materials.mu},
                                 {"sigma", &materials.sigma},
                                 {"sigma_m", &materials.sigma_m}})
    if (arrays.contains(name)) *to = values_of(name, option<py::array>(arrays, name));
  Session& open = *session;
  return std::make_unique<PyFdtd>([&] { return std::make_unique<fdtd::Simulation>(open, options, materials); });
}

std::unique_ptr<PyFdtd> from_scene(PySession& session, const std::string& text, const std::string& folder) {
  Session& open = *session;
  return std::make_unique<PyFdtd>(
      [&] { return std::make_unique<fdtd::Simulation>(fdtd::Simulation::from_scene(open, text, folder)); });
}

void start(const PyFdtd& simulation) {
  const py::gil_scoped_release unlocked;
  simulation->start();
}

void advance(const PyFdtd& simulation, long steps, const py::object& progress, long every) {
  const auto tell = interruptible_steps(progress);
  const py::gil_scoped_release unlocked;
  simulation->advance(steps, tell, every);
}

void set_moment(const PyFdtd& simulation, std::size_t source, const py::array& moment) {
  const std::span<const double> values = values_of("moment", moment);
  const py::gil_scoped_release unlocked;
  simulation->set_moment(source, values);
}

/// What `call` returns, which other threads of Python need not wait for.
template <class Call>
auto unlocked(const Call& call) {
  const py::gil_scoped_release released;
  return call();
}

void field(const PyFdtd& simulation, const std::string& component, const py::array& to, bool centres) {
  const std::span<double> values = results_of("out", to);
  const fdtd::Component of = component_of(component);
  const py::gil_scoped_release unlocked;
  simulation->field(of, values, centres ? fdtd::At::centres : fdtd::At::entries);
}

py::array probe_values(const PyFdtd& simulation) {
  const auto values = unlocked([&] { return simulation->probe_values(); });
  const auto probes = static_cast<py::ssize_t>(simulation->probe_names().size());
  const py::ssize_t steps = probes > 0 ? static_cast<py::ssize_t>(values.size()) / probes : 0;
  return py::array_t<double>({steps, probes}, values.data());
}

/// (monitor, component, frequencies, first entry, values of shape (frequencies, x, y, z)) of each.
py::list spectra(const PyFdtd& simulation) {
  const auto all = unlocked([&] { return simulation->spectra(); });
  py::list result;
  for (const fdtd::Spectrum& s : all) {
    const auto frequencies = static_cast<py::ssize_t>(s.frequencies.size());
    result.append(
        py::make_tuple(s.monitor, name_of(s.component), py::array_t<double>(frequencies, s.frequencies.data()), s.first,
                       py::array_t<std::complex<double>>(
                           {frequencies, py::ssize_t{s.shape[0]}, py::ssize_t{s.shape[1]}, py::ssize_t{s.shape[2]}},
                           s.values.data())));
  }
  return result;
}

py::list far_fields(const PyFdtd& simulation) {
  const auto all = unlocked([&] { return simulation->far_fields(); });
  py::list result;
  for (const fdtd::FarField& f : all)
    result.append(py::make_tuple(f.number, f.frequency, f.theta, f.phi, f.e_theta, f.e_phi, f.radiated, f.directivity,
                                 f.scattering_cross_section, f.radar_cross_section));
  return result;
}

py::list fluxes(const PyFdtd& simulation) {
  const auto all = unlocked([&] { return simulation->fluxes(); });
  py::list result;
  for (const fdtd::Flux& f : all) result.append(py::make_tuple(f.name, f.frequency, f.power));
  return result;
}

py::list resonances(const PyFdtd& simulation) {
  const auto all = unlocked([&] { return simulation->resonances(); });
  py::list result;
  for (const fdtd::Resonance& r : all) result.append(py::make_tuple(r.probe, r.frequency, r.quality, r.residual));
  return result;
}

py::list scattering(const PyFdtd& simulation) {
  const auto all = unlocked([&] { return simulation->scattering(); });
  py::list result;
  for (const fdtd::Scattering& at : all)
    result.append(
        py::make_tuple(at.frequency, at.generator, at.impedance,
                       py::array_t<std::complex<double>>(static_cast<py::ssize_t>(at.s.size()), at.s.data())));
  return result;
}

}  // namespace

void add_fdtd(py::module_& module) {
  py::class_<PyFdtd>(module, "Fdtd")
      .def(py::init(&make))
      .def_static("from_scene", &from_scene)
      .def("close", &PyFdtd::close)
      .def("start", &start)
      .def("advance", &advance)
      .def("set_moment", &set_moment)
      .def("field", &field)
      .def("probe_values", &probe_values)
      .def("spectra", &spectra)
      .def("far_fields", &far_fields)
      .def("fluxes", &fluxes)
      .def("resonances", &resonances)
      .def("scattering", &scattering)
      .def_property_readonly("probe_names", [](const PyFdtd& s) { return s->probe_names(); })
      .def_property_readonly("step", [](const PyFdtd& s) { return s->step(); })
      .def_property_readonly("steps", [](const PyFdtd& s) { return s->steps(); })
      .def_property_readonly("time_step", [](const PyFdtd& s) { return s->time_step(); })
      .def_property_readonly("cells", [](const PyFdtd& s) { return s->cells(); })
      .def_property_readonly("shape", [](const PyFdtd& s) { return s->shape(); })
      .def_property_readonly("origin", [](const PyFdtd& s) { return s->origin(); });
}

}  // namespace asterism::python
