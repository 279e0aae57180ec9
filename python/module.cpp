// SPDX-License-Identifier: Apache-2.0
// The compiled part of the Python package (asterism/__init__.py has what users see). Calls that compute release the
// interpreter's lock; Ctrl-C ends a solve.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <asterism/fmm.hpp>
#include <memory>
#include <optional>

#include "python/owned.hpp"
#include "python/simulations.hpp"

namespace asterism::python {
namespace {

using PySolver = Unlocked<cg::Solver>;
using PyEvaluator = Unlocked<fmm::Evaluator>;

std::unique_ptr<PySession> open_session(std::optional<int> cpus, std::optional<int> gpus, const std::string& scheduler,
                                        const std::string& trace) {
  return std::make_unique<PySession>([&] {
    return std::make_unique<Session>(SessionOptions{cpus, gpus, scheduler, trace});
  });
}

/// Looks for Ctrl-C, and then tells the caller's function.
std::function<void(const cg::Progress&)> interruptible(const py::object& progress) {
  return [&progress](const cg::Progress& p) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress.is_none()) progress(p.iteration, p.residual);
  };
}

py::dict record_of(const cg::Result& result) {
  const char* const outcomes[] = {"converged", "max_iterations", "stagnated"};
  py::dict record;
  record["outcome"] = outcomes[static_cast<int>(result.outcome)];
  record["iterations"] = result.iterations;
  record["residual"] = result.residual;
  record["history"] = py::array_t<double>(static_cast<py::ssize_t>(result.history.size()), result.history.data());
  record["seconds"] = result.seconds;
  return record;
}

const std::initializer_list<std::pair<const char*, cg::Preconditioner>> preconditioners = {
    {"auto", cg::Preconditioner::automatic}, {"none", cg::Preconditioner::none},
    {"jacobi", cg::Preconditioner::jacobi},  {"block-jacobi", cg::Preconditioner::block_jacobi},
    {"ssor", cg::Preconditioner::ssor},      {"amg", cg::Preconditioner::amg}};

cg::Options cg_options(const py::dict& given) {
  cg::Options options;
  options.preconditioner = choice("preconditioner", option<std::string>(given, "preconditioner"), preconditioners);
  options.preconditioner_block = option<std::optional<int>>(given, "preconditioner_block");
  options.tolerance = option<double>(given, "tolerance");
  options.max_iterations = option<std::int64_t>(given, "max_iterations");
  options.flow = choice<cg::Flow>("flow", option<std::string>(given, "flow"),
                                  {{"fused", cg::Flow::fused},
                                   {"pipelined", cg::Flow::pipelined},
                                   {"refined", cg::Flow::refined},
                                   {"naive", cg::Flow::naive}});
  options.blocks = option<std::optional<int>>(given, "blocks");
  options.check_symmetry = option<bool>(given, "check_symmetry");
  return options;
}

/// `first_row` and `order`: none for a whole matrix.
std::unique_ptr<PySolver> make_solver(PySession& session, const py::array& row_begin, const py::array& column,
                                      const py::array& value, std::optional<std::int64_t> first_row, std::int64_t order,
                                      const py::dict& given) {
  const cg::MatrixView a{indices_of("indptr", row_begin), indices_of("indices", column), values_of("data", value)};
  const cg::Options options = cg_options(given);
  Session& open = *session;
  return std::make_unique<PySolver>([&] {
    return first_row ? std::make_unique<cg::Solver>(open, cg::Rows{order, *first_row, a}, options)
                     : std::make_unique<cg::Solver>(open, a, options);
  });
}

/// `fill`: returns the columns and the values of a row.
std::unique_ptr<PySolver> make_solver_of_rows(PySession& session, std::int64_t order, const py::function& fill,
                                              const py::dict& given) {
  const cg::Options options = cg_options(given);
  Session& open = *session;
  const cg::MatrixRows a{order,
                         [&fill](std::int64_t row, std::vector<std::int64_t>& column, std::vector<double>& value) {
                           const py::gil_scoped_acquire locked;
                           const auto filled = fill(row).cast<std::pair<py::array, py::array>>();
                           const auto append = [&](const auto& given) { column.assign(given.begin(), given.end()); };
                           std::visit(append, indices_of("columns", filled.first));
                           const std::span<const double> values = values_of("values", filled.second);
                           value.assign(values.begin(), values.end());
                         }};
  return std::make_unique<PySolver>([&] { return std::make_unique<cg::Solver>(open, a, options); });
}

py::list solve_all(const PySolver& solver, const py::array& b, const py::array& x, bool start_given,
                   const py::object& progress) {
  const std::span<const double> right = values_of("b", b);
  const std::span<double> solution = results_of("x", x);
  const auto tell = interruptible(progress);
  std::vector<cg::Result> results;
  {
    const py::gil_scoped_release unlocked;
    results = solver->solve_all(right, solution, start_given ? cg::Start::given : cg::Start::zero, tell);
  }
  py::list records;
  for (const cg::Result& result : results) records.append(record_of(result));
  return records;
}

std::string preconditioner_of(const PySolver& solver) {
  for (const auto& [name, meaning] : preconditioners)
    if (meaning == solver->preconditioner()) return name;
  return {};
}

/// (3, N) in C order: three arrays; (N, 3) in C order: interleaved.
fmm::Points points_of(const char* name, const py::array& points) {
  if (points.ndim() == 2 && points.shape(1) == 3) return fmm::Points(values_of(name, points));
  if (points.ndim() == 2 && points.shape(0) == 3) {
    const std::span<const double> all = values_of(name, points);
    const std::size_t n = all.size() / 3;
    return {all.first(n), all.subspan(n, n), all.subspan(2 * n, n)};
  }
  std::string shape;
  for (py::ssize_t d = 0; d < points.ndim(); ++d) shape += (d > 0 ? ", " : "") + std::to_string(points.shape(d));
  bad_input(std::string(name) + ": an array of shape (" + shape + "); expected (N, 3) or (3, N)");
}

fmm::Options options_of(const py::dict& given) {
  fmm::Options options;
  options.kernel = choice<fmm::Kernel>("kernel", given["kernel"].cast<std::string>(),
                                       {{"laplace", fmm::Kernel::laplace},
                                        {"inverse-square", fmm::Kernel::inverse_square},
                                        {"yukawa", fmm::Kernel::yukawa}});
  options.tree = choice<fmm::Tree>(
      "tree", given["tree"].cast<std::string>(),
      {{"auto", fmm::Tree::automatic}, {"uniform", fmm::Tree::uniform}, {"adaptive", fmm::Tree::adaptive}});
  options.kappa = given["kappa"].cast<double>();
  options.softening = given["softening"].cast<double>();
  options.coupling = given["coupling"].cast<double>();
  options.accuracy = given["accuracy"].cast<int>();
  options.height = given["height"].cast<std::optional<int>>();
  options.group_size = given["group_size"].cast<std::optional<int>>();
  options.leaf_size = given["leaf_size"].cast<std::optional<int>>();
  options.evaluations = given["evaluations"].cast<int>();
  options.vectors = given["vectors"].cast<int>();
  return options;
}

std::unique_ptr<PyEvaluator> make_evaluator(PySession& session, const py::array& points,
                                            const std::optional<py::array>& targets, const py::dict& given) {
  const fmm::Options options = options_of(given);
  Session& open = *session;
  const fmm::Points at = points_of("points", points);
  if (!targets)
    return std::make_unique<PyEvaluator>([&] { return std::make_unique<fmm::Evaluator>(open, at, options); });
  const fmm::Points apart = points_of("targets", *targets);
  return std::make_unique<PyEvaluator>([&] { return std::make_unique<fmm::Evaluator>(open, at, apart, options); });
}

/// `field`: (3, N), or (3, K, N) of K vectors of charges, or none. Returns energy and seconds of each.
py::list evaluate_all(const PyEvaluator& evaluator, const py::array& charge, const py::array& potential,
                      const std::optional<py::array>& field) {
  const std::span<const double> charges = values_of("charge", charge);
  fmm::Field to{results_of("potential", potential), {}, {}, {}};
  if (field) {
    const std::span<double> all = results_of("field", *field);
    const std::size_t n = all.size() / 3;
    to.x = all.first(n);
    to.y = all.subspan(n, n);
    to.z = all.subspan(2 * n);
  }
  std::vector<fmm::Result> results;
  {
    const py::gil_scoped_release unlocked;
    results = evaluator->evaluate_all(charges, to);
  }
  py::list records;
  for (const fmm::Result& result : results) records.append(py::make_tuple(result.energy, result.seconds));
  return records;
}

void move(const PyEvaluator& evaluator, const py::array& points, const std::optional<py::array>& targets) {
  const fmm::Points at = points_of("points", points);
  std::optional<fmm::Points> apart;
  if (targets) apart = points_of("targets", *targets);
  const py::gil_scoped_release unlocked;
  if (apart)
    evaluator->move(at, *apart);
  else
    evaluator->move(at);
}

void add_errors(py::module_& module) {
  static py::handle bad;
  static py::handle failure;
  const py::object base =
      py::reinterpret_steal<py::object>(PyErr_NewException("asterism.Error", PyExc_Exception, nullptr));
  module.attr("Error") = base;
  const auto derived = [&](const char* name, PyObject* other) {
    const py::tuple bases = py::make_tuple(base, py::reinterpret_borrow<py::object>(other));
    const std::string full = std::string("asterism.") + name;
    module.attr(name) = py::reinterpret_steal<py::object>(PyErr_NewException(full.c_str(), bases.ptr(), nullptr));
    return py::object(module.attr(name)).release();
  };
  bad = derived("BadInput", PyExc_ValueError);
  failure = derived("Failed", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString((error.kind() == Error::Kind::bad_input ? bad : failure).ptr(), error.what());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_asterism, module) {
  add_errors(module);
  module.attr("coulomb_kcal_per_mol") = fmm::coulomb_kcal_per_mol;
  module.def("version", &version);
  module.def("check_indices", [](const char* name, const py::array& array) { (void)indices_of(name, array); });
  module.def("check_values", [](const char* name, const py::array& array) { (void)values_of(name, array); });
  module.def("check_results", [](const char* name, const py::array& array) { (void)results_of(name, array); });
  py::class_<PySession>(module, "Session")
      .def(py::init(&open_session))
      .def("close", &PySession::close)
      .def_property_readonly("cpus", [](const PySession& s) { return s->cpus(); })
      .def_property_readonly("gpus", [](const PySession& s) { return s->gpus(); })
      .def_property_readonly("rank", [](const PySession& s) { return s->rank(); })
      .def_property_readonly("ranks", [](const PySession& s) { return s->ranks(); })
      .def("fail", [](const PySession& s, const std::string& error) { s->fail(error); })
      .def_property_readonly("scheduler", [](const PySession& s) { return s->scheduler(); });
  py::class_<PySolver>(module, "Solver")
      .def(py::init(&make_solver))
      .def(py::init(&make_solver_of_rows))
      .def("close", &PySolver::close)
      .def("solve_all", &solve_all)
      .def_property_readonly("rows", [](const PySolver& s) { return s->rows(); })
      .def_property_readonly("entries", [](const PySolver& s) { return s->entries(); })
      .def_property_readonly("first_row", [](const PySolver& s) { return s->first_row(); })
      .def_property_readonly("own_rows", [](const PySolver& s) { return s->own_rows(); })
      .def_property_readonly("preconditioner", &preconditioner_of)
      .def_property_readonly("reason", [](const PySolver& s) { return s->reason(); });
  py::class_<PyEvaluator>(module, "Evaluator")
      .def(py::init(&make_evaluator))
      .def("close", &PyEvaluator::close)
      .def("evaluate_all", &evaluate_all)
      .def("move", &move)
      .def_property_readonly("sources", [](const PyEvaluator& e) { return e->sources(); })
      .def_property_readonly("targets", [](const PyEvaluator& e) { return e->targets(); })
      .def_property_readonly("height", [](const PyEvaluator& e) { return e->height(); });
  add_lbm(module);
  add_fdtd(module);
  add_tdbem(module);
}

}  // namespace asterism::python
