// SPDX-License-Identifier: Apache-2.0
// Media whose permittivity depends on the frequency, by auxiliary differential equations (Okoniewski, Mrozowski and
// Stuchly, IEEE Microwave and Guided Wave Letters 7, 1997; Taflove and Hagness, chapter 9): any number of poles on top
// of eps_r and sigma of a material. With exp(+j w t),
//   Drude    omega_p^2 / (j w gamma - w^2)                              dJ/dt + gamma J = eps0 omega_p^2 E
//   Lorentz  delta_eps omega_0^2 / (omega_0^2 + 2 j w delta - w^2)      dP/dt = J and
//                                        dJ/dt + 2 delta J + omega_0^2 P = eps0 delta_eps omega_0^2 E
//   Debye    delta_eps / (1 + j w tau)                                  tau dP/dt + P = eps0 delta_eps E
// All by the trapezoidal rule, from n to n + 1 like E. In units of E, with j = J dt / eps0, p = P / eps0 and
// w = E(n + 1) + E(n), what a pole contributes to a step is
//   m = (j(n + 1) + j(n)) / 2 = p(n + 1) - p(n) = a j - b p + g w
// so the sum of g is an additional loss 2 eps0 sum(g) / dt in the coefficients A and B of the entry, and
//   update()     E <- A E + B curl H                  (absorbing layers and sources add to that)
//   disperse()   E <- E - B sum(a j - b p), then m, j <- 2 m - j, p <- p + m of every pole
// The scheme is of second order. As the mean of j works on the mean of E, a pole takes up energy in every step or keeps
// it, so the limit of stability is that of vacuum if eps_r is 1 or more. At angular frequency w it has the
// permittivity of the medium at (2 / dt) tan(w dt / 2).
// Uniform media and half-spaces may go on through absorbing layers. Interfaces of metals with little loss should not
// lie in them side by side: they guide waves whose phase and energy travel in opposite directions, which grow in every
// perfectly matched layer (Becache, Fauqueux and Joly, Journal of Computational Physics 188, 2003).
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/grid.hpp"
#include "codelets/fdtd/kernels/media/materials.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"

namespace asterism::fdtd {

/// A pole of the susceptibility. Made by the three functions, which throw std::invalid_argument for what is no number
/// or not passive.
struct Pole {
  enum class Kind : std::int8_t { drude, lorentz, debye };
  Kind kind;
  double strength;  ///< Drude: omega_p^2; others: delta_eps
  double omega_0;   ///< rad/s; 0 but of Lorentz poles
  double damping;   ///< Drude: gamma, Lorentz: delta, 1/s; Debye: tau, s
};
/// rad/s and 1/s.
Pole drude(double omega_p, double gamma);
/// omega_0 in rad/s, delta in 1/s.
Pole lorentz(double delta_eps, double omega_0, double delta);
/// tau in s.
Pole debye(double delta_eps, double tau);

/// At angular frequency `omega` and time dependence exp(+j omega t).
std::complex<double> susceptibility(const Pole& pole, double omega);
/// eps_r, sigma and poles of a material together.
std::complex<double> permittivity(const Material& material, const std::vector<Pole>& poles, double eps0, double omega);

/// a, b and g of a pole.
template <class T>
struct PoleCoefficients {
  T of_current, of_polarization, of_field;
  bool has_current, has_polarization;  ///< what is stored of it, in this order
};
template <class T>
PoleCoefficients<T> coefficients(const Pole& pole, double dt);

/// Poles of a medium: [first, first + count) of a list.
struct PoleRange {
  std::int32_t first, count;
};

/// The state of the entries that have poles, and of others between: `slots` arrays of three components, each as large
/// as the box, z fastest. Slot 0 is E of the step before, then j and p of one pole after the other, in the order of the
/// entry's medium, which does not depend on the sub-domain. All start at zero; if E does not, slot 0 starts as E.
struct PoleStates {
  Box box;  ///< entries of the sub-domain; those of the domain less its origin
  std::int32_t slots;

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t elements() const { return 3 * slots * box.cells(); }
  /// From slot to slot.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t stride() const { return 3 * box.cells(); }
  /// Offset of an entry in slot 0.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t at(int component, int i, int j, int k) const {
    const std::int64_t row =
        (static_cast<std::int64_t>(component) * (box.x1 - box.x0) + (i - box.x0)) * (box.y1 - box.y0) + (j - box.y0);
    return row * (box.z1 - box.z0) + (k - box.z0);
  }
};

/// body(numbers, count) for what a state has of planes [first, end) along x, slot by slot and component by component.
template <class T, class Body>
void for_states_of_planes(const PoleStates& states, T* state, std::int32_t first, std::int32_t end, const Body& body) {
  const Box& b = states.box;
  first = std::max(first, b.x0);
  end = std::min(end, b.x1);
  if (first >= end) return;
  const std::int64_t count = std::int64_t{end - first} * (b.y1 - b.y0) * (b.z1 - b.z0);
  for (std::int32_t slot = 0; slot < states.slots; ++slot)
    for (int c = 0; c < 3; ++c) body(state + slot * states.stride() + states.at(c, first, b.y0, b.z0), count);
}
/// How many numbers that is, of some runs of planes.
inline std::int64_t state_elements(const PoleStates& states, const std::vector<Planes>& runs, std::int32_t first,
                                   std::int32_t end) {
  const Box& b = states.box;
  std::int64_t count = 0;
  for (const Planes& run : runs)
    count += Box{std::max(first, run.first), std::min(end, run.end), b.y0, b.y1, b.z0, b.z1}.cells();
  return 3 * states.slots * count;
}

/// The electric media of a sub-domain: `media` for the update, as of assign_media, with the loss of the poles; the
/// ranges go with them.
template <class T>
struct DispersiveMedia {
  std::vector<Medium> media;
  std::vector<PoleRange> ranges;
  std::vector<PoleCoefficients<T>> poles;
  PoleStates states;         ///< an empty box: no poles in the sub-domain
  std::vector<Planes> runs;  ///< planes of it that have some; none: all
};
/// `poles`: of each material. An entry has the mean permittivity of the cells around it: all their poles, each as
/// strong as the share of the cells that have it. Entries of perfect conductors have none. Throws like assign_media,
/// and std::invalid_argument if there are more lists of poles than materials.
template <class T>
DispersiveMedia<T> assign_dispersive(const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                     const std::vector<Material>& materials,
                                     const std::vector<std::vector<Pole>>& poles, double eps0, double dt,
                                     std::uint16_t* index);

/// Poles of the materials around an entry, each as strong as its material's share.
std::vector<Pole> mean_poles(const Shares& shares, const std::vector<std::vector<Pole>>& poles);
/// Adds the loss of poles to that of their medium.
void add_loss(const std::vector<Pole>& poles, double eps0, double dt, Medium& medium);
/// Makes them those of the next medium after the ranges.
template <class T>
void add_poles(const std::vector<Pole>& poles, double dt, DispersiveMedia<T>& media);

/// What the kernel needs of it.
template <class T>
struct Poles {
  const PoleRange* ranges;
  const PoleCoefficients<T>* poles;
};

/// What a pole does in a step before the new field is known: a j - b p.
template <class T>
ASTERISM_FDTD_ENTRY T recalled(const PoleCoefficients<T>& c, T current, T polarization) {
  return c.of_current * current - c.of_polarization * polarization;
}
/// m, with the sum of old and new field.
template <class T>
ASTERISM_FDTD_ENTRY T contributed(const PoleCoefficients<T>& c, T current, T polarization, T both_fields) {
  return recalled(c, current, polarization) + c.of_field * both_fields;
}

namespace cpu {

/// The poles of a box of cells: after update() of the box with coefficients of DispersiveMedia::media, and after all
/// that adds to E in the step. `state`: PoleStates::elements().
template <class T>
void disperse(const Grid& grid, const Box& cells, const Media<T>& media, const Poles<T>& poles,
              const PoleStates& states, T* state, T* e);

}  // namespace cpu
}  // namespace asterism::fdtd
