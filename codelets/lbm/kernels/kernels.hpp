// SPDX-License-Identifier: Apache-2.0
// The mathematics of the lattice Boltzmann method (D3Q19): functions on pointers and sizes, for populations stored as
// Float16, float and double, on CPUs (here) and on GPUs (kernels_cuda.hpp). Both execute the same operations in the
// same order: results are bit-identical.
//
//   kernel        formula                                                  costs.hpp, for each         header
//   update        f*_i = f_i + Omega_i(f) + S_i, and propagation           update_bytes, _flops: cell  cell.hpp,
//                                                                                                    central_moments.hpp
//                 in a sponge: viscosity, and friction                                             boundary/sponge.hpp
//   reflect       f_opposite(j) = f*_j - 6 w_j c_j.u_w at a velocity       transfer_bytes: cell at a   boundary/
//                 wall or a parabola; at a pressure wall                   wall; link_bytes: link of
//                 2 w_j rho_w (1 + 9/2 (c_j.u)^2 - 3/2 u^2) - f*_j;        a solid cell
//                 f*_j at a solid cell, or interpolated (links.hpp)
//   force         F = sum over links of c_j (f*_j + f_opposite(j) -        link_bytes / 2: link        boundary/
//                 2 w_j), M = sum of x cross this
//   pack, unpack  five slots of a layer of cells to and from an array      transfer_bytes: cell        transfers.*
//   wrap          the same from a face to the opposite one                 transfer_bytes: cell        boundary/
//   observe       rho = sum f_i, rho u = sum c_i f_i + F / 2               observe_bytes: cell         observers/
//   total         sums of rho - 1, rho u, rho u^2 / 2; largest |u|         total_bytes: cell           observers/
//   equilibrium   f_i = w_i rho (1 + 3 c_i.u + 9/2 (c_i.u)^2 - 3/2 u^2)    observe_bytes: cell         cell.hpp
//   store, load   all slots of a box to and from an array                  copy_bytes: cell            copy.hpp
//
// Populations are stored as f_i - w_i (lattice.hpp), in slots of a brick (brick.hpp); where a half-step finds them is
// in population_offsets.hpp. Vectors of cells for CPUs: lanes.hpp; threads of GPUs: thread_cells.hpp.
//
// The A-A pattern (Bailey et al., ICPP 2009; section 4.1.1 of the paper) keeps one copy of the populations. Let f*_i(x)
// be population i of cell x after collision.
//   settled    slot i of x holds f_i(x): the state at an even time
//   alpha      every cell collides and leaves f*_i(x) in slot opposite(i) of x
//   collided   the state between: an odd time, not yet propagated
//   beta       every cell x takes f_i from slot opposite(i) of x - c_i, collides, and leaves f*_i in slot i of x + c_i
// so that beta reads and writes the same places, and what it leaves is settled one time step later: two time steps in
// two passes through memory, each of 2 x 19 populations per cell.
//
// What crosses the border of a brick waits in the ghosts. After alpha, ghost cells must hold the neighbour's slots
// before beta reads them; after beta, ghost cells hold what belongs to the neighbour's border cells. Walls are
// neighbours that return what they are sent. After beta they come last (walls, then links), as a neighbour's ghosts
// hold nothing of use where its own neighbour is a wall or a solid cell, and that is unpacked too.
#pragma once

#include <cstdint>

#include "codelets/lbm/kernels/brick.hpp"
#include "codelets/lbm/kernels/float16.hpp"

namespace asterism::lbm {

/// The two halves of a pair of time steps.
enum class Half : std::int32_t { alpha, beta };

/// A domain face that is a wall of this brick.
struct Wall {
  enum class Kind : std::int32_t {
    velocity,  ///< half-way bounce-back from a wall that moves at u; u = 0: no slip; u through the face: an inlet
    parabola,  ///< a velocity wall whose u is a mean, times 6 s (1 - s) at s of the way along two axes
    pressure,  ///< half-way anti-bounce-back: density rho; the velocity is that of the cell after collision
  };
  Kind kind = Kind::velocity;
  std::int32_t face = 0;  ///< -x, +x, -y, +y, -z, +z
  double u[3] = {0, 0, 0};
  double rho = 1;
  // of a parabola, along x, y and z
  std::int32_t first[3] = {0, 0, 0};   ///< cells between the lower wall and the brick
  std::int32_t across[3] = {0, 0, 0};  ///< cells from wall to wall; 0: uniform
};

/// The cells before an outlet at +x, in which viscosity and friction take the fluid to the velocity of the inlet at -x
/// (boundary/sponge.hpp).
struct Sponge {
  std::int32_t cells = 0;   ///< along x; 0: none
  std::int32_t outlet = 0;  ///< x of the first cell beyond the outlet
  Wall inlet = {};
};

/// What a cell's collision needs.
struct Collision {
  enum class Model : std::int32_t {
    bgk,              ///< one relaxation time (Bhatnagar, Gross and Krook 1954)
    trt,              ///< even and odd parts have their own (Ginzburg, Verhaeghe and d'Humieres 2008)
    central_moments,  ///< shear in the frame of the fluid has one, the third order may have, all else is forgotten
  };
  Model model = Model::bgk;
  /// tau = nu / c_s^2 + 1/2 of the even part, in time steps
  double tau = 0.6152;
  /// TRT: (tau_even - 1/2)(tau_odd - 1/2); 3/16 puts a straight wall exactly half-way
  double magic = 3.0 / 16;
  /// Smagorinsky constant C_S with the filter width of one cell; 0: no model of turbulence
  double smagorinsky = 0;
  /// Body force per unit of volume (Guo, Zheng and Shi 2002)
  double force[3] = {0, 0, 0};
  Sponge sponge = {};
  /// Central moments: (tau - 1/2)(tau_third - 1/2), tau_third of the third order; 0: relaxed by 1
  double third_magic = 0;
};

/// Five slots of a box of cells, copied to or from a contiguous array: slot by slot, x fastest.
struct Transfer {
  Box box;
  std::int32_t slots[crossing];
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t elements() const { return crossing * box.cells(); }
  /// Rows along x of five slots, each contiguous in the brick.
  [[nodiscard]] std::int64_t chunks() const { return std::int64_t{crossing} * (box.y1 - box.y0) * (box.z1 - box.z0); }
};

/// Fluid cells beside solid ones inside a brick. The populations of direction j that a fluid cell sends into the solid
/// and that come back: offsets of (x, slot opposite(j)) and of (x + c_j, slot j), where nobody else reads or writes.
struct Links {
  std::int32_t begin[q + 1];  ///< those of direction j: [begin[j], begin[j + 1])
  const std::int64_t* fluid;  ///< offset of slot opposite(j) of the fluid cell
  const std::int64_t* solid;  ///< offset of slot j of the solid cell
  const double* share;        ///< null: 1; of f*_j in what returns, less than 0: beside f*_j of x - c_j (links.hpp)
};

/// Sums over cells of a brick.
struct Totals {
  double mass;         ///< sum of rho - 1
  double momentum[3];  ///< sum of rho u
  double energy;       ///< sum of rho u^2 / 2
  double speed;        ///< largest |u|; NaN or infinity if any cell's is
};

struct ForceSums;  // boundary/force_sums.hpp
struct Origin;

namespace cpu {

/// One half-step of the cells of a box, f*_i = f_i + Omega_i(f) + S_i with the relaxation Omega of the collision and
/// Guo's source S of the body force, and the sponge's. `solid`: null or one byte per cell at Brick::cell, not 0 where
/// there is no fluid. What the `count` walls return comes first, row by row: velocity walls, at most one for each face.
template <class T>
void update(Half half, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid, T* f,
            const Wall* walls = nullptr, std::int32_t count = 0);

/// Walls return what they were sent by the half-step `last`: after alpha into the ghosts that beta will read, after
/// beta from the ghosts into the border cells. Later walls of the list own the edges that they share with earlier ones.
/// Only to and from the cells of a box. At a pressure wall it must be done before any cell of the brick is advanced, at
/// others before the cell itself is.
template <class T>
void reflect(Half last, const Brick& brick, const Wall* walls, std::int32_t count, const Box& cells, T* f);

/// Bounce-back at solid cells inside the brick, which are at rest: f_opposite(j) = f*_j, or interpolated
/// (boundary/links.hpp).
template <class T>
void reflect(Half last, const Brick& brick, const Links& links, T* f);

/// Force and moment on the solid cells of `links` by momentum exchange (Ladd 1994) in the step whose half-step `last`
/// was done, that between bricks too if links are interpolated, and whose reflection was not yet: adds F = sum over
/// links of c_j (f*_j + f_opposite(j) - 2 w_j), f_opposite(j) being what returns, and M = sum of x cross this about the
/// centre of cell (0, 0, 0) of the domain. Less w_j the pressure at rho = 1 is left out, whose sums over a closed
/// surface are zero.
template <class T>
void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f, ForceSums& sums);

/// A brick is its own neighbour along `wraps`, axes as bits: what leaves through a face comes back through the
/// opposite one, after alpha into the ghosts that beta will read, after beta from the ghosts into the border cells. It
/// takes the place of pack and unpack, and comes before walls and links.
template <class T>
void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f);

/// Copies border populations into one array per transfer, and back.
template <class T>
void pack(const Brick& brick, const Transfer* transfers, std::int32_t count, const T* f, T* const* arrays);
template <class T>
void unpack(const Brick& brick, const Transfer* transfers, std::int32_t count, const T* const* arrays, T* f);

/// Density and velocity of the cells of a box, four arrays of box.cells() with x fastest: rho, u, v, w. `next`: the
/// half-step that comes next, alpha in a settled state, beta in a collided one, ghosts and reflections included. Half
/// of the body force is part of the velocity (Guo). Solid cells get rho = 1 and u = 0.
template <class T>
void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Arithmetic<T>* out);
/// Sums over the fluid cells of a box, in the order x, y, z.
template <class T>
Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f);

/// Sets the cells of a box to equilibrium at rho and u, given as by `observe`, in a settled state.
template <class T>
void equilibrium(const Brick& brick, const Box& box, const Arithmetic<T>* fields, T* f);

}  // namespace cpu
}  // namespace asterism::lbm
