// SPDX-License-Identifier: Apache-2.0
// Absorbing layers before faces of a domain: the convolutional perfectly matched layer (Roden and Gedney, Microwave and
// Optical Technology Letters 27, 2000; Taflove and Hagness, chapter 7). Along the axis of a layer space is stretched by
// s = kappa + sigma / (alpha + j w eps0), so that there
//   f d u  becomes  g / kappa + psi        g = f d u as in curl.hpp, psi <- b psi + c g
//   b = exp(-(sigma / kappa + alpha) dt / eps0), c = sigma (b - 1) / (kappa (sigma + kappa alpha))
// The kernel adds to an update what is missing, (1/kappa - 1) g + psi times the B of the entry's medium: the layer
// continues the materials that reach it. CPUs do so row by row (absorb_rows.hpp), GPUs after update(). Behind a layer
// the face is an electric conductor. An entry of component a in layers along two axes takes those along a + 1 first, in
// every division of the domain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/grid.hpp"
#include "codelets/fdtd/kernels/media/materials.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"

namespace asterism::fdtd {

/// How sigma, kappa and alpha change with the depth r in a layer, from 0 at its surface to 1 at the conductor:
///   sigma = sigma_max r^order, kappa = 1 + (kappa_max - 1) r^order, alpha = alpha_max (1 - r)^alpha_order
/// Without units, so that they suit every grid; d is the spacing along the axis and eta0 the impedance of vacuum. Ten
/// cells of the default reflect less than -60 dB of waves of 10 to 130 cells, those that run along a layer included; a
/// smaller alpha serves longer waves, a larger one those that run along.
struct Grading {
  double order = 2.5;
  double sigma = 1.3;   ///< sigma_max in 0.8 (order + 1) / (eta0 d), the optimum of Taflove and Hagness, (7.66)
  double kappa = 4;     ///< kappa_max
  double alpha = 0.12;  ///< alpha_max in 1 / (eta0 d): waves longer than 2 pi d / alpha are absorbed less
  double alpha_order = 1;
};

/// Absorbing layers of a domain.
struct Cpml {
  std::int32_t cells[6] = {};  ///< thickness before -x, +x, -y, +y, -z, +z; 0: none
  Grading grading = {};
  double length[6] = {1, 1, 1, 1, 1, 1};  ///< of the cells of each layer, in spacings: of a graded mesh
};
inline constexpr std::int32_t default_cpml_cells = 10;

/// b, c and 1/kappa - 1 at one distance from a face.
template <class T>
struct Stretch {
  T decay, gain, slope;
};
/// The stretches of a whole domain, for all its sub-domains: layer after layer in the order of `cells`, with rising
/// coordinate; at the planes between cells for the electric field, half-way for the magnetic one. In double, then
/// rounded. Throws std::invalid_argument for a grading that amplifies (negative sigma or alpha, kappa below 1) or no
/// number.
template <class T>
std::vector<Stretch<T>> stretches(Field field, const Cpml& cpml, const double (&spacing)[3], double dt);

/// The cells [0, lower) and [upper, n) of a sub-domain along an axis, and where their psi and stretches are.
struct AxisLayers {
  std::int32_t lower;       ///< 0: no lower layer in the sub-domain
  std::int32_t upper;       ///< n + 1: no upper layer
  std::int32_t upper_slot;  ///< of cell `upper`; cell 0 has slot 0
  std::int32_t lower_row;   ///< of cell 0
  std::int32_t upper_row;   ///< of cell `upper`

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr bool has(int at) const { return at < lower || at >= upper; }
  /// Where the layers' cells stand in psi, without those between.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t slot(int at) const {
    return at < lower ? at : at - upper + upper_slot;
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t row(int at) const {
    return at < lower ? lower_row + at : upper_row + at - upper;
  }
};

/// The layers of a sub-domain, and where psi of an entry lies. For each field and axis psi is one contiguous array: the
/// two components across the axis one after the other, each n[0] x n[1] x n[2] with z fastest, where along the axis
/// stand the cells of the lower layer and then of the upper one, along the others all cells, and plane n if that is a
/// magnetic conductor. All start at zero.
struct Layers {
  AxisLayers axis[3];
  std::int32_t n[3][3];  ///< of the arrays of each axis, slots along itself

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr bool none() const { return elements() == 0; }
  /// Elements of psi of one field.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t elements() const {
    return elements(0) + elements(1) + elements(2);
  }
  /// Elements of the array of psi of an axis.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t elements(int along) const {
    return 2 * static_cast<std::int64_t>(n[along][0]) * n[along][1] * n[along][2];
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t stride(int along, int axis_of_entry) const {
    const std::int32_t(&m)[3] = n[along];
    return axis_of_entry == 0 ? static_cast<std::int64_t>(m[1]) * m[2] : axis_of_entry == 1 ? m[2] : 1;
  }
  /// Offset of an entry that lies in a layer along an axis; its place in the domain less the origin of the sub-domain.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t at(int along, int component, int i, int j, int k) const {
    const std::int64_t half = component == (along + 1) % 3 ? 0 : elements(along) / 2;
    return half + (along == 0 ? axis[0].slot(i) : i) * stride(along, 0) +
           (along == 1 ? axis[1].slot(j) : j) * stride(along, 1) + (along == 2 ? axis[2].slot(k) : k);
  }
};

/// Slots of psi along z: one after the other, or rows of whole vectors of 64 bytes, each of which has those of one
/// layer along z only and begins where one of the field does.
enum class PsiRows : std::int8_t { dense, aligned };

/// The layers of a sub-domain whose cell (0, 0, 0) is `origin` in a domain of `domain` cells. Throws
/// std::invalid_argument if layers are thicker than the domain, or if a face behind one is not an electric conductor.
Layers layers_of(const Cpml& cpml, const Grid& grid, const std::int32_t (&origin)[3], const std::int32_t (&domain)[3],
                 PsiRows rows = PsiRows::aligned);

/// psi of the three axes, of one field; null where there are no layers.
template <class T>
struct Psi {
  T* along[3];
};

/// What kernels of CPUs need of the layers of one field, to go through them with the update; null: none.
template <class T>
struct Absorber {
  const Layers* layers = nullptr;
  const Stretch<T>* stretches = nullptr;  ///< of the field
  Psi<T> psi{};
};

/// body(numbers, count) for what an array of psi has of planes [first, end) along x, for each axis, component and run
/// of planes in turn: what strips that overlap exchange. Of the same planes it is the same in every strip.
template <class T, class Body>
void for_psi_of_planes(const Layers& layers, const Psi<T>& psi, std::int32_t first, std::int32_t end,
                       const Body& body) {
  for (int along = 0; along < 3; ++along) {
    if (layers.elements(along) == 0) continue;
    const std::int64_t plane = layers.stride(along, 0);
    const auto of = [&](std::int32_t begin, std::int32_t last, int half) {
      if (begin >= last) return;
      const std::int64_t slot = along == 0 ? layers.axis[0].slot(begin) : begin;
      body(psi.along[along] + half * (layers.elements(along) / 2) + slot * plane, (last - begin) * plane);
    };
    for (int half = 0; half < 2; ++half) {
      if (along > 0) {
        of(first, end, half);
        continue;
      }
      of(first, std::min(end, layers.axis[0].lower), half);
      of(std::max(first, layers.axis[0].upper), end, half);
    }
  }
}
/// How many numbers that is.
std::int64_t psi_elements(const Layers& layers, std::int32_t first, std::int32_t end);

/// An entry in a layer: u is it, g = f d u of the other field, b of its medium. `sign` of the term in the update.
template <int sign, class T>
ASTERISM_FDTD_ENTRY T absorbed(T u, T g, const Stretch<T>& s, T b, T& psi) {
  psi = s.decay * psi + s.gain * g;
  const T missing = b * (s.slope * g + psi);
  return sign > 0 ? u + missing : u - missing;
}
/// The first term of a component of the curl is the difference along a + 1, the second one along a + 2.
ASTERISM_HOST_DEVICE constexpr int sign_of_term(Field field, int term) {
  return (field == Field::electric) == (term == 1) ? 1 : -1;
}

/// Entries of a box of cells in layers, counted once for each axis: what flops and bytes are to be multiplied with.
std::int64_t absorbing_entries(Field field, const Grid& grid, const Box& cells, const Layers& layers);

namespace cpu {

/// The layers in a box of cells, after update() of the box with the same arguments and no layers: what tests compare
/// updates with layers, and device code, with.
template <class T>
void absorb(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const Absorber<T>& absorber, const T* from, T* to);

}  // namespace cpu
}  // namespace asterism::fdtd
