// SPDX-License-Identifier: Apache-2.0
// The media of the entries of a brick: means over cells, then what entries near surfaces, thin conductors and resistors
// have of their own.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
void fill_table(const std::vector<Medium>& media, double constant, double dt, void* table) {
  auto* const to = static_cast<Coefficients<T>*>(table);
  for (std::size_t m = 0; m < media.size(); ++m) to[m] = coefficients<T>(media[m], constant, dt);
}

}  // namespace

/// With what the kernel of poles needs, where there are some.
template <class T>
void Simulation::build_media_of_e(BrickData& brick, const Cells& cells, std::vector<Medium>& media) {
  const std::array<int, 3> begin = brick.origin();
  const std::int32_t origin[3] = {begin[0], begin[1], begin[2]};
  auto found = std::make_shared<DispersiveMedia<T>>(
      assign_dispersive<T>(brick.scheme.grid, origin, cells, problem_.materials, problem_.poles, problem_.eps0,
                           problem_.dt, brick.index_memory[0].data()));
  if (overlap_ > 0) {
    found->runs = planes_with_poles(poles_, brick.scheme.grid, brick.origins());
    found->states = poles_of_strip(poles_, found->runs);
  }
  media = found->media;
  brick.dispersive = std::move(found);
}

void Simulation::build_media(BrickData& brick) {
  if (problem_.material.empty()) return;
  const Cells cells = cells_with_materials(problem_);
  const std::array<int, 3> begin = brick.origin();
  const std::int32_t origin[3] = {begin[0], begin[1], begin[2]};
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = number(field);
    const double constant = field == Field::electric ? problem_.eps0 : problem_.mu0;
    brick.scheme.media[f] = true;
    brick.index_memory[f] = HostBuffer<std::uint16_t>(static_cast<std::size_t>(brick.scheme.grid.elements()));
    std::vector<Medium> media;
    if (field == Field::electric && has_poles(problem_))
      with_precision(problem_.precision, [&](auto real) { build_media_of_e<decltype(real)>(brick, cells, media); });
    else
      media = assign_media(field, brick.scheme.grid, origin, cells, problem_.materials, brick.index_memory[f].data());
    if (problem_.mesh.graded()) weigh(brick, field, cells, media);
    if (field == Field::electric) smooth(brick, media);
    cut(brick, field, media);
    if (field == Field::electric) add_resistors(brick, media);
    brick.table_memory[f] = HostBuffer<char>(media.size() * 2 * as_size(element_));
    with_precision(problem_.precision, [&](auto real) {
      fill_table<decltype(real)>(media, constant, problem_.dt, brick.table_memory[f].data());
    });
    brick.relative_memory[f] = HostBuffer<double>(media.size());
    for (std::size_t m = 0; m < media.size(); ++m) brick.relative_memory[f][m] = media[m].relative;
  }
}

/// Entries with the same values, and poles of the same shares, share a medium.
class Simulation::MediaOfEntries {
 public:
  MediaOfEntries(BrickData& brick, Field field, std::vector<Medium>& media)
      : brick_(brick), field_(field), media_(media) {}

  /// Is it a new medium?
  bool set(int component, const std::array<int, 3>& cell, const Medium& medium, const Shares& with_poles = {}) {
    constexpr std::size_t most_media = std::size_t{1} << 16;
    const auto places = all_within(brick_, field_, component, cell);
    if (places.empty()) return false;
    const auto [found, is_new] =
        known_.try_emplace({medium.relative, medium.loss, with_poles}, static_cast<std::uint16_t>(media_.size()));
    if (is_new && media_.size() == most_media) bad_input("entries near surfaces: more than {} media", most_media);
    if (is_new) media_.push_back(medium);
    for (const auto& [i, j, k] : places)
      brick_.index_memory[number(field_)][as_size(brick_.scheme.grid.at(component, i, j, k))] = found->second;
    return is_new;
  }

 private:
  BrickData& brick_;
  Field field_;
  std::vector<Medium>& media_;
  std::map<std::tuple<double, double, Shares>, std::uint16_t> known_;
};

/// Entries between cells of different media and lengths.
void Simulation::weigh(BrickData& brick, Field field, const Cells& cells, std::vector<Medium>& media) const {
  constexpr int bits = 44;  // so that the same weights, in whatever order, make one medium
  const auto rounded = [](double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::isfinite(x) ? std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits) : x;
  };
  MediaOfEntries entries(brick, field, media);
  const std::array<int, 3> origin = brick.origin();
  const Grid& grid = brick.scheme.grid;
  for (int c = 0; c < 3; ++c) {
    const Box b = grid.entries(field, c, grid.cells());
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j)
        for (int k = b.z0; k < b.z1; ++k) {
          const std::array<int, 3> entry{origin[0] + i, origin[1] + j, origin[2] + k};
          Shares shares = weighted_shares(field, c, entry, cells, problem_.mesh);
          if (shares.empty()) continue;
          for (auto& [material, share] : shares) share = rounded(share);
          Medium medium = mean(field, shares, problem_.materials);
          medium = {rounded(medium.relative), rounded(medium.loss)};
          std::vector<Pole> poles;
          if (field == Field::electric && !std::isinf(medium.loss)) poles = mean_poles(shares, problem_.poles);
          add_loss(poles, problem_.eps0, problem_.dt, medium);
          if (entries.set(c, entry, medium, poles.empty() ? Shares{} : shares) && field == Field::electric)
            add_poles_of_medium(brick, media.size(), poles);
        }
  }
}

/// `poles`: those of the last of `media` media.
void Simulation::add_poles_of_medium(BrickData& brick, std::size_t media, const std::vector<Pole>& poles) const {
  if (!brick.dispersive) return;
  with_precision(problem_.precision, [&](auto real) {
    auto& all = *static_cast<DispersiveMedia<decltype(real)>*>(brick.dispersive.get());
    all.ranges.resize(media - 1, {0, 0});  // none
    add_poles(poles, problem_.dt, all);
  });
}

void Simulation::build_lengths(BrickData& brick) const {
  for (const Field field : {Field::electric, Field::magnetic})
    with_precision(problem_.precision, [&](auto real) {
      using T = decltype(real);
      const std::size_t f = number(field);
      const std::vector<T> all = inverse_lengths<T>(problem_.mesh, field, brick.scheme.grid, brick.origin());
      brick.lengths_memory[f] = HostBuffer<char>(all.size() * sizeof(T));
      std::copy(all.begin(), all.end(), reinterpret_cast<T*>(brick.lengths_memory[f].data()));
      brick.lengths[f] = Handle::temporary(brick.lengths_memory[f].data(), all.size(), sizeof(T), "inverse lengths");
    });
}

void Simulation::smooth(BrickData& brick, std::vector<Medium>& media) const {
  MediaOfEntries entries(brick, Field::electric, media);
  for (const SmoothedEdge& edge : problem_.smoothed) entries.set(edge.component, edge.cell, edge.medium);
  if (!brick.dispersive) return;
  with_precision(problem_.precision, [&](auto real) {
    auto& poles = *static_cast<DispersiveMedia<decltype(real)>*>(brick.dispersive.get());
    poles.ranges.resize(media.size(), {0, 0});  // none
  });
}

void Simulation::cut(BrickData& brick, Field field, std::vector<Medium>& media) const {
  MediaOfEntries entries(brick, field, media);
  for (const CutEntry& entry : problem_.cut)
    if (entry.field == field) entries.set(entry.component, entry.cell, entry.medium);
}

/// Each edge with a resistor gets a medium of its own; thin conductors share one.
void Simulation::add_resistors(BrickData& brick, std::vector<Medium>& media) const {
  constexpr std::size_t most_media = std::size_t{1} << 16;
  std::optional<std::size_t> conductor;
  for (const Resistor& r : problem_.resistors) {
    const auto places = all_within(brick, Field::electric, r.component, r.cell);
    if (places.empty()) continue;
    const auto index_at = [&](const std::array<int, 3>& p) -> std::uint16_t& {
      return brick.index_memory[0][as_size(brick.scheme.grid.at(r.component, p[0], p[1], p[2]))];
    };
    const std::uint16_t index = index_at(places.front());
    const bool conducts = r.resistance == 0;
    const Medium medium{media[index].relative, media[index].loss + conductivity(problem_, r)};
    std::size_t number = media.size();
    if (conducts && conductor) number = *conductor;
    if (conducts) conductor = number;
    if (number == most_media) bad_input("resistors: more than {} media", most_media);
    if (number == media.size()) media.push_back(medium);
    for (const auto& place : places) index_at(place) = static_cast<std::uint16_t>(number);
  }
}

}  // namespace asterism::fdtd
