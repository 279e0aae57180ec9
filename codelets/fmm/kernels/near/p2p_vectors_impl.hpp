// SPDX-License-Identifier: Apache-2.0
// P2P of several vectors of charges (p2p_impl.hpp includes this): kernel and distances of each pair once for all of
// them. What a block of targets and some vectors of particles are to each other is kept in the first cache, and each
// vector of charges passes over it in the order, and so with the bits, of P2P of that vector alone.
#pragma once

#include "codelets/fmm/kernels/near/p2p_impl.hpp"

namespace asterism::fmm::ASTERISM_FMM_ISA {

/// K, slope and d = x_j - x_t of a target and `width` particles; K and slope are 0 where they do not act.
struct Meeting {
  Vector value, slope, x, y, z;
};

/// Vectors of particles that a block of targets meets before the charges pass.
inline constexpr int kept = 8;

/// A block of targets with particles that it meets, and for each vector of charges what the lanes have summed up.
template <int count>
struct Meetings {
  Targets<count> targets;
  std::int64_t first;  ///< target
  int size = 0;
  std::int64_t at[kept];  ///< first of the particles
  std::int64_t lanes[kept];
  Meeting meeting[kept][count];
  Vector sum[most_vectors][4][count];

  ASTERISM_FMM_INLINE Meetings(SourceView p, std::int64_t i, int vectors) : targets(p, i), first(i) {
    for (int v = 0; v < vectors; ++v)
      for (auto& component : sum[v])
        for (Vector& s : component) s = 0.0;
  }
};

/// Adds the pairs of the targets with `width` particles from j on.
template <int count, class Kernel, class Lanes>
ASTERISM_FMM_INLINE void meet(const Kernel& kernel, Meetings<count>& m, SourceView p, std::int64_t j,
                              std::int64_t particles, Lanes lanes) {
  const Vector x = lanes.load(p.x + j);
  const Vector y = lanes.load(p.y + j);
  const Vector z = lanes.load(p.z + j);
  m.at[m.size] = j;
  m.lanes[m.size] = particles;
#pragma GCC unroll 8
  for (int t0 = 0; t0 < count; t0 += chains) {
    constexpr int n = count < chains ? count : chains;
    using V = Pack<n>;
    const auto [dx, dy, dz, r2] = separation<n>(m.targets, t0, x, y, z);
    V value;
    V slope;
    kernel(r2, value, slope);
#pragma GCC unroll 8
    for (int s = 0; s < n; ++s) {
      const int t = t0 + s;
      if (t >= count) break;
      if constexpr (!std::is_same_v<Lanes, Apart>) {
        const Mask active = lanes.restrict(t, acts_at_zero<Kernel> ? first(width) : nonzero(r2.v[s]));
        value.v[s] = product(active, value.v[s], 1.0);
        slope.v[s] = product(active, slope.v[s], 1.0);
      }
      m.meeting[m.size][t] = {value.v[s], slope.v[s], dx.v[s], dy.v[s], dz.v[s]};
    }
  }
  ++m.size;
}

/// A value that is loaded once, where the compiler would read it from memory at each use: with 32 registers the loads
/// are what takes longest.
ASTERISM_FMM_INLINE Vector in_register(Vector x) {
#if defined(ASTERISM_FMM_AVX512)
  asm("" : "+v"(x.v));
#endif
  return x;
}

/// Targets and particles act on each other with the charges q, as in interact().
template <int count>
ASTERISM_FMM_INLINE void act_on_each_other(const Meetings<count>& m, const double* q, FieldView f,
                                           Vector (&sum)[4][count]) {
  Vector potential[count], fx[count], fy[count], fz[count], charge[count];
#pragma GCC unroll 8
  for (int t = 0; t < count; ++t) {
    potential[t] = sum[0][t], fx[t] = sum[1][t], fy[t] = sum[2][t], fz[t] = sum[3][t];
    charge[t] = q[m.first + t];
  }
  const auto pass = [&](int n, auto lanes) __attribute__((always_inline)) {
    const std::int64_t j = m.at[n];
    const Vector other = lanes.load(q + j);
    Vector to_potential = lanes.load(f.potential + j);
    Vector to_x = lanes.load(f.fx + j);
    Vector to_y = lanes.load(f.fy + j);
    Vector to_z = lanes.load(f.fz + j);
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) {
      const Meeting& d = m.meeting[n][t];
      const Vector value = in_register(d.value);
      potential[t] = fma(value, other, potential[t]);
      to_potential = fma(value, charge[t], to_potential);
      const Vector slope = in_register(d.slope);
      const Vector to_target = slope * other;
      const Vector from_target = slope * charge[t];
      const Vector x = in_register(d.x);
      fx[t] = fma(to_target, x, fx[t]);
      to_x = fnma(from_target, x, to_x);
      const Vector y = in_register(d.y);
      fy[t] = fma(to_target, y, fy[t]);
      to_y = fnma(from_target, y, to_y);
      const Vector z = in_register(d.z);
      fz[t] = fma(to_target, z, fz[t]);
      to_z = fnma(from_target, z, to_z);
    }
    lanes.store(f.potential + j, to_potential);
    lanes.store(f.fx + j, to_x);
    lanes.store(f.fy + j, to_y);
    lanes.store(f.fz + j, to_z);
  };
  for (int n = 0; n < m.size; ++n) {
    if (m.lanes[n] >= width)
      pass(n, Whole{});
    else
      pass(n, Part{first(m.lanes[n])});
  }
#pragma GCC unroll 8
  for (int t = 0; t < count; ++t) sum[0][t] = potential[t], sum[1][t] = fx[t], sum[2][t] = fy[t], sum[3][t] = fz[t];
}

template <int count>
ASTERISM_FMM_INLINE void pass_charges(Meetings<count>& m, SourceView p, FieldView f, const ChargeVectors& c) {
  for (int v = 0; v < c.vectors; ++v) act_on_each_other(m, c.of(p, v).q, c.of(f, v), m.sum[v]);
  m.size = 0;
}

/// interact_block() of p2p_impl.hpp for several vectors of charges.
template <int count, class Kernel>
void meet_block(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f, const ChargeVectors& c,
                std::int64_t i, std::int32_t leaf, bool own, std::int32_t u, std::int32_t u_end) {
  Meetings<count> m(p, i, c.vectors);
  const auto extend = [&](std::int32_t last) {
    while (u < u_end && set.upper[u] == last + 1) ++last, ++u;
    return static_cast<std::int64_t>(set.begin[last + 1]);
  };
  const auto with = [&](std::int64_t j, std::int64_t end, auto lanes) __attribute__((always_inline)) {
    meet(kernel, m, p, j, end - j, lanes);
    if (m.size == kept) pass_charges(m, p, f, c);
  };
  std::int64_t j = 0;
  std::int64_t end = 0;
  if (own) {
    end = extend(leaf);
    const std::int64_t own_end = set.begin[leaf + 1];
    for (j = i + 1; j < end && j < i + count; j += width) with(j, end, Triangle{first(end - j), j - i});
    for (; j + width <= end && j < own_end; j += width) with(j, end, Whole{});
  }
  while (true) {
    for (; j + width <= end; j += width) with(j, end, Apart{});
    if (j < end) with(j, end, Part{first(end - j)});
    if (u == u_end) break;
    const std::int32_t b = set.upper[u++];
    j = set.begin[b];
    end = extend(b);
  }
  pass_charges(m, p, f, c);
  for (int v = 0; v < c.vectors; ++v) {
    const FieldView of = c.of(f, v);
    for (int t = 0; t < count; ++t) {
      of.potential[i + t] += sum(m.sum[v][0][t]);
      of.fx[i + t] += sum(m.sum[v][1][t]);
      of.fy[i + t] += sum(m.sum[v][2][t]);
      of.fz[i + t] += sum(m.sum[v][3][t]);
    }
  }
}

template <class Kernel>
void p2p_vectors(const Kernel& kernel, const P2PSet& set, SourceView p, FieldView f, const ChargeVectors& c) {
  for (std::int32_t v = 0; v < c.vectors; ++v) set_to_zero(c.of(f, v), set.begin[0], set.begin[set.leaves]);
  for_target_blocks(set, [&](auto count, std::int64_t i, std::int32_t a, bool own, std::int32_t u, std::int32_t u_end) {
    meet_block<count>(kernel, set, p, f, c, i, a, own, u, u_end);
  });
}

}  // namespace asterism::fmm::ASTERISM_FMM_ISA
