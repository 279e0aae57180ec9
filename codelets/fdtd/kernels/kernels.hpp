// SPDX-License-Identifier: Apache-2.0
// The kernels of the finite-difference time-domain method (Yee 1966; Taflove and Hagness): functions on pointers and
// sizes, for float and double, on CPUs and (kernels_cuda.hpp) GPUs. Both execute the same operations in the same order,
// so results agree bit for bit.
//
// A time step, from E at n and H at n - 1/2:
//   H at n + 1/2 from E                      update, magnetic; needs E of plane n of the upper neighbours
//   plane n - 1 of tangential H to the ghost plane -1 of the upper neighbours; images at magnetic conductors
//   E at n + 1 from H                        update, electric
//   plane 0 of tangential E to the ghost plane n of the lower neighbours
// No other ghosts are read, so in each half of a step two components travel through a face, in one direction.
// Electric conductors need nothing done: grid.hpp.
//
// All kernels, with the bytes that pass the memory interface (T: bytes of a number) and the operations (costs.hpp):
//   kernel        what it computes                                    bytes            flops        header
//   update        E = A E + B dt/eps0 rot H; H = A H - B dt/mu0 rot E 9 T of a cell    18 of a cell this one
//   update_both   H, then E, of boxes in one pass                     12 T of a cell   36 of a cell this one
//   update_steps  several steps in one pass                           12 T of a cell   36 of a cell this one
//   pack, unpack  two components of a plane to an array and back      2 T of an entry  0            this one
//   wrap, reflect ghosts of periodic faces, of magnetic conductors    2 T of an entry  0            this one
//   add           an entry of a field plus a value: currents          2 T              1            this one
//   sum           sums of a component over each plane of cells        T of a cell      1 of a cell  this one
//   energy        eps/2 E E + mu/2 H(n-1/2) H(n+1/2), by planes       9 T of a cell    -            this one
//   absorb        psi = b psi + c g; field +- B ((1/kappa-1) g + psi) 5 T of an entry  9            media/cpml
//   disperse      j and p of each pole; E plus what they add          2 T (1 + slots)  3 + 12 poles media/dispersive
//   couple        E + sum of factors times changes of edges around    -                2 per term   media/coupling
//   advance_line  the update, on the line of a plane wave             9 T of a place   6 each       sources/plane_wave
//   correct       field +- factor times the wave, beside a box        3 T of an entry  2            sources/plane_wave
//   record        sums of the field times exp(-2 pi i f t)            T + 32 of each f 4 of each f  observers/monitor
//   record        entries of probes to a row                          2 T of a probe   0            observers/probes
// With materials an update reads 6 bytes more of a cell, the index of each entry, and does 8 operations instead of 6
// per entry. What becomes of monitors' sums after a run, power and far field, is in observers/flux.hpp and
// observers/far_field.hpp. On a graded mesh (graded_mesh.hpp) the factors of an entry are multiplied with the inverse
// of the lengths along each axis, which caches keep; update_steps does so on CPUs only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"
#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/media/materials.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"

namespace asterism::fdtd {

/// Two components on a plane: what passes a face. Contiguous arrays of it have one component after the other, each with
/// z fastest.
struct Layer {
  std::int32_t component[2];
  Box entries[2];
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t elements() const { return entries[0].cells() + entries[1].cells(); }
};
/// The tangential components of a field on plane `at` across an axis.
constexpr Layer layer(const Grid& grid, Field field, int axis, int at) {
  Layer l{};
  for (int m = 0; m < 2; ++m) {
    const int c = (axis + 1 + m) % 3;
    l.component[m] = c;
    std::int32_t end[3] = {};
    for (int a = 0; a < 3; ++a)
      end[a] = grid.n[a] + (on_planes(field, c, a) && grid.face[2 * a + 1] == Face::magnetic ? 1 : 0);
    l.entries[m] = {0, end[0], 0, end[1], 0, end[2]};
    std::int32_t* const range[3] = {&l.entries[m].x0, &l.entries[m].y0, &l.entries[m].z0};
    range[axis][0] = at;
    range[axis][1] = at + 1;
  }
  return l;
}
/// What a sub-domain sends through a face along an axis after a half-step, and where it receives the same: H goes up,
/// E goes down.
constexpr Layer outgoing(const Grid& grid, Field field, int axis) {
  return layer(grid, field, axis, field == Field::magnetic ? grid.n[axis] - 1 : 0);
}
constexpr Layer incoming(const Grid& grid, Field field, int axis) {
  return layer(grid, field, axis, field == Field::magnetic ? -1 : grid.n[axis]);
}

/// The plane of tangential H beside a magnetic conductor and its image behind.
struct Image {
  Layer from, to;
};
constexpr Image image_behind(const Grid& grid, int face) {
  const int axis = face / 2;
  const int n = grid.n[axis];
  return {layer(grid, Field::magnetic, axis, face % 2 == 0 ? 0 : n - 1),
          layer(grid, Field::magnetic, axis, face % 2 == 0 ? -1 : n)};
}

/// Joule.
struct Energy {
  double electric, magnetic;
};
/// For it: what multiplies the squares of entries, eps0/2 or mu0/2 times the volume of a cell, and eps_r or mu_r of the
/// table of media (null without).
struct Densities {
  double electric, magnetic;
  const double* eps_r = nullptr;
  const double* mu_r = nullptr;
};

/// Cells whose E can be advanced in the same pass as H, as it needs no ghost of H.
constexpr Box fusible(const Grid& g) {
  std::int32_t first[3] = {};
  std::int32_t end[3] = {};
  for (int a = 0; a < 3; ++a) {
    first[a] = g.face[2 * a] == Face::electric ? 0 : 1;
    end[a] = g.n[a] - (g.face[2 * a + 1] == Face::magnetic ? 1 : 0);
  }
  return {first[0], end[0], first[1], end[1], first[2], end[2]};
}

/// A value added to an entry of E at the end of each of the steps.
template <class T>
struct Source {
  std::int32_t component, i, j, k;
  const T* values;
};

namespace cpu {

/// One half-step of the cells of a box: `to` from its curl and `from`, the other field. 9 x sizeof(T) bytes per cell
/// (6 read, 3 written), 6 more with materials. Where z0 is an electric conductor its entries are written for the time
/// of the call. With the absorbing layers of the box.
template <class T>
void update(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const T* from, T* to, const Absorber<T>& layers = {});

/// Both half-steps in one pass: H of `h_cells`, then E of `e_cells`, whose ghosts of H have to be up to date; within
/// fusible() they are not needed. 12 x sizeof(T) bytes per cell instead of 18.
template <class T>
void update_both(const Grid& grid, const Box& h_cells, const Box& e_cells, const Factors& h_factors,
                 const Factors& e_factors, const Media<T>& h_media, const Media<T>& e_media, T* h, T* e,
                 const Absorber<T>& h_layers = {}, const Absorber<T>& e_layers = {});

/// What goes with several steps in one pass beside the plain scheme.
template <class T>
struct BesideSteps {
  /// A step, a plane, and rows [first, end) of it. Those of a step come in any order, and after those around them of
  /// the step before.
  using Rows = std::function<void(int step, int plane, int first, int end)>;
  Absorber<T> h_layers{}, e_layers{};
  Rows done{};                    ///< a step was, with its sources
  std::vector<Box> hooked{};      ///< cells with anything to be done in h_updated or e_updated
  Rows h_updated{}, e_updated{};  ///< H, or E without its sources, was just computed there; E was not before
  /// Does `done` change E by that of the planes and rows beside, whose sources are there? Then steps are two planes and
  /// rows apart, and what is needed after a step depends on two planes more before it.
  bool coupled = false;
  Rows added{};  ///< then: E was just computed there, with its sources
};

/// Whole steps of a domain that is its own neighbour, if it has one, along y or z: a wavefront (Wellein et al., COMPSAC
/// 2009) of
/// blocks of `rows` rows of a plane (0: as many as caches hold of all steps), each step one plane and one row behind
/// the one before, so that the steps find in the caches what went through memory once: 12 x sizeof(T) bytes per cell
/// for all of them. The bits are those of one step after the other in the planes that are `needed` when all are done;
/// what these do not depend on is left out. Ghosts of E are in place, and will be. Throws std::invalid_argument if
/// there is a neighbour along x.
template <class T>
void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors, const Factors& e_factors,
                  const Media<T>& h_media, const Media<T>& e_media, const Source<T>* sources, std::int32_t count, T* h,
                  T* e, const BesideSteps<T>& beside = {}, int rows = 0);
/// Steps after which the wavefront gains no more: it is bound by arithmetic then.
inline constexpr int steps_at_once = 8;

template <class T>
void pack(const Grid& grid, const Layer& layer, const T* field, T* array);
template <class T>
void unpack(const Grid& grid, const Layer& layer, const T* array, T* field);

/// A sub-domain that is its own neighbour along an axis: outgoing to incoming.
template <class T>
void wrap(const Grid& grid, Field field, int axis, T* values);
/// The images of H behind magnetic conductors: tangential H has the other sign there.
template <class T>
void reflect(const Grid& grid, T* h);

/// A soft source: adds to one entry.
template <class T>
void add(const Grid& grid, int component, int i, int j, int k, T value, T* field);

/// Sum of a component over each plane of cells [x0, x1) of a box, into x1 - x0 doubles. Its order depends on the box
/// across x only, so that sub-domains that divide x give the bits of the whole, plane by plane.
template <class T>
void sum(Field field, const Grid& grid, const Box& cells, int component, const T* values, double* planes);

/// Energy of E at n and of H at n - 1/2 times H at n + 1/2, which is conserved where there are no losses and no
/// sources (Ampere's law times the sum of old and new E), likewise by planes. Called before H is updated, with ghosts
/// of E up to date: it finds the next H as update does and keeps it to itself, so no second H is stored. Entries on
/// magnetic conductors count half for each.
template <class T>
void energy(const Grid& grid, const Box& cells, const Factors& h_factors, const Media<T>& h_media,
            const Media<T>& e_media, const Densities& densities, const T* h, const T* e, Energy* planes);

}  // namespace cpu
}  // namespace asterism::fdtd
