// SPDX-License-Identifier: Apache-2.0
// The templates behind p2p.hpp, in the instruction set that the compiler was told to use. To have P2P for a kernel of
// one's own, a source file with
//   #include "codelets/fmm/kernels/near/p2p_impl.hpp"
//   ASTERISM_FMM_INSTANTIATE(MyKernel);
// listed in asterism_fmm_p2p(target file.cpp), which compiles it once per instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codelets/fmm/kernels/near/p2p.hpp"
#include "codelets/fmm/kernels/near/simd.hpp"

namespace asterism::fmm::ASTERISM_FMM_ISA {

/// `count` target particles, each in all lanes, and what the lanes have summed up for them.
template <int count>
struct Targets {
  Vector x[count], y[count], z[count], q[count];
  Vector potential[count], fx[count], fy[count], fz[count];

  ASTERISM_FMM_INLINE Targets(SourceView p, std::int64_t i) {
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) {
      x[t] = p.x[i + t], y[t] = p.y[i + t], z[t] = p.z[i + t], q[t] = p.q[i + t];
      potential[t] = fx[t] = fy[t] = fz[t] = 0.0;
    }
  }
  ASTERISM_FMM_INLINE void add_to(FieldView f, std::int64_t i) const {
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) {
      f.potential[i + t] += sum(potential[t]);
      f.fx[i + t] += sum(fx[t]);
      f.fy[i + t] += sum(fy[t]);
      f.fz[i + t] += sum(fz[t]);
    }
  }
};

/// Loads and stores of whole vectors, and of those that stick out of their leaf.
/// Neighbour leaves: no particle of one is in the same place as one of another.
struct Apart {
  ASTERISM_FMM_INLINE Vector load(const double* p) const { return ASTERISM_FMM_ISA::load(p); }
  ASTERISM_FMM_INLINE void store(double* p, Vector x) const { ASTERISM_FMM_ISA::store(p, x); }
};
struct Whole {
  ASTERISM_FMM_INLINE Vector load(const double* p) const { return ASTERISM_FMM_ISA::load(p); }
  ASTERISM_FMM_INLINE void store(double* p, Vector x) const { ASTERISM_FMM_ISA::store(p, x); }
  ASTERISM_FMM_INLINE Mask restrict(int, Mask m) const { return m; }
};
struct Part {
  Mask lanes;
  ASTERISM_FMM_INLINE Vector load(const double* p) const { return ASTERISM_FMM_ISA::load(p, lanes); }
  ASTERISM_FMM_INLINE void store(double* p, Vector x) const { ASTERISM_FMM_ISA::store(p, x, lanes); }
  ASTERISM_FMM_INLINE Mask restrict(int, Mask m) const { return lanes & m; }
};
/// Particles first + lane of the targets' own leaf: target t (at place `t` after the first) takes those behind it.
struct Triangle {
  Mask lanes;
  std::int64_t first;
  ASTERISM_FMM_INLINE Vector load(const double* p) const { return ASTERISM_FMM_ISA::load(p, lanes); }
  ASTERISM_FMM_INLINE void store(double* p, Vector x) const { ASTERISM_FMM_ISA::store(p, x, lanes); }
  ASTERISM_FMM_INLINE Mask restrict(int t, Mask m) const { return lanes & from(t + 1 - first) & m; }
};

/// Targets whose kernels are evaluated together.
inline constexpr int chains = 2;

template <int n>
struct Separation {
  Pack<n> x, y, z, r2;
};

/// From targets t0 .. t0 + n, of `count`, to the particles at x, y, z: d = x_j - x_t and |d|^2.
template <int n, int count>
ASTERISM_FMM_INLINE Separation<n> separation(const Targets<count>& targets, int t0, Vector x, Vector y, Vector z) {
  using V = Pack<n>;
  const auto target = [&](int t) __attribute__((always_inline)) {
    return t0 + t < count ? t0 + t : t0;
  };
  const V dx = V::each([&](int t) __attribute__((always_inline)) { return x - targets.x[target(t)]; });
  const V dy = V::each([&](int t) __attribute__((always_inline)) { return y - targets.y[target(t)]; });
  const V dz = V::each([&](int t) __attribute__((always_inline)) { return z - targets.z[target(t)]; });
  return {dx, dy, dz, fma(dx, dx, fma(dy, dy, dz * dz))};
}

/// The targets and `width` particles from j on act on each other:
///   d = x_j - x_t, s = slope(|d|): potential_t += q_j K, field_t += q_j s d, potential_j += q_t K, field_j -= q_t s d
template <int count, class Kernel, class Lanes>
ASTERISM_FMM_INLINE void interact(const Kernel& kernel, Targets<count>& targets, SourceView p, FieldView f,
                                  std::int64_t j, Lanes lanes) {
  const Vector x = lanes.load(p.x + j);
  const Vector y = lanes.load(p.y + j);
  const Vector z = lanes.load(p.z + j);
  const Vector q = lanes.load(p.q + j);
  Vector potential = lanes.load(f.potential + j);
  Vector fx = lanes.load(f.fx + j);
  Vector fy = lanes.load(f.fy + j);
  Vector fz = lanes.load(f.fz + j);
#pragma GCC unroll 8
  for (int t0 = 0; t0 < count; t0 += chains) {
    constexpr int n = count < chains ? count : chains;
    using V = Pack<n>;
    const auto [dx, dy, dz, r2] = separation<n>(targets, t0, x, y, z);
    V value;
    V slope;
    kernel(r2, value, slope);
#pragma GCC unroll 8
    for (int s = 0; s < n; ++s) {
      const int t = t0 + s;
      if (t >= count) break;
      Vector to_target;
      Vector from_target;
      if constexpr (std::is_same_v<Lanes, Apart>) {
        targets.potential[t] = fma(value.v[s], q, targets.potential[t]);
        potential = fma(value.v[s], targets.q[t], potential);
        to_target = slope.v[s] * q;
        from_target = slope.v[s] * targets.q[t];
      } else {
        const Mask active = lanes.restrict(t, acts_at_zero<Kernel> ? first(width) : nonzero(r2.v[s]));
        targets.potential[t] = add_product(active, value.v[s], q, targets.potential[t]);
        potential = add_product(active, value.v[s], targets.q[t], potential);
        to_target = product(active, slope.v[s], q);
        from_target = product(active, slope.v[s], targets.q[t]);
      }
      targets.fx[t] = fma(to_target, dx.v[s], targets.fx[t]);
      targets.fy[t] = fma(to_target, dy.v[s], targets.fy[t]);
      targets.fz[t] = fma(to_target, dz.v[s], targets.fz[t]);
      fx = fnma(from_target, dx.v[s], fx);
      fy = fnma(from_target, dy.v[s], fy);
      fz = fnma(from_target, dz.v[s], fz);
    }
  }
  lanes.store(f.potential + j, potential);
  lanes.store(f.fx + j, fx);
  lanes.store(f.fy + j, fy);
  lanes.store(f.fz + j, fz);
}

/// The part of the field that comes from particles of other leaves.
template <int count, class Kernel>
ASTERISM_FMM_INLINE void interact_range(const Kernel& kernel, Targets<count>& targets, SourceView p, FieldView f,
                                        std::int64_t j, std::int64_t end) {
  for (; j + width <= end; j += width) interact(kernel, targets, p, f, j, Apart{});
  if (j < end) interact(kernel, targets, p, f, j, Part{first(end - j)});
}

/// A target block i .. i + count of a leaf with particles [i + count, own_end) of the leaf and the pairs in the block
/// (if `own`), and with the leaves upper[u] .. upper[u_end]. Leaves that follow each other in memory are one range.
template <int count, class Kernel>
ASTERISM_FMM_INLINE void interact_block(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f,
                                        std::int64_t i, std::int32_t leaf, bool own, std::int32_t u,
                                        std::int32_t u_end) {
  Targets<count> targets(p, i);
  const auto extend = [&](std::int32_t last) {  // behind the last leaf of the run that starts with `last`
    while (u < u_end && set.upper[u] == last + 1) ++last, ++u;
    return static_cast<std::int64_t>(set.begin[last + 1]);
  };
  if (own) {
    const std::int64_t end = extend(leaf);
    std::int64_t j = i + 1;
    for (; j < end && j < i + count; j += width) interact(kernel, targets, p, f, j, Triangle{first(end - j), j - i});
    const std::int64_t own_end = set.begin[leaf + 1];
    for (; j + width <= end && j < own_end; j += width) interact(kernel, targets, p, f, j, Whole{});
    interact_range(kernel, targets, p, f, j, end);
  }
  while (u < u_end) {
    const std::int32_t b = set.upper[u++];
    const std::int64_t end = extend(b);
    interact_range(kernel, targets, p, f, set.begin[b], end);
  }
  targets.add_to(f, i);
}

/// Targets that meet a vector of particles at a time: their sums stay in registers.
inline constexpr int block = 4;
/// Particles (64 bytes each) that stay in the first cache while the blocks of a leaf pass.
inline constexpr std::int64_t tile = 512;

ASTERISM_FMM_INLINE void set_to_zero(FieldView f, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) f.potential[i] = f.fx[i] = f.fy[i] = f.fz[i] = 0;
}

/// Calls act(count, i, leaf, own, u, u_end) for the blocks of targets i .. i + count of all own leaves, as
/// interact_block() takes them. `count` is an integral constant.
template <class Act>
ASTERISM_FMM_INLINE void for_target_blocks(const P2PSet& set, const Act& act) {
  for (std::int32_t a = 0; a < set.own_leaves; ++a) {
    const std::int64_t begin = set.begin[a];
    const std::int64_t end = set.begin[a + 1];
    if (begin == end) continue;
    bool own = true;
    std::int32_t u = set.upper_begin[a];
    do {
      std::int64_t particles = own ? end - begin : 0;
      std::int32_t u_end = u;
      while (u_end < set.upper_begin[a + 1] && particles < tile) {
        particles += set.begin[set.upper[u_end] + 1] - set.begin[set.upper[u_end]];
        ++u_end;
      }
      std::int64_t i = begin;
      for (; i + block <= end; i += block) act(std::integral_constant<int, block>(), i, a, own, u, u_end);
      if (end - i == 3) act(std::integral_constant<int, 3>(), i, a, own, u, u_end);
      if (end - i == 2) act(std::integral_constant<int, 2>(), i, a, own, u, u_end);
      if (end - i == 1) act(std::integral_constant<int, 1>(), i, a, own, u, u_end);
      u = u_end;
      own = false;
    } while (u < set.upper_begin[a + 1]);
  }
}

template <class Kernel>
void p2p(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f) {
  set_to_zero(f, set.begin[0], set.begin[set.leaves]);
  for_target_blocks(
      set, [&](auto count, std::int64_t i, std::int32_t a, bool own, std::int32_t u, std::int32_t u_end)
               __attribute__((always_inline)) { interact_block<count>(kernel, set, p, f, i, a, own, u, u_end); });
}

/// charge K(r) and charge K'(r) / r: the kernel's own way where it has one.
template <class Kernel, class V>
ASTERISM_FMM_INLINE void act(const Kernel& kernel, V r2, V charge, V& potential, V& pull) {
  if constexpr (requires { kernel.act(r2, charge, potential, pull); }) {
    kernel.act(r2, charge, potential, pull);
  } else {
    V value;
    V slope;
    kernel(r2, value, slope);
    potential = charge * value;
    pull = charge * slope;
  }
}
template <class Kernel, class V>
ASTERISM_FMM_INLINE void act(const Softened<Kernel>& softened, V r2, V charge, V& potential, V& pull) {
  act(softened.kernel, r2 + softened.squared, charge, potential, pull);
}

/// The targets are acted on by `width` particles from j on, but for those at distance 0:
///   d = x_j - x_t: potential_t += q_j K, field_t += q_j slope d
template <int count, class Kernel, class Lanes>
ASTERISM_FMM_INLINE void receive(const Kernel& kernel, Targets<count>& targets, SourceView p, std::int64_t j,
                                 Lanes lanes) {
  const Vector x = lanes.load(p.x + j);
  const Vector y = lanes.load(p.y + j);
  const Vector z = lanes.load(p.z + j);
  const Vector q = lanes.load(p.q + j);
#pragma GCC unroll 8
  for (int t0 = 0; t0 < count; t0 += chains) {
    constexpr int n = count < chains ? count : chains;
    using V = Pack<n>;
    const auto [dx, dy, dz, r2] = separation<n>(targets, t0, x, y, z);
    const V charge = V::each([&](int) __attribute__((always_inline)) { return q; });
    V potential;
    V pull;
    act(kernel, r2, charge, potential, pull);
#pragma GCC unroll 8
    for (int s = 0; s < n; ++s) {
      const int t = t0 + s;
      if (t >= count) break;
      if constexpr (!std::is_same_v<Lanes, Apart>) {
        const Mask active = lanes.restrict(t, acts_at_zero<Kernel> ? first(width) : nonzero(r2.v[s]));
        potential.v[s] = product(active, potential.v[s], 1.0);
        pull.v[s] = product(active, pull.v[s], 1.0);
      }
      targets.potential[t] = targets.potential[t] + potential.v[s];
      targets.fx[t] = fma(pull.v[s], dx.v[s], targets.fx[t]);
      targets.fy[t] = fma(pull.v[s], dy.v[s], targets.fy[t]);
      targets.fz[t] = fma(pull.v[s], dz.v[s], targets.fz[t]);
    }
  }
}

/// The field of targets i .. i + count from the particles of the leaves source[s] .. source[s_end], the first of which
/// has particles at the places of targets if `together`. Leaves that follow each other in memory are one range.
template <int count, class Kernel>
ASTERISM_FMM_INLINE void receive_block(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f,
                                       std::int64_t i, bool together, std::int32_t s, std::int32_t s_end) {
  Targets<count> targets(p, i);
  if (together) {
    const std::int64_t end = set.begin[set.source[s] + 1];
    for (std::int64_t j = set.begin[set.source[s]]; j < end; j += width)
      receive(kernel, targets, p, j, Part{first(end - j)});
    ++s;
  }
  while (s < s_end) {
    std::int64_t j = set.begin[set.source[s]];
    while (s + 1 < s_end && set.source[s + 1] == set.source[s] + 1) ++s;
    const std::int64_t end = set.begin[set.source[s++] + 1];
    for (; j + width <= end; j += width) receive(kernel, targets, p, j, Apart{});
    if (j < end) receive(kernel, targets, p, j, Part{first(end - j)});
  }
  targets.add_to(f, i);
}

/// Sources (32 bytes each) that stay in the first cache while the blocks of a leaf pass.
inline constexpr std::int64_t source_tile = 1024;

template <class Kernel>
void p2p_one_way(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f) {
  for (std::int32_t a = 0; a < set.own_leaves; ++a) {
    const std::int64_t begin = set.begin[a];
    const std::int64_t end = set.begin[a + 1];
    for (std::int64_t i = begin; i < end; ++i) f.potential[i] = f.fx[i] = f.fy[i] = f.fz[i] = 0;
    const std::int32_t all = begin == end ? set.source_begin[a] : set.source_begin[a + 1];
    for (std::int32_t s = set.source_begin[a]; s < all;) {
      const bool together = s == set.source_begin[a];
      std::int64_t particles = 0;
      std::int32_t s_end = s;
      while (s_end < all && particles < source_tile) {
        particles += set.begin[set.source[s_end] + 1] - set.begin[set.source[s_end]];
        ++s_end;
      }
      std::int64_t i = begin;
      for (; i + block <= end; i += block) receive_block<block>(kernel, set, p, f, i, together, s, s_end);
      if (end - i == 3) receive_block<3>(kernel, set, p, f, i, together, s, s_end);
      if (end - i == 2) receive_block<2>(kernel, set, p, f, i, together, s, s_end);
      if (end - i == 1) receive_block<1>(kernel, set, p, f, i, together, s, s_end);
      s = s_end;
    }
  }
}

/// Lanes are targets, two vectors of them to hide latencies; sources come one by one.
template <class Kernel>
void p2p_targets(const Kernel& kernel, std::int64_t targets, const double* x, const double* y, const double* z,
                 std::int64_t sources, SourceView source, FieldView field) {
  constexpr int vectors = 2;
  constexpr std::int64_t chunk = 512;
  for (std::int64_t i = 0; i < targets; i += vectors * width) {
    Mask lanes[vectors];
    Vector tx[vectors], ty[vectors], tz[vectors];
    Vector total[vectors][4];
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t at = i + v * width < targets ? i + v * width : i;
      lanes[v] = first(at == i && v > 0 ? 0 : targets - at);
      tx[v] = load(x + at, lanes[v]), ty[v] = load(y + at, lanes[v]), tz[v] = load(z + at, lanes[v]);
      for (Vector& t : total[v]) t = 0.0;
    }
    for (std::int64_t j0 = 0; j0 < sources; j0 += chunk) {
      const std::int64_t end = j0 + chunk < sources ? j0 + chunk : sources;
      Vector part[vectors][4];
      for (auto& v : part)
        for (Vector& t : v) t = 0.0;
      for (std::int64_t j = j0; j < end; ++j) {
        const Vector q = source.q[j];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) {
          const Vector dx = source.x[j] - tx[v];
          const Vector dy = source.y[j] - ty[v];
          const Vector dz = source.z[j] - tz[v];
          const Vector r2 = fma(dx, dx, fma(dy, dy, dz * dz));
          const Mask active = acts_at_zero<Kernel> ? first(width) : nonzero(r2);
          Vector value;
          Vector slope;
          kernel(r2, value, slope);
          const Vector s = product(active, slope, q);
          part[v][0] = add_product(active, value, q, part[v][0]);
          part[v][1] = fma(s, dx, part[v][1]);
          part[v][2] = fma(s, dy, part[v][2]);
          part[v][3] = fma(s, dz, part[v][3]);
        }
      }
      for (int v = 0; v < vectors; ++v)
        for (int c = 0; c < 4; ++c) total[v][c] = total[v][c] + part[v][c];
    }
    for (int v = 0; v < vectors && i + v * width < targets; ++v) {
      store(field.potential + i + v * width, total[v][0], lanes[v]);
      store(field.fx + i + v * width, total[v][1], lanes[v]);
      store(field.fy + i + v * width, total[v][2], lanes[v]);
      store(field.fz + i + v * width, total[v][3], lanes[v]);
    }
  }
}

}  // namespace asterism::fmm::ASTERISM_FMM_ISA

#include "codelets/fmm/kernels/near/p2p_vectors_impl.hpp"

#define ASTERISM_FMM_INSTANTIATE(Kernel)                                                                            \
  namespace asterism::fmm::ASTERISM_FMM_ISA {                                                                       \
  template void p2p(const Kernel&, const P2PSet&, SourceView, FieldView);                                           \
  template void p2p_one_way(const Kernel&, const P2PSet&, SourceView, FieldView);                                   \
  template void p2p_vectors(const Kernel&, const P2PSet&, SourceView, FieldView, const ChargeVectors&);             \
  template void p2p_targets(const Kernel&, std::int64_t, const double*, const double*, const double*, std::int64_t, \
                            SourceView, FieldView);                                                                 \
  }                                                                                                                 \
  static_assert(true)
