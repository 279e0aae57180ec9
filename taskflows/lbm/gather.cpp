#include "taskflows/lbm/gather.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "taskflows/output/pieces.hpp"
#include "taskflows/runtime/cluster.hpp"

namespace asterism::lbm {
namespace {

std::size_t element_of(const Problem& p) {
  return p.single_precision ? 4 : 8;
}

std::size_t cells_of(const Problem& p) {
  return static_cast<std::size_t>(p.cells[0]) * static_cast<std::size_t>(p.cells[1]) *
         static_cast<std::size_t>(p.cells[2]);
}

/// `copy(byte in the array of the domain, byte in the array of the box, bytes)` for all rows of a box.
template <class Copy>
void rows(const Problem& p, std::size_t slots, const DomainBox& box, const Copy& copy) {
  const std::size_t element = element_of(p);
  const output::Region part{{box.x0, box.y0, box.z0}, {box.x1 - box.x0, box.y1 - box.y0, box.z1 - box.z0}};
  const std::size_t part_cells =
      static_cast<std::size_t>(part.n[0]) * static_cast<std::size_t>(part.n[1]) * static_cast<std::size_t>(part.n[2]);
  const std::size_t length = static_cast<std::size_t>(part.n[0]) * element;
  for (std::size_t i = 0; i < slots; ++i) {
    output::for_rows(p.cells, part, [&](std::size_t in_domain, std::size_t in_box) {
      copy((i * cells_of(p) + in_domain) * element, (i * part_cells + in_box) * element, length);
    });
  }
}

}  // namespace

Array<char> gather_state(Simulation& simulation, const Problem& problem) {
  Array<char> all(q * cells_of(problem) * element_of(problem));
  simulation.get([&](const DomainBox& box, const void* slots) {
    rows(problem, q, box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(all.data() + to, static_cast<const char*>(slots) + from, bytes);
    });
  });
  return all;
}

void scatter_state(Simulation& simulation, const Problem& problem, long time, const char* state) {
  simulation.set(time, [&](const DomainBox& box, void* slots) {
    rows(problem, q, box, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<char*>(slots) + to, state + from, bytes);
    });
  });
}

namespace {

std::size_t bytes_of(const DomainBox& box, std::size_t element) {
  return static_cast<std::size_t>(box.cells()) * element;
}

/// A message of boxes, each followed by its values, for which there is room then.
void append(std::vector<char>& message, const DomainBox& box, std::size_t bytes) {
  const auto* const header = reinterpret_cast<const char*>(&box);
  message.insert(message.end(), header, header + sizeof box);
  message.resize(message.size() + bytes);
}

/// take(box, values) for each of them.
template <class Take>
void for_boxes(std::span<const char> message, std::size_t bytes_of_cell, const Take& take) {
  for (std::size_t at = 0; at < message.size();) {
    DomainBox box{};
    std::memcpy(&box, message.data() + at, sizeof box);
    at += sizeof box;
    take(box, message.data() + at);
    at += bytes_of(box, bytes_of_cell);
  }
}

DomainBox intersection(const DomainBox& a, const DomainBox& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

bool is_empty(const DomainBox& box) {
  return box.x0 >= box.x1 || box.y0 >= box.y1 || box.z0 >= box.z1;
}

}  // namespace

Array<char> gather_fields(Simulation& simulation, const Problem& problem) {
  constexpr std::size_t fields = 4;
  const std::size_t of_cell = fields * element_of(problem);
  Array<char> all(cluster().speaks() ? cells_of(problem) * of_cell : 0);
  const auto put = [&](const DomainBox& box, const void* slots) {
    rows(problem, fields, box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(all.data() + to, static_cast<const char*>(slots) + from, bytes);
    });
  };
  std::vector<char> message;
  simulation.observe([&](const DomainBox& box, const void* slots) {
    if (cluster().speaks()) {
      put(box, slots);
    } else {
      const std::size_t bytes = bytes_of(box, of_cell);
      append(message, box, bytes);
      std::memcpy(message.data() + message.size() - bytes, slots, bytes);
    }
  });
  cluster().collect(std::span<const char>(message),
                    [&](int /*rank*/, std::span<const char> part) { for_boxes(part, of_cell, put); });
  return all;
}

OwnState::OwnState(Simulation& simulation, const Problem& problem) : element_(element_of(problem)) {
  simulation.get([&](const DomainBox& box, const void* slots) {
    Part part{box, Array<char>(q * bytes_of(box, element_))};
    std::memcpy(part.slots.data(), slots, part.slots.size());
    parts_.push_back(std::move(part));
  });
}

void OwnState::collect(int slot, const DomainBox& box, char* values) const {
  std::vector<char> message;
  for (const Part& part : parts_) {
    const DomainBox common = intersection(part.box, box);
    if (is_empty(common)) continue;
    const char* const of_slot = part.slots.data() + static_cast<std::size_t>(slot) * bytes_of(part.box, element_);
    // to its place on rank 0, else into the message
    if (!cluster().speaks()) append(message, common, bytes_of(common, element_));
    const DomainBox target = cluster().speaks() ? box : common;
    char* const to = cluster().speaks() ? values : message.data() + message.size() - bytes_of(common, element_);
    copy_rows(part.box, of_slot, target, to, common);
  }
  cluster().collect(std::span<const char>(message), [&](int /*rank*/, std::span<const char> parts) {
    for_boxes(parts, element_,
              [&](const DomainBox& part, const char* cells) { copy_rows(part, cells, box, values, part); });
  });
}

void OwnState::copy_rows(const DomainBox& from_box, const char* from, const DomainBox& to_box, char* to,
                         const DomainBox& common) const {
  const std::size_t length = static_cast<std::size_t>(common.x1 - common.x0) * element_;
  const auto place = [&](const DomainBox& box, int y, int z) {
    const auto row = static_cast<std::size_t>(y - box.y0) +
                     static_cast<std::size_t>(box.y1 - box.y0) * static_cast<std::size_t>(z - box.z0);
    return (static_cast<std::size_t>(common.x0 - box.x0) + row * static_cast<std::size_t>(box.x1 - box.x0)) * element_;
  };
  for (int z = common.z0; z < common.z1; ++z)
    for (int y = common.y0; y < common.y1; ++y)
      std::memcpy(to + place(to_box, y, z), from + place(from_box, y, z), length);
}

}  // namespace asterism::lbm
