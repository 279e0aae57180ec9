// SPDX-License-Identifier: Apache-2.0
// Arrays over cells come in C order, shape (nz, ny, nx): the Python part has looked at their shapes.
#include <asterism/lbm.hpp>

#include "python/owned.hpp"
#include "python/simulations.hpp"

namespace asterism::python {
namespace {

using PyLbm = Unlocked<lbm::Simulation>;
using Triple = std::array<double, 3>;

const std::initializer_list<std::pair<const char*, Precision>> precisions = {{"double", Precision::double_precision},
                                                                             {"single", Precision::single_precision},
                                                                             {"half", Precision::half_precision}};

/// (kind, velocity, density)
lbm::Face face_of(const py::tuple& face) {
  lbm::Face own;
  own.kind = choice<lbm::Face::Kind>("face", face[0].cast<std::string>(),
                                     {{"wall", lbm::Face::Kind::wall},
                                      {"periodic", lbm::Face::Kind::periodic},
                                      {"pressure", lbm::Face::Kind::pressure},
                                      {"parabola", lbm::Face::Kind::parabola}});
  own.velocity = face[1].cast<Triple>();
  own.density = face[2].cast<double>();
  return own;
}

lbm::Options options_of(const py::dict& given) {
  lbm::Options options;
  options.cells = option<std::array<int, 3>>(given, "cells");
  const auto faces = option<py::tuple>(given, "faces");
  for (std::size_t f = 0; f < options.faces.size(); ++f) options.faces[f] = face_of(faces[f].cast<py::tuple>());
  options.collision = choice<lbm::Collision>("collision", option<std::string>(given, "collision"),
                                             {{"bgk", lbm::Collision::bgk},
                                              {"trt", lbm::Collision::trt},
                                              {"central-moments", lbm::Collision::central_moments}});
  options.tau = option<double>(given, "tau");
  options.magic = option<std::optional<double>>(given, "magic");
  options.smagorinsky = option<double>(given, "smagorinsky");
  options.force = option<Triple>(given, "force");
  options.sponge = option<int>(given, "sponge");
  options.velocity = option<Triple>(given, "velocity");
  options.precision = choice("precision", option<std::string>(given, "precision"), precisions);
  options.gpu_share = option<std::optional<double>>(given, "gpu_share");
  return options;
}

/// Refers to the arrays in `given`.
lbm::Body body_of(const py::dict& given) {
  lbm::Body body;
  body.file = option<std::string>(given, "file");
  body.length = option<double>(given, "length");
  body.degrees = option<Triple>(given, "degrees");
  body.position = option<std::optional<Triple>>(given, "position");
  const auto vertices = option<std::optional<py::array>>(given, "vertices");
  const auto triangles = option<std::optional<py::array>>(given, "triangles");
  if (vertices) body.vertices = values_of("vertices", *vertices);
  if (triangles) body.triangles = corners_of("triangles", *triangles);
  body.shape =
      choice<lbm::Body::Shape>("shape", option<std::string>(given, "shape"),
                               {{"sphere", lbm::Body::Shape::sphere}, {"cylinder", lbm::Body::Shape::cylinder}});
  body.walls = choice<lbm::Body::Walls>(
      "walls", option<std::string>(given, "walls"),
      {{"staircase", lbm::Body::Walls::staircase}, {"interpolated", lbm::Body::Walls::interpolated}});
  return body;
}

std::unique_ptr<PyLbm> make(PySession& session, const py::dict& given, const std::optional<py::array>& solid,
                            const std::optional<py::dict>& around) {
  const lbm::Options options = options_of(given);
  if (around) {
    const lbm::Body body = body_of(*around);
    Session& open = *session;
    return std::make_unique<PyLbm>([&] { return std::make_unique<lbm::Simulation>(open, options, body); });
  }
  std::span<const std::uint8_t> cells;
  if (solid) cells = bytes_of("solid", *solid);
  Session& open = *session;
  return std::make_unique<PyLbm>([&] { return std::make_unique<lbm::Simulation>(open, options, cells); });
}

/// The three components of an array of shape (3, nz, ny, nx).
template <class T>
std::array<std::span<T>, 3> components(std::span<T> all) {
  const std::size_t n = all.size() / 3;
  return {all.first(n), all.subspan(n, n), all.subspan(2 * n)};
}

void start(const PyLbm& simulation, const std::optional<py::array>& density, const std::optional<py::array>& velocity) {
  lbm::Initial initial;
  if (density) initial.density = values_of("density", *density);
  if (velocity) {
    const auto [u, v, w] = components(values_of("velocity", *velocity));
    initial.u = u;
    initial.v = v;
    initial.w = w;
  }
  const py::gil_scoped_release unlocked;
  simulation->start(initial);
}

void advance(const PyLbm& simulation, long steps, const py::object& progress, long every) {
  const auto tell = interruptible_steps(progress);
  const py::gil_scoped_release unlocked;
  simulation->advance(steps, tell, every);
}

void fields(const PyLbm& simulation, const std::optional<py::array>& density,
            const std::optional<py::array>& velocity) {
  lbm::Fields to;
  if (density) to.density = results_of("density", *density);
  if (velocity) {
    const auto [u, v, w] = components(results_of("velocity", *velocity));
    to.u = u;
    to.v = v;
    to.w = w;
  }
  const py::gil_scoped_release unlocked;
  simulation->fields(to);
}

Triple force(const PyLbm& simulation) {
  const py::gil_scoped_release unlocked;
  return simulation->force();
}

Triple moment(const PyLbm& simulation, const Triple& about) {
  const py::gil_scoped_release unlocked;
  return simulation->moment(about);
}

py::tuple totals(const PyLbm& simulation) {
  lbm::Totals sums;
  {
    const py::gil_scoped_release unlocked;
    sums = simulation->totals();
  }
  return py::make_tuple(sums.mass, sums.momentum, sums.energy, sums.speed);
}

/// Bytes of shape (nz, ny, nx).
py::array solid_cells(const py::dict& body, const std::array<int, 3>& n) {
  const std::vector<std::uint8_t> cells = lbm::solid_cells(body_of(body), n);
  return py::array_t<std::uint8_t>({n[2], n[1], n[0]}, cells.data());
}

}  // namespace

void add_lbm(py::module_& module) {
  module.def("relaxation_time", &lbm::relaxation_time);
  module.def("solid_cells", &solid_cells);
  py::class_<PyLbm>(module, "Lbm")
      .def(py::init(&make))
      .def("close", &PyLbm::close)
      .def("start", &start)
      .def("advance", &advance)
      .def("fields", &fields)
      .def("force", &force)
      .def("moment", &moment)
      .def("totals", &totals)
      .def_property_readonly("step", [](const PyLbm& s) { return s->step(); })
      .def_property_readonly("fluid_cells", [](const PyLbm& s) { return s->fluid_cells(); });
}

}  // namespace asterism::python
