// SPDX-License-Identifier: Apache-2.0
// Materials: what an entry of a component has when the cells around it differ, and the coefficients of its update.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codelets/fdtd/kernels/graded_mesh.hpp"
#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// The material of a cell.
struct Material {
  double eps_r = 1;    ///< permittivity, relative
  double mu_r = 1;     ///< permeability, relative
  double sigma = 0;    ///< electric conductivity, S/m; infinity: a perfect conductor
  double sigma_m = 0;  ///< magnetic loss, ohm/m
};

/// The medium of an entry: eps_r and sigma of an electric one, mu_r and sigma_m of a magnetic one.
struct Medium {
  double relative = 1;
  double loss = 0;
};

/// A and B of curl.hpp.
template <class T>
struct Coefficients {
  T a, b;
};
/// With the loss at the mean of old and new value (semi-implicit): s = loss dt / (2 eps), A = (1 - s) / (1 + s),
/// B = 1 / (relative (1 + s)) as the factors hold the background's eps or mu. In double, then rounded.
template <class T>
Coefficients<T> coefficients(const Medium& medium, double eps0_or_mu0, double dt);

/// What the kernels need of it: the index of every entry into a table, an array laid out as the field. No index: the
/// background everywhere. Entries of cells that lie on electric conductors need a valid index, too: CPUs look it up.
template <class T>
struct Media {
  const std::uint16_t* index = nullptr;
  const Coefficients<T>* table = nullptr;
  /// Of a graded mesh, at entries 0 to n along each axis: what the factors of curl.hpp are to be multiplied with
  /// (inverse_lengths). Null: all cells have the same lengths.
  const T* inverse_length[3] = {};

  [[nodiscard]] ASTERISM_HOST_DEVICE bool graded() const { return inverse_length[0] != nullptr; }
  /// Sets them from the arrays of all axes, one after the other.
  void set_inverse_lengths(const Grid& grid, const T* all) {
    for (int a = 0; a < 3; all += grid.n[a++] + 1) inverse_length[a] = all;
  }
};

/// The cells of a whole domain, z fastest: indices into a list of materials.
struct Cells {
  std::int32_t n[3];
  bool periodic[3];
  const std::uint16_t* material;
};

/// Materials of the cells around an entry, sorted; no_cell for those that do not exist.
using Around = std::array<std::int32_t, 4>;
inline constexpr std::int32_t no_cell = -1;
/// Its medium: the mean that assign_media describes.
Medium mean(Field field, const Around& around, const std::vector<Material>& materials);
/// Index of all entries, into the table that it returns; errors as of assign_media, which has the details.
std::vector<Around> assign_around(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                  std::size_t materials, std::uint16_t* index);

/// Index of all entries of the cells of a sub-domain, whose cell (0, 0, 0) is `origin` in the domain; returns the table
/// that they index.
///   electric: arithmetic means of eps and sigma over the four cells around the edge, which Ampere's law has side by
///             side on the dual face (Taflove and Hagness, section 3.6; second order at interfaces along the axes:
///             Hirono et al., IEEE Microwave and Guided Wave Letters 10, 2000)
///   magnetic: harmonic means of mu and sigma_m over the two cells beside the face, which the normal flux passes one
///             after the other
/// Over those cells that exist, at the faces of the domain. The order of the sum depends on the materials only.
/// Throws std::length_error beyond 65536 media, std::invalid_argument for a material that is not in the list.
std::vector<Medium> assign_media(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                 const std::vector<Material>& materials, std::uint16_t* index);

/// Materials around an entry, ascending, and the share of each, which add up to 1.
using Shares = std::vector<std::pair<std::int32_t, double>>;
Shares shares_of(const Around& around);
/// Of an entry of the domain on a graded mesh, where cells count by their areas across the edge, or by their lengths.
/// None where that makes no difference.
Shares weighted_shares(Field field, int component, const std::array<int, 3>& entry, const Cells& cells,
                       const GradedMesh& mesh);
/// The same means, by shares.
Medium mean(Field field, const Shares& shares, const std::vector<Material>& materials);

}  // namespace asterism::fdtd
