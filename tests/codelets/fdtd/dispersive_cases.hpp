// SPDX-License-Identifier: Apache-2.0
// Domains full of dispersive media that the tests of these share.
#pragma once

#include <vector>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/open.hpp"

namespace asterism::fdtd::cases {

/// The poles of cases::materials, the conductor included.
inline std::vector<std::vector<Pole>> poles() {
  return {{},
          {lorentz(2, 3e11, 1e10), drude(2e11, 3e10)},
          {debye(3, 1e-12)},
          {drude(1e11, 0)},
          {drude(4e11, 1e10), debye(1, 4e-13), lorentz(1, 5e11, 0)}};
}

/// Random fields; no pole is excited.
template <class T>
void randomize(OpenDomain<T>& d) {
  d.domain.randomize();
  for (std::size_t m = 0; m < d.dispersions.size(); ++m) {
    const PoleStates& s = d.dispersions[m].media.states;
    const Part<T>& p = d.domain.parts[m];
    for (int c = 0; c < 3; ++c) {
      const Box b = p.grid.entries(Field::electric, c, s.box);
      for (int i = std::max(b.x0, s.box.x0); i < s.box.x1; ++i)
        for (int j = std::max(b.y0, s.box.y0); j < s.box.y1; ++j)
          for (int k = std::max(b.z0, s.box.z0); k < s.box.z1; ++k)
            d.dispersions[m].state.at(as_size(s.at(c, i, j, k))) = p.e[as_size(p.grid.at(c, i, j, k))];
    }
  }
}

}  // namespace asterism::fdtd::cases
