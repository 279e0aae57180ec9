// SPDX-License-Identifier: Apache-2.0
// A plane wave that solves the scheme itself, to rounding and what its line's end gives back, after the discrete plane
// wave of Tan and Potter (IEEE Trans. Antennas and Propagation 58, 2010), and the box in which it is part of the field.
//
// With whole numbers m, let s = m . r, r in units of the spacings. A field that depends on s alone is the same for all
// entries with the same s, those of a component have s one apart, and half a cell along b is m_b / 2 in s. So the
// scheme becomes one of a line,
//   E_a(s) <- E_a(s) + f_b (H_c(s + m_b/2) - H_c(s - m_b/2)) - f_c (H_b(s + m_c/2) - H_b(s - m_c/2))
// and the same for H: what lives on the line is a plane wave of the domain, of any waveform, whose direction is
// (m_x/dx, m_y/dy, m_z/dz). That is the condition on directions: ratios of direction cosines times spacings are
// rational; the spacings themselves may be anything. The line is stable where the domain is.
//
// On a graded mesh a wave along an axis does the same on a line of its cells, exactly as well; an oblique one needs
// cells of one length along each axis that it travels along, in its box and next to it: the line is that of a regular
// grid of these. Lengths across those do not matter.
//
// The line starts with given E, polarised across the direction, and ends in a layer with sigma/eps0 = sigma_m/mu0,
// whose impedance is that of vacuum. Between them H is never given, so waves leave the given part in one direction
// only. A layer of entries gives back 1e-8 of waves of 20 cells and more (measured), and 5e-4 of those of 2 to 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/graded_mesh.hpp"
#include "codelets/fdtd/kernels/grid.hpp"
#include "codelets/fdtd/kernels/media/dispersive.hpp"
#include "codelets/fdtd/kernels/media/materials.hpp"
#include "codelets/fdtd/kernels/sources/waveform.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"

namespace asterism::fdtd {

/// The largest component of m.
inline constexpr std::int32_t most_along_axis = 16;

/// Where a wave goes to.
struct Direction {
  std::int32_t m[3];  ///< without common divisor
  double unit[3];
  double deviation;  ///< radian, from the one that was asked for
};
/// The simplest one (smallest sum of |m|) that deviates by up to `tolerance` radian. Throws std::invalid_argument,
/// naming the nearest one, if there is none up to most_along_axis.
Direction round_direction(const double (&unit)[3], const double (&spacing)[3], double tolerance);

/// What the user gives. Angles in radian: propagation towards (sin theta cos phi, sin theta sin phi, cos theta); E is
/// at `polarisation` from the direction of growing theta towards that of growing phi. The waveform is that of E, V/m.
struct PlaneWave {
  double theta, phi, polarisation;
  double tolerance;  ///< of the direction
  Waveform waveform;
};

/// What the wave's domain is.
struct Space {
  std::int32_t n[3];
  bool periodic[3];
  double spacing[3];
  double dt, eps0, mu0;
  GradedMesh mesh{};
};

/// Where the wave is part of the field: E and H from plane x0 to plane x1, both included, and so on. Without the two
/// faces across an axis where the box goes through a periodic domain.
struct TotalField {
  Box planes;
  bool faces[3];
};

/// The entries of the line, in one array: components of E, then of H, `length` each. Places are counted in halves of s.
/// On a graded line the inverse lengths of all places follow, in spacings.
struct Line {
  std::int32_t m[3];
  std::int32_t origin;    ///< place of entry 0 of components that lie on whole s; even
  std::int32_t length;    ///< entries of a component
  std::int32_t reach;     ///< more than entries are apart that need each other
  std::int32_t absorber;  ///< first entry that absorbs
  bool graded = false;

  /// Number of entries of both fields.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t elements() const {
    return 6 * static_cast<std::int64_t>(length);
  }
  /// Place of an entry of the domain.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t place(Field field, int c, int i, int j, int k) const {
    return m[0] * (2 * i + (on_planes(field, c, 0) ? 0 : 1)) + m[1] * (2 * j + (on_planes(field, c, 1) ? 0 : 1)) +
           m[2] * (2 * k + (on_planes(field, c, 2) ? 0 : 1));
  }
  /// Place of entry 0 of a component.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t first(Field field, int c) const {
    return origin + (place(field, c, 0, 0, 0) & 1);
  }
  /// Offset in the array of the entry of a component at a place.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t at(Field field, int c, std::int32_t place) const {
    return ((field == Field::electric ? 0 : 3) + c) * length + ((place - first(field, c)) >> 1);
  }
  /// Entries that are not the result of an update: E is given in as many at the start and stays 0 at the end.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t fixed(Field field) const {
    return field == Field::electric ? 2 * reach : reach;
  }
};
inline constexpr std::int32_t most_given = 2 * ((most_along_axis + 1) / 2 + 1);

/// All that bricks need of a wave, from global data alone.
struct Incident {
  TotalField total;
  Direction direction;
  Line line;
  Factors e_factors, h_factors;
  double dt;
  double electric[3];  ///< direction of E
  double half_delay;   ///< s, of a place to the next; at the start of a graded line
  double loss;         ///< sigma dt / (2 eps0) at the end of the absorbing layer
  Waveform waveform;
  double beside[2][3][2];  ///< 1 / lengths, in those of the line's scheme, of E and H at the lower and upper face
                           ///< across an axis
  std::vector<double> inverse_lengths;  ///< of the places of a graded line
  std::vector<double> delays;           ///< s, of its places
};
/// Throws std::invalid_argument if the box is empty or has less than a cell around it, unless it goes through a
/// periodic axis that the wave does not travel along; for a wave that round_direction refuses or that travels obliquely
/// along cells of several lengths; for a bad waveform.
Incident make_incident(const PlaneWave& wave, const Box& planes, const Space& space);
/// Throws std::invalid_argument if a cell beside a face of the box is not vacuum: corrections hold in vacuum only.
/// `poles`: of each material; those without may be left out.
void require_vacuum(const TotalField& total, const Cells& cells, const std::vector<Material>& materials,
                    const std::vector<std::vector<Pole>>& poles);
/// Does the wave change anything in a brick? Others need no line.
bool reaches(const Incident& incident, const Grid& grid, const std::int32_t (&origin)[3]);
/// The array of the line at time 0.
template <class T>
std::vector<T> new_line(const Incident& incident);
/// Seconds by which the wave at a place of the line, or at an entry, is behind the waveform.
double delay_of(const Incident& incident, std::int32_t place);
double delay_at(const Incident& incident, Field field, int c, int i, int j, int k);

/// E at the start of the line.
template <class T>
struct Given {
  T value[3][most_given];
};
/// At a whole step: computed on CPUs, as GPUs have another exp.
template <class T>
Given<T> given_at(const Incident& incident, std::int64_t step);

namespace cpu {

/// One half-step of the line: 9 x sizeof(T) bytes for each whole s (6 read, 3 written), as a cell in update. `given`:
/// of the step at which E will be, not used for H.
template <class T>
void advance_line(Field field, const Incident& incident, const Given<T>& given, T* line);

/// After an update of the cells of a brick whose cell (0, 0, 0) is `origin` in the domain: adds what the wave is short
/// of at the faces of the box. `line`: the other field of it at the moment of the other field of the domain, so in a
/// step
///   update H, correct H, advance H of the line, update E, correct E, advance E of the line.
/// About 3 x sizeof(T) bytes for each of the entries beside faces, of which each face has two components.
template <class T>
void correct(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Box& cells, const Incident& incident,
             const T* line, T* to);

}  // namespace cpu
}  // namespace asterism::fdtd
