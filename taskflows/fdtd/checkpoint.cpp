// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/checkpoint.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"

namespace asterism::fdtd {
namespace {

constexpr const char* dataset[2] = {"electric", "magnetic"};
constexpr const char* probe_dataset = "probes";
constexpr std::array<const char*, 3> spacing_names{"dx", "dy", "dz"};

std::string faces_of(const Problem& p) {
  std::string text;
  for (const Face f : p.face)
    text += std::string(text.empty() ? "" : " ") + (f == Face::neighbour  ? "periodic"
                                                    : f == Face::electric ? "electric"
                                                                          : "magnetic");
  return text;
}

void add_box(Fingerprint& all, const Box& b) {
  all.numbers(b.x0, b.x1, b.y0, b.y1, b.z0, b.z1);
}

/// Fingerprint of what the domain is filled with and of the background's constants.
std::string materials_of(const Problem& p) {
  Fingerprint all;
  all.numbers(p.eps0, p.mu0);
  for (const Material& m : p.materials) all.numbers(m.eps_r, m.mu_r, m.sigma, m.sigma_m);
  all.add(p.material.data(), p.material.size() * sizeof(std::uint16_t));
  for (std::size_t m = 0; m < p.poles.size(); ++m)
    for (const Pole& pole : p.poles[m])
      all.numbers(m, static_cast<int>(pole.kind), pole.strength, pole.omega_0, pole.damping);
  for (const SmoothedEdge& s : p.smoothed)
    all.numbers(s.component, s.cell[0], s.cell[1], s.cell[2], s.medium.relative, s.medium.loss);
  for (const Resistor& r : p.resistors) all.numbers(r.component, r.cell[0], r.cell[1], r.cell[2], r.resistance);
  return all.text();
}

std::string layers_of(const Problem& p) {
  const Grading& g = p.cpml.grading;
  if (!has_layers(p)) return "none";
  return fmt::format("{} cells, grading {} {} {} {} {}", fmt::join(p.cpml.cells, " "), g.order, g.sigma, g.kappa,
                     g.alpha, g.alpha_order);
}

/// Tells graded meshes apart by their planes.
std::string mesh_of(const Problem& p) {
  Fingerprint all;
  for (const std::vector<double>& planes : p.mesh.planes) all.add(planes.data(), planes.size() * sizeof(double));
  return p.mesh.graded() ? "graded " + all.text() : "of one spacing";
}

std::string waves_of(const Problem& p) {
  Fingerprint all;
  for (const WaveInBox& w : p.waves) {
    const Waveform& f = w.wave.waveform;
    add_box(all, w.planes);
    all.numbers(w.wave.theta, w.wave.phi, w.wave.polarisation, w.wave.tolerance);
    all.numbers(static_cast<int>(f.pulse), f.amplitude, f.width, f.delay, f.frequency, f.phase);
  }
  return fmt::format("{}, {}", p.waves.size(), all.text());
}

std::string monitors_of(const Problem& p) {
  Fingerprint all;
  for (const Monitor& m : p.monitors) {
    all.numbers(static_cast<int>(m.field), m.every);
    for (const MonitoredEntries& e : m.components) {
      add_box(all, e.entries);
      all.numbers(e.component);
    }
    for (const double f : m.frequencies) all.numbers(f);
  }
  return fmt::format("{}, {}", p.monitors.size(), all.text());
}

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

std::vector<std::size_t> shape_of(const Problem& p) {
  const std::array<int, 3> n = extents(p);
  return {3, size(n[0]), size(n[1]), size(n[2])};
}

/// One component of a box.
Hdf5Block block_of(int component, const Box& b) {
  return {{size(component), size(b.x0), size(b.y0), size(b.z0)},
          {1, size(b.x1 - b.x0), size(b.y1 - b.y0), size(b.z1 - b.z0)}};
}

void check_same(const Hdf5Input& file, const Problem& p) {
  for (const char* name : dataset) {
    const std::vector<std::size_t> shape = file.shape(name);
    if (shape != shape_of(p))
      bad_input("{}: dataset \"{}\" is {}; the run has {}", file.name, name, fmt::join(shape, " x "),
                fmt::join(shape_of(p), " x "));
    if (file.number(name) != with_precision(p.precision, [](auto number) { return hdf5_number<decltype(number)>(); }))
      bad_input("{}: dataset \"{}\" is not in {} precision, as the run is", file.name, name, name_of(p.precision));
  }
  const auto same_number = [&](const char* name, double value) {
    const double found = file.number_attribute("/", name);
    if (found != value) bad_input("{}: {} is {}; the run has {}", file.name, name, found, value);
  };
  const auto same_text = [&](const char* name, const std::string& value) {
    const std::string found = file.text_attribute("/", name);
    if (found != value) bad_input("{}: {} {}; the run has {}", file.name, name, found, value);
  };
  for (std::size_t a = 0; a < 3; ++a) same_number(spacing_names[a], p.spacing[a]);
  if (p.mesh.graded() || file.has_attribute("/", "mesh")) same_text("mesh", mesh_of(p));
  same_number("time_step", p.dt);
  same_text("faces", faces_of(p));
  same_text("materials", materials_of(p));
  same_text("absorbing_layers", layers_of(p));
  same_text("plane_waves", waves_of(p));
  same_text("monitors", monitors_of(p));
  const std::int64_t step = file.integer_attribute("/", "step");
  if (step < 0 || step > std::numeric_limits<long>::max() / 2) bad_input("{}: step {}", file.name, step);
  if (p.probes.empty()) return;
  const std::vector<std::size_t> shape =
      step > 0 ? file.shape(probe_dataset) : std::vector<std::size_t>{0, p.probes.size()};
  if (shape != std::vector<std::size_t>{static_cast<std::size_t>(step), p.probes.size()})
    bad_input("{}: {} values of probes; expected {} x {}", file.name, fmt::join(shape, " x "), step, p.probes.size());
}

template <class T>
void write_fields(DistributedHdf5& file, Simulation& simulation, const Problem& problem) {
  for (const Field field : {Field::electric, Field::magnetic}) {
    const char* const name = dataset[static_cast<int>(field)];
    file.create(name, hdf5_number<T>(), shape_of(problem));
    file.make_room({name});
    simulation.get(field, [&](const Box& box, const void* values) {
      const auto cells = static_cast<std::size_t>(box.cells());
      for (int c = 0; c < 3; ++c)
        file.write_block(name, block_of(c, box),
                         std::span<const T>(static_cast<const T*>(values) + size(c) * cells, cells));
    });
  }
}

template <class T>
void read_fields(const Hdf5Input& file, long step, Simulation& simulation) {
  const auto read = [&](Field field) {
    return [&file, field](const Box& box, void* values) {
      const auto cells = static_cast<std::size_t>(box.cells());
      for (int c = 0; c < 3; ++c)
        file.read_block(dataset[static_cast<int>(field)], block_of(c, box),
                        std::span<T>(static_cast<T*>(values) + size(c) * cells, cells));
    };
  };
  simulation.set(step, read(Field::electric), read(Field::magnetic));
}

template <class T>
void write_auxiliary(DistributedHdf5& file, const Simulation& simulation, std::size_t array, const StateKind& kind) {
  file.create(kind.name, hdf5_number<T>(), {static_cast<std::size_t>(kind.size)});
  file.make_room({kind.name});
  simulation.get_auxiliary_here(array, [&](std::int64_t first, std::int64_t count, const void* values) {
    file.write_block(kind.name, {{static_cast<std::size_t>(first)}, {static_cast<std::size_t>(count)}},
                     std::span<const T>(static_cast<const T*>(values), static_cast<std::size_t>(count)));
  });
}

template <class T>
void read_auxiliary(const Hdf5Input& file, Simulation& simulation, std::size_t array, const StateKind& kind) {
  const auto size = static_cast<std::size_t>(kind.size);
  if (const std::vector<std::size_t> shape = file.shape(kind.name); shape != std::vector{size})
    bad_input("{}: dataset \"{}\" is {}; the run has {}", file.name, kind.name, fmt::join(shape, " x "), size);
  simulation.set_auxiliary(array, [&](std::int64_t first, std::int64_t count, void* values) {
    file.read_block(kind.name, {{static_cast<std::size_t>(first)}, {static_cast<std::size_t>(count)}},
                    std::span<T>(static_cast<T*>(values), static_cast<std::size_t>(count)));
  });
}

void write_run(DistributedHdf5& file, long step, const Problem& problem) {
  file.attribute("/", "step", static_cast<std::int64_t>(step));
  for (std::size_t a = 0; a < 3; ++a) file.attribute("/", spacing_names[a], problem.spacing[a]);
  if (problem.mesh.graded()) file.attribute("/", "mesh", mesh_of(problem));
  file.attribute("/", "time_step", problem.dt);
  file.attribute("/", "faces", faces_of(problem));
  file.attribute("/", "materials", materials_of(problem));
  file.attribute("/", "absorbing_layers", layers_of(problem));
  file.attribute("/", "plane_waves", waves_of(problem));
  file.attribute("/", "monitors", monitors_of(problem));
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, Simulation& simulation, const Problem& problem,
                      const std::vector<double>& probes) {
  DistributedHdf5 file(
      path, simulation.dealt() ? DistributedHdf5::Writers::all_ranks : DistributedHdf5::Writers::this_process);
  write_run(file, simulation.time(), problem);
  with_precision(problem.precision, [&](auto number) { write_fields<decltype(number)>(file, simulation, problem); });
  const std::vector<StateKind> arrays = simulation.auxiliary_arrays();
  for (std::size_t a = 0; a < arrays.size(); ++a)
    arrays[a].element == 4 ? write_auxiliary<float>(file, simulation, a, arrays[a])
                           : write_auxiliary<double>(file, simulation, a, arrays[a]);
  if (!probes.empty())
    file.write(probe_dataset, {probes.size() / problem.probes.size(), problem.probes.size()},
               std::span<const double>(probes));
  file.commit_checkpoint();
}

long checkpoint_step(const std::filesystem::path& path, const Problem& problem) {
  require_checksums(path);
  const Hdf5Input file(path);
  check_same(file, problem);
  return static_cast<long>(file.integer_attribute("/", "step"));
}

std::vector<double> read_checkpoint(const std::filesystem::path& path, const Problem& problem, Simulation& simulation) {
  const long step = checkpoint_step(path, problem);
  const Hdf5Input file(path);
  with_precision(problem.precision, [&](auto number) { read_fields<decltype(number)>(file, step, simulation); });
  const std::vector<StateKind> arrays = simulation.auxiliary_arrays();
  for (std::size_t a = 0; a < arrays.size(); ++a)
    arrays[a].element == 4 ? read_auxiliary<float>(file, simulation, a, arrays[a])
                           : read_auxiliary<double>(file, simulation, a, arrays[a]);
  std::vector<double> probes(static_cast<std::size_t>(step) * problem.probes.size());
  if (!probes.empty()) file.read_rows(probe_dataset, 0, probes);
  return probes;
}

}  // namespace asterism::fdtd
