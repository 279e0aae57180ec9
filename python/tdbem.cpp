// SPDX-License-Identifier: Apache-2.0
#include <asterism/tdbem.hpp>

#include "python/owned.hpp"
#include "python/simulations.hpp"

namespace asterism::python {
namespace {

using PyTdbem = Unlocked<tdbem::Simulation>;
using Triple = std::array<double, 3>;

tdbem::Wave wave_of(const py::dict& given) {
  tdbem::Wave wave;
  wave.pulse = choice<tdbem::Pulse>("pulse", option<std::string>(given, "pulse"),
                                    {{"gaussian", tdbem::Pulse::gaussian}, {"ricker", tdbem::Pulse::ricker}});
  wave.frequency = option<std::optional<double>>(given, "frequency");
  wave.width = option<std::optional<double>>(given, "width");
  wave.delay = option<double>(given, "delay");
  wave.directions = option<std::vector<Triple>>(given, "directions");
  wave.monopoles = option<std::vector<Triple>>(given, "monopoles");
  return wave;
}

tdbem::Options options_of(const py::dict& given, const py::dict& wave) {
  tdbem::Options options;
  options.wave = wave_of(wave);
  options.boundary = choice<tdbem::Boundary>("boundary", option<std::string>(given, "boundary"),
                                             {{"rigid", tdbem::Boundary::rigid}, {"soft", tdbem::Boundary::soft}});
  options.speed = option<double>(given, "speed");
  options.dt = option<std::optional<double>>(given, "dt");
  options.courant = option<double>(given, "courant");
  options.observers = option<std::vector<Triple>>(given, "observers");
  options.turn_inward = option<bool>(given, "turn_inward");
  options.precision =
      choice<Precision>("precision", option<std::string>(given, "precision"),
                        {{"double", Precision::double_precision}, {"single", Precision::single_precision}});
  options.group = option<int>(given, "group");
  options.solver =
      choice<tdbem::Solver>("solver", option<std::string>(given, "solver"),
                            {{"cg", tdbem::Solver::conjugate_gradients}, {"mumps", tdbem::Solver::factorisation}});
  options.tolerance = option<std::optional<double>>(given, "tolerance");
  options.far_points = option<int>(given, "far_points");
  options.near_points = option<int>(given, "near_points");
  options.touching_points = option<int>(given, "touching_points");
  return options;
}

std::unique_ptr<PyTdbem> make(PySession& session, const py::array& vertices, const py::array& triangles,
                              const py::dict& given, const py::dict& wave) {
  const tdbem::Surface surface{values_of("vertices", vertices), corners_of("triangles", triangles)};
  const tdbem::Options options = options_of(given, wave);
  Session& open = *session;
  return std::make_unique<PyTdbem>([&] { return std::make_unique<tdbem::Simulation>(open, surface, options); });
}

void start(const PyTdbem& simulation, const py::dict& given) {
  const tdbem::Wave wave = wave_of(given);
  const py::gil_scoped_release unlocked;
  simulation->start(wave);
}

void advance(const PyTdbem& simulation, long steps, const py::object& progress, long every) {
  const auto tell = interruptible_steps(progress);
  const py::gil_scoped_release unlocked;
  simulation->advance(steps, tell, every);
}

void surface(const PyTdbem& simulation, const py::array& to, int wave, std::optional<long> step) {
  const std::span<double> values = results_of("out", to);
  const py::gil_scoped_release unlocked;
  simulation->surface(values, wave, step);
}

/// Pressures of all waves and observers: shape (waves, observers, steps).
py::array pressures(const PyTdbem& simulation,
                    std::vector<double> (tdbem::Simulation::*of)(int wave, int observer) const) {
  std::vector<double> all;
  const int waves = simulation->waves();
  const int observers = simulation->observers();
  {
    const py::gil_scoped_release unlocked;
    for (int w = 0; w < waves; ++w)
      for (int o = 0; o < observers; ++o) {
        const std::vector<double> values = ((*simulation).*of)(w, o);
        all.insert(all.end(), values.begin(), values.end());
      }
  }
  return py::array_t<double>({py::ssize_t{waves}, py::ssize_t{observers}, static_cast<py::ssize_t>(simulation->step())},
                             all.data());
}

}  // namespace

void add_tdbem(py::module_& module) {
  py::class_<PyTdbem>(module, "Tdbem")
      .def(py::init(&make))
      .def("close", &PyTdbem::close)
      .def("start", &start)
      .def("advance", &advance)
      .def("surface", &surface)
      .def("scattered", [](const PyTdbem& s) { return pressures(s, &tdbem::Simulation::scattered); })
      .def("incident", [](const PyTdbem& s) { return pressures(s, &tdbem::Simulation::incident); })
      .def("time", [](const PyTdbem& s, long step) { return s->time(step); })
      .def_property_readonly("step", [](const PyTdbem& s) { return s->step(); })
      .def_property_readonly("steps", [](const PyTdbem& s) { return s->steps(); })
      .def_property_readonly("time_step", [](const PyTdbem& s) { return s->time_step(); })
      .def_property_readonly("unknowns", [](const PyTdbem& s) { return s->unknowns(); });
}

}  // namespace asterism::python
