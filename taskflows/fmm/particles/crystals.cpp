// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/crystals.hpp"

#include <cmath>

#include "base/error.hpp"
#include "taskflows/fmm/particles/random_numbers.hpp"

namespace asterism::fmm {
namespace {

/// Cells along each direction: simple cubic ones of sodium chloride with one ion each, of caesium chloride with two.
std::size_t cells_of(const Crystal& c) {
  const std::size_t per_cell = c.lattice == Lattice::sodium_chloride ? 1 : 2;
  const std::size_t step = c.lattice == Lattice::sodium_chloride ? 2 : 1;
  const auto fitting = [&](double n) {
    return static_cast<std::size_t>(std::lround(n / static_cast<double>(step))) * step;
  };
  std::size_t cells = fitting(std::cbrt(static_cast<double>(c.particles) / static_cast<double>(per_cell)));
  if (cells > 0 && cells * cells * cells * per_cell == c.particles) return cells;
  if (cells == 0) cells = step;
  bad_input("--particles {}: a crystal of {} cells in each direction has {}; expected {}", c.particles, cells,
            cells * cells * cells * per_cell,
            per_cell == 1 ? "the cube of an even number" : "twice the cube of a number");
}

double cell_width(const Crystal& c) {
  return c.lattice == Lattice::sodium_chloride ? c.spacing : c.spacing * 2 / std::sqrt(3.0);
}

}  // namespace

double madelung_constant(Lattice lattice) {
  return lattice == Lattice::sodium_chloride ? 1.747564594633 : 1.762674773071;
}

double width_of(const Crystal& crystal) {
  return static_cast<double>(cells_of(crystal)) * cell_width(crystal);
}

Particles crystal(const Crystal& c, std::uint64_t seed, Part part) {
  const std::size_t cells = cells_of(c);
  const double width = cell_width(c);
  const Random random(seed);
  const std::size_t begin = part.begin(c.particles);
  Particles particles(part.end(c.particles) - begin);
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const std::size_t i = begin + p;
    const std::size_t cell = c.lattice == Lattice::sodium_chloride ? i : i / 2;
    const std::size_t at[3] = {cell / (cells * cells), cell / cells % cells, cell % cells};
    const bool second = c.lattice == Lattice::sodium_chloride ? (at[0] + at[1] + at[2]) % 2 == 1 : i % 2 == 1;
    const double middle = c.lattice == Lattice::caesium_chloride && second ? 0.5 : 0;
    const auto place = [&](std::size_t d) {
      return (static_cast<double>(at[d]) + middle) * width + c.displacement * (2 * random.uniform(3 * i + d) - 1);
    };
    particles.x[p] = place(0);
    particles.y[p] = place(1);
    particles.z[p] = place(2);
    particles.charge[p] = second ? -1 : 1;
  }
  return particles;
}

}  // namespace asterism::fmm
