// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/checkpoint.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/array.hpp"
#include "base/error.hpp"
#include "io/hdf5/file.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"

namespace asterism::lbm {
namespace {

constexpr const char* dataset = "populations";
constexpr std::size_t longest_parameters = 64000;  // HDF5 stores no longer attribute in an object header

Box intersection(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

bool is_empty(const Box& box) {
  return box.x0 >= box.x1 || box.y0 >= box.y1 || box.z0 >= box.z1;
}

void check_cover(const std::filesystem::path& path, const Checkpoint& c, const std::vector<Box>& boxes) {
  const Box all{0, c.nx, 0, c.ny, 0, c.nz};
  std::int64_t cells = 0;
  bool fits = !is_empty(all);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    fits = fits && !is_empty(boxes[i]) && intersection(boxes[i], all).cells() == boxes[i].cells();
    for (std::size_t j = 0; j < i; ++j) fits = fits && is_empty(intersection(boxes[i], boxes[j]));
    cells += boxes[i].cells();
  }
  if (!fits || cells != all.cells()) {
    failed("{}: the bricks do not cover the {} x {} x {} cells once", path.string(), c.nx, c.ny, c.nz);
  }
}

/// Calls visit(slab, slot) for slabs of whole planes that take about 64 MiB, slot by slot.
template <class Visit>
void for_slabs(const Checkpoint& c, const Visit& visit) {
  const std::int64_t plane = std::int64_t{c.nx} * c.ny * c.bytes;
  const auto planes = static_cast<std::int32_t>(std::clamp<std::int64_t>((std::int64_t{1} << 26) / plane, 1, c.nz));
  for (std::int32_t z = 0; z < c.nz; z += planes) {
    const Box slab{0, c.nx, 0, c.ny, z, std::min(z + planes, c.nz)};
    for (int slot = 0; slot < q; ++slot) visit(slab, slot);
  }
}

Hdf5Block block_of(const Box& slab, int slot) {
  const auto extent = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  return {{static_cast<std::size_t>(slot), extent(slab.z0), extent(slab.y0), extent(slab.x0)},
          {1, extent(slab.z1 - slab.z0), extent(slab.y1 - slab.y0), extent(slab.x1 - slab.x0)}};
}

/// Calls row(place in the slab, place in the part, length) for every row of a part.
template <class Row>
void for_rows(const Box& slab, const Box& part, const Row& row) {
  const auto length = static_cast<std::size_t>(part.x1 - part.x0);
  std::size_t in_part = 0;
  for (std::int32_t z = part.z0; z < part.z1; ++z) {
    for (std::int32_t y = part.y0; y < part.y1; ++y, in_part += length) {
      const std::int64_t in_slab =
          part.x0 - slab.x0 +
          std::int64_t{slab.x1 - slab.x0} * (y - slab.y0 + std::int64_t{slab.y1 - slab.y0} * (z - slab.z0));
      row(static_cast<std::size_t>(in_slab), in_part, length);
    }
  }
}

/// Two buffers for a slab: of the file, and of one part.
template <class T>
struct Buffers {
  Array<T> slab, part;

  std::span<T> for_slab(const Box& box) {
    const auto cells = static_cast<std::size_t>(box.cells());
    if (slab.size() < cells) {
      slab = Array<T>(cells);
      part = Array<T>(cells);
    }
    return {slab.data(), cells};
  }
};

}  // namespace

template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint, DistributedHdf5::Writers writers,
                      const std::function<void(const PutBox<T>& put)>& each) {
  if (checkpoint.bytes != sizeof(T) || checkpoint.parameters.size() > longest_parameters) {
    failed("{}: {} bytes per population and {} of parameters cannot be written", path.string(), checkpoint.bytes,
           checkpoint.parameters.size());
  }
  DistributedHdf5 file(path, writers);
  const auto extent = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  file.create(dataset, hdf5_number<T>(), {q, extent(checkpoint.nz), extent(checkpoint.ny), extent(checkpoint.nx)});
  file.attribute("/", "step", checkpoint.step);
  file.attribute("/", "parameters", checkpoint.parameters);
  file.make_room({dataset});
  each([&](const Box& box, const T* slots) {
    const auto cells = static_cast<std::size_t>(box.cells());
    for (int slot = 0; slot < q; ++slot)
      file.write_block(dataset, block_of(box, slot),
                       std::span<const T>(slots + static_cast<std::size_t>(slot) * cells, cells));
  });
  file.commit_checkpoint();
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  require_checksums(path);
  const Hdf5Input file(path);
  const std::vector<std::size_t> shape = file.shape(dataset);
  constexpr std::size_t longest = std::size_t{1} << 30;
  if (shape.size() != 4 || shape[0] != q || *std::max_element(shape.begin(), shape.end()) > longest ||
      std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    bad_input("{}: dataset \"{}\" is {}; expected {} x nz x ny x nx", file.name, dataset, fmt::join(shape, " x "), q);
  }
  const std::optional<Hdf5Number> number = file.number(dataset);
  if (number != Hdf5Number::float16 && number != Hdf5Number::float32 && number != Hdf5Number::float64) {
    bad_input("{}: dataset \"{}\" holds neither half nor single nor double precision", file.name, dataset);
  }
  const auto extent = [&](std::size_t d) { return static_cast<std::int32_t>(shape[d]); };
  return {.step = file.integer_attribute("/", "step"),
          .nx = extent(3),
          .ny = extent(2),
          .nz = extent(1),
          .bytes = number == Hdf5Number::float16   ? 2
                   : number == Hdf5Number::float32 ? 4
                                                   : 8,
          .parameters = file.text_attribute("/", "parameters")};
}

template <class T>
void read_populations(const std::filesystem::path& path, const Box& box, T* slots) {
  require_checksums(path);
  const Hdf5Input file(path);
  const auto cells = static_cast<std::size_t>(box.cells());
  for (int slot = 0; slot < q; ++slot)
    file.read_block(dataset, block_of(box, slot), std::span<T>(slots + static_cast<std::size_t>(slot) * cells, cells));
}

template <class T>
void read_populations(const std::filesystem::path& path, const std::vector<Box>& boxes, const TakePart<T>& take) {
  const Checkpoint checkpoint = read_checkpoint(path);
  check_cover(path, checkpoint, boxes);
  if (checkpoint.bytes != sizeof(T)) {
    bad_input("{}: populations have {} bytes; expected {}, the precision of the run", path.string(), checkpoint.bytes,
              sizeof(T));
  }
  const Hdf5Input file(path);
  Buffers<T> buffers;
  for_slabs(checkpoint, [&](const Box& slab, int slot) {
    const std::span<T> values = buffers.for_slab(slab);
    file.read_block(dataset, block_of(slab, slot), values);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const Box part = intersection(boxes[b], slab);
      if (is_empty(part)) continue;
      for_rows(slab, part, [&](std::size_t in_slab, std::size_t in_part, std::size_t length) {
        std::copy_n(values.data() + in_slab, length, buffers.part.data() + in_part);
      });
      take(b, slot, part, buffers.part.data());
    }
  });
}

template void write_checkpoint<Float16>(const std::filesystem::path&, const Checkpoint&, DistributedHdf5::Writers,
                                        const std::function<void(const PutBox<Float16>&)>&);
template void write_checkpoint<float>(const std::filesystem::path&, const Checkpoint&, DistributedHdf5::Writers,
                                      const std::function<void(const PutBox<float>&)>&);
template void write_checkpoint<double>(const std::filesystem::path&, const Checkpoint&, DistributedHdf5::Writers,
                                       const std::function<void(const PutBox<double>&)>&);
template void read_populations(const std::filesystem::path&, const Box&, Float16*);
template void read_populations(const std::filesystem::path&, const Box&, float*);
template void read_populations(const std::filesystem::path&, const Box&, double*);
template void read_populations(const std::filesystem::path&, const std::vector<Box>&, const TakePart<Float16>&);
template void read_populations(const std::filesystem::path&, const std::vector<Box>&, const TakePart<float>&);
template void read_populations(const std::filesystem::path&, const std::vector<Box>&, const TakePart<double>&);

void write_checkpoint(const std::filesystem::path& path, const Case& c, Simulation& simulation) {
  const Problem& p = c.problem;
  const nlohmann::json parameters = {{"tau", p.collision.tau}, {"velocity", c.velocity}, {"flow", c.describe}};
  with_populations(p.precision, [&](auto number) {
    using T = decltype(number);
    const Checkpoint header{simulation.time(),           p.cells[0],       p.cells[1], p.cells[2],
                            static_cast<int>(sizeof(T)), parameters.dump()};
    write_checkpoint<T>(path, header, DistributedHdf5::Writers::all_ranks, [&](const PutBox<T>& put) {
      simulation.get([&](const DomainBox& box, const void* slots) {
        const Pause pause;
        put(box, static_cast<const T*>(slots));
      });
    });
  });
  rank_group().on_death(fmt::format("; the last checkpoint, {}, is of step {}: resume with --restart {}", path.string(),
                                    simulation.time(), path.string()));
}

long restart_time(const std::filesystem::path& path, const Problem& problem) {
  const Checkpoint c = read_checkpoint(path);
  if (c.nx != problem.cells[0] || c.ny != problem.cells[1] || c.nz != problem.cells[2])
    bad_input("{}: of {} x {} x {} cells, this run has {} x {} x {}", path.string(), c.nx, c.ny, c.nz, problem.cells[0],
              problem.cells[1], problem.cells[2]);
  if (c.bytes != size_of(problem.precision))
    bad_input("{}: of {} precision, this run is of {}", path.string(),
              c.bytes == 2   ? "half"
              : c.bytes == 4 ? "single"
                             : "double",
              name_of(problem.precision));
  return c.step;
}

void restart(const std::filesystem::path& path, const Problem& problem, Simulation& simulation) {
  simulation.set(restart_time(path, problem), [&](const DomainBox& box, void* slots) {
    with_populations(problem.precision,
                     [&](auto number) { read_populations(path, box, static_cast<decltype(number)*>(slots)); });
  });
}

}  // namespace asterism::lbm
