// SPDX-License-Identifier: Apache-2.0
// The pairs of a direction whose targets are among some columns are two small matrix products (equation 7), here
// transposed: G^T = W^T V, F^T = G^T U^T, targets x ranks and targets x coefficients. The thread block that owns these
// targets goes through the directions. In the first product its warps share out k, so that each number of V and W is
// read once, straight into registers, and add up their parts through shared memory; in the second they share out the
// coefficients and add to the local expansions, which stay in shared memory until the last direction. Pairs are looked
// up for as many directions at once as there are warps, each warp one.
//
// One group of cells has too few targets to keep a GPU busy, so the directions are shared out too: to the thread
// blocks of a cluster, which add up their local expansions, through the shared memory of each other, in the end.
#include <algorithm>

#include "codelets/fmm/kernels/far/device.cuh"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"
#include "codelets/fmm/kernels/far/m2l_simple.cuh"

namespace asterism::fmm::cuda {
namespace {

constexpr int m2l_warps = 8;
constexpr int m2l_threads = m2l_warps * 32;
constexpr int ranks = 32;              ///< that are taken at a time
constexpr int part_pitch = ranks + 8;  ///< two columns of a quarter warp are in different banks
constexpr int sum_pitch = ranks + 4;   ///< four columns of four ranks are in different banks

/// What a thread block has to do in one direction.
template <int Columns>
struct Work {
  const double* v;
  const double* u;
  std::int32_t rank;
  std::int32_t padded;
  std::int32_t count;             ///< pairs
  std::int32_t column[Columns];   ///< of the target of each pair
  const double* source[Columns];  ///< its multipole expansion, null beyond `count`
};

/// Doubles of shared memory, and where its parts begin.
template <int Columns>
struct Layout {
  int pitch;  ///< between the expansions of two columns: other banks
  int parts;  ///< [warp][column][rank]
  int sums;   ///< [column][rank]
  int work;
  int targets;  ///< [column]: cell, -1 when it has no pairs
  int active;   ///< [direction]
  int total;
  __host__ __device__ explicit Layout(int stride) {
    pitch = stride | 8;
    parts = Columns * pitch;
    sums = parts + m2l_warps * Columns * part_pitch;
    work = sums + Columns * sum_pitch;
    targets = work + m2l_warps * static_cast<int>(sizeof(Work<Columns>) / sizeof(double));
    active = targets + Columns / 2;
    total = active + (directions + 2) / 2;
  }
};

/// Lists the directions that have pairs in the tile; their number goes to the end. By one warp.
__device__ void find_directions(const M2LList& list, int tile, std::int32_t* active) {
  constexpr int turns = (directions + 31) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  bool some[turns];
#pragma unroll
  for (int i = 0; i < turns; ++i) {
    const int d = i * 32 + lane;
    const std::int32_t* begin = list.begin + static_cast<std::int64_t>(d) * (list.tiles + 1) + tile;
    some[i] = d < directions && begin[0] < begin[1];
  }
  int count = 0;
#pragma unroll
  for (int i = 0; i < turns; ++i) {
    const unsigned all = device::ballot(some[i]);
    if (some[i]) active[count + device::population(all & ((1U << lane) - 1))] = i * 32 + lane;
    count += device::population(all);
  }
  if (lane == 0) active[directions] = count;
}

/// Finds the pairs of a direction whose targets are among the columns from rank `first` on. By one warp.
template <int Columns>
__device__ void look_up(const M2LView& operators, const M2LList& list, const M2LSources& sources, int tile, int first,
                        int d, Work<Columns>& work, std::int32_t* targets) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t at = static_cast<std::int64_t>(d) * (list.tiles + 1) + tile;
  const std::int32_t begin = list.begin[at];
  const std::int32_t end = list.begin[at + 1];
  int count = 0;
  for (std::int32_t i = begin; i < end; i += 32) {
    const bool inside = i + lane < end;
    const M2LPair pair = inside ? list.pairs[i + lane] : M2LPair{0, 0};
    const int column = inside ? list.rank[pair.target] - first : -1;
    const bool mine = column >= 0 && column < Columns;
    const unsigned all = device::ballot(mine);
    if (mine) {
      const int place = count + device::population(all & ((1U << lane) - 1));
      work.column[place] = column;
      work.source[place] = sources.at[pair.source >> source_bits] +
                           static_cast<std::int64_t>(pair.source & ((1U << source_bits) - 1)) * operators.stride;
      targets[column] = static_cast<std::int32_t>(pair.target);  // other warps store the same
    }
    count += device::population(all);
  }
  for (int i = count + lane; i < Columns; i += 32) work.source[i] = nullptr;
  if (lane == 0) {
    const M2LDirection& direction = operators.direction[d];
    work.v = operators.data + direction.v;
    work.u = operators.data + direction.u;
    work.rank = direction.rank;
    work.padded = direction.padded;
    work.count = count;
  }
}

/// This warp's part of G^T: 16 M columns, 8 R ranks from `rank` on. Ahead: loads the next eight k while it multiplies.
template <bool Ahead, int M, int R, int Columns>
__device__ void first_product(const M2LView& operators, const Work<Columns>& work, int rank, double* part) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int p = static_cast<int>(threadIdx.x) % 32 / 4;
  const int q = static_cast<int>(threadIdx.x) % 4;
  const int padded = work.padded;
  const double* w[M][2];
#pragma unroll
  for (int m = 0; m < M; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) w[m][half] = work.source[m * 16 + half * 8 + p];
  const double* v = work.v + rank + p;

  double sums[M][R][4] = {};
  double a[M][4];
  double b[R][2];
  const auto load = [&](int k) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) a[m][i] = w[m][i % 2] != nullptr ? w[m][i % 2][k + q + i / 2 * 4] : 0.0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = k + q + i * 4;
      const double* from = v + static_cast<std::int64_t>(row) * padded;
#pragma unroll
      for (int r = 0; r < R; ++r) b[r][i] = row < operators.size ? from[r * 8] : 0.0;
    }
  };
  const auto multiply_add = [&](const double(&x)[M][4], const double(&y)[R][2]) {
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int m = 0; m < M; ++m) device::multiply_add_16(sums[m][r], x[m], y[r]);
  };
  constexpr int step = m2l_warps * 8;
  if constexpr (Ahead) {
    int k = warp * 8;
    if (k < operators.stride) load(k);
#pragma unroll 1
    for (; k < operators.stride; k += step) {
      double a_now[M][4];
      double b_now[R][2];
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int i = 0; i < 4; ++i) a_now[m][i] = a[m][i];
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int i = 0; i < 2; ++i) b_now[r][i] = b[r][i];
      if (k + step < operators.stride) load(k + step);
      multiply_add(a_now, b_now);
    }
  } else {
#pragma unroll 1
    for (int k = warp * 8; k < operators.stride; k += step) {
      load(k);
      multiply_add(a, b);
    }
  }
  double* out = part + warp * Columns * part_pitch;
#pragma unroll
  for (int m = 0; m < M; ++m)
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<double2*>(out + (m * 16 + half * 8 + p) * part_pitch + r * 8 + 2 * q) =
            double2{sums[m][r][2 * half], sums[m][r][2 * half + 1]};
}

/// Numbers of U^T that a warp needs for N tiles of 8 coefficients.
template <int R, int N, int Columns>
__device__ void load_u(const M2LView& operators, const Work<Columns>& work, int rank, int first_tile,
                       double (&b)[N][R][2]) {
  const int p = static_cast<int>(threadIdx.x) % 32 / 4;
  const int q = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int r = 0; r < R; ++r)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = rank + r * 8 + i * 4 + q;
      const double* from = work.u + static_cast<std::int64_t>(row) * operators.stride + p;
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const int coefficient = (first_tile + n * m2l_warps) * 8;
        b[n][r][i] = row < work.rank && coefficient < operators.stride ? from[coefficient] : 0.0;
      }
    }
}

/// Adds F^T to the local expansions, for the coefficients of this warp. `b`: those of the first N tiles.
template <int M, int R, int N, int Columns>
__device__ void second_product(const M2LView& operators, const Work<Columns>& work, int rank, int pitch,
                               const double* g, double* locals, double (&b)[N][R][2]) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int p = static_cast<int>(threadIdx.x) % 32 / 4;
  const int q = static_cast<int>(threadIdx.x) % 4;
  const int tiles = operators.stride / 8;
#pragma unroll 1
  for (int tile = warp; tile < tiles; tile += N * m2l_warps) {
    if (tile != warp) load_u<R, N>(operators, work, rank, tile, b);
#pragma unroll
    for (int m = 0; m < M; ++m) {
      double sums[N][4] = {};
#pragma unroll
      for (int r = 0; r < R; ++r) {
        double a[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = g[(m * 16 + i % 2 * 8 + p) * sum_pitch + r * 8 + i / 2 * 4 + q];
#pragma unroll
        for (int n = 0; n < N; ++n) device::multiply_add_16(sums[n], a, b[n][r]);
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int pair = m * 16 + half * 8 + p;
        if (pair >= work.count) continue;
        double* local = locals + work.column[pair] * pitch + 2 * q;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          const int coefficient = (tile + n * m2l_warps) * 8;
          if (coefficient >= operators.stride) continue;
          auto* place = reinterpret_cast<double2*>(local + coefficient);
          const double2 before = *place;
          *place = double2{before.x + sums[n][2 * half], before.y + sums[n][2 * half + 1]};
        }
      }
    }
  }
}

/// 8 R ranks from `rank` on of one direction. Two barriers.
template <bool Ahead, int M, int R, int Columns>
__device__ void multiply(const M2LView& operators, double scale, const Work<Columns>& work, int rank,
                         const Layout<Columns>& layout, double* memory) {
  constexpr int N = Ahead ? 2 : 1;
  first_product<Ahead, M, R>(operators, work, rank, memory + layout.parts);
  double b[N][R][2];
  load_u<R, N>(operators, work, rank, static_cast<int>(threadIdx.x) / 32, b);
  __syncthreads();
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < M * 16 * R * 8; i += m2l_threads) {
    const int column = i / (R * 8);
    const int r = i % (R * 8);
    const double* part = memory + layout.parts + column * part_pitch + r;
    double sum = 0;
#pragma unroll
    for (int w = 0; w < m2l_warps; ++w) sum += part[w * Columns * part_pitch];
    memory[layout.sums + column * sum_pitch + r] = scale * sum;
  }
  __syncthreads();
  second_product<M, R, N>(operators, work, rank, layout.pitch, memory + layout.sums, memory, b);
}

template <bool Ahead, int M, int Columns>
__device__ void multiply(const M2LView& operators, double scale, const Work<Columns>& work, int rank,
                         const Layout<Columns>& layout, double* memory) {
  switch ((work.padded - rank) / 8) {
    case 1:
      return multiply<Ahead, M, 1>(operators, scale, work, rank, layout, memory);
    case 2:
      return multiply<Ahead, M, 2>(operators, scale, work, rank, layout, memory);
    case 3:
      return multiply<Ahead, M, 3>(operators, scale, work, rank, layout, memory);
    default:
      return multiply<Ahead, M, 4>(operators, scale, work, rank, layout, memory);
  }
}

/// Block (x, y) of the grid: x is its place in the cluster, y its columns.
/// Blocks: that an SM is to run at a time, which have half the registers each when there are two.
template <int Columns, int Blocks>
__global__ void __launch_bounds__(m2l_threads, Blocks)
    m2l_kernel(const __grid_constant__ M2LView operators, double scale, const __grid_constant__ M2LList list,
               const __grid_constant__ M2LSources sources, int cluster, double* __restrict__ locals) {
  constexpr bool Ahead = Blocks == 1;
  const Layout<Columns> layout(operators.stride);
  double* memory = device::shared_memory();
  auto* work = reinterpret_cast<Work<Columns>*>(memory + layout.work);
  auto* targets = reinterpret_cast<std::int32_t*>(memory + layout.targets);
  auto* active = reinterpret_cast<std::int32_t*>(memory + layout.active);
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * Columns;  // rank of the first target
  const int tile = first / m2l_tile;
  const int me = device::cluster_rank();

  for (int i = thread; i < layout.parts; i += m2l_threads) memory[i] = 0;
  for (int i = thread; i < Columns; i += m2l_threads) targets[i] = -1;
  if (thread < 32) find_directions(list, tile, active);
  __syncthreads();
  const int count = active[directions];
  for (int batch = me; batch < count; batch += m2l_warps * cluster) {
    if (batch != me) __syncthreads();  // the last batch is still in use
    if (const int i = batch + thread / 32 * cluster; i < count)
      look_up(operators, list, sources, tile, first, active[i], work[thread / 32], targets);
    __syncthreads();
    for (int w = 0; w < m2l_warps && batch + w * cluster < count; ++w) {
      const Work<Columns>& now = work[w];
      if (now.count == 0) continue;
      for (int rank = 0; rank < now.padded; rank += ranks) {
        if (Columns > 16 && now.count > 16)
          multiply<Ahead, Columns / 16>(operators, scale, now, rank, layout, memory);
        else
          multiply<Ahead, 1>(operators, scale, now, rank, layout, memory);
      }
    }
  }

  device::sync_cluster();
  for (int column = 0; column < Columns; ++column) {
    std::int32_t target = -1;
    for (int block = 0; block < cluster && target < 0; ++block) target = device::shared_of(targets, block)[column];
    if (target < 0) continue;
    double* out = locals + static_cast<std::int64_t>(target) * operators.stride;
    for (int i = me * m2l_threads + thread; i < operators.size; i += cluster * m2l_threads) {
      double sum = 0;
      for (int block = 0; block < cluster; ++block) sum += device::shared_of(memory, block)[column * layout.pitch + i];
      out[i] += sum;
    }
  }
  device::sync_cluster();  // the others may still read from this block's memory
}

template <int Columns>
std::size_t bytes(const M2LView& operators) {
  return static_cast<std::size_t>(Layout<Columns>(operators.stride).total) * sizeof(double);
}

template <int Columns, int Blocks>
void start(const M2LView& operators, double scale, const M2LList& list, const M2LSources& sources, double* locals,
           cudaStream_t stream, int most_in_cluster) {
  const int tiles = list.tiles * (m2l_tile / Columns);
  // as many thread blocks as run at once, or up to a quarter more
  int cluster = 1;
  if (device::has_clusters(m2l_kernel<Columns, Blocks>)) {
    constexpr int reserved = 1024;  // of each thread block's shared memory
    const int fit = device::attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
                    (static_cast<int>(bytes<Columns>(operators)) + reserved);
    const int at_once = std::clamp(fit, 1, Blocks) * device::attribute(cudaDevAttrMultiProcessorCount);
    while (cluster < most_in_cluster && 2 * cluster * tiles <= at_once + at_once / 4) cluster *= 2;
  }
  device::launch(m2l_kernel<Columns, Blocks>, dim3(static_cast<unsigned>(cluster), static_cast<unsigned>(tiles)),
                 m2l_threads, bytes<Columns>(operators), stream, cluster, operators, scale, list, sources, cluster,
                 locals);
}

/// Measured on H200 (bench_fmm_cuda).
M2LVariant choose(const M2LView& operators, const M2LList& list) {
  constexpr int small_basis = 64;
  constexpr int few_tiles = 48;
  const auto most = static_cast<std::size_t>(device::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (operators.size <= small_basis && list.tiles <= few_tiles) return M2LVariant::columns_16;
  if (2 * (bytes<32>(operators) + 1024) <= most) return M2LVariant::columns_32;
  if (bytes<32>(operators) <= most) return M2LVariant::columns_32_ahead;
  if (bytes<16>(operators) <= most) return M2LVariant::columns_16;
  return M2LVariant::simple;
}

}  // namespace

void m2l(const M2LView& operators, double scale, const M2LList& list, const M2LSources& sources, double* locals,
         cudaStream_t stream, M2LVariant variant, int most_in_cluster) {
  if (list.tiles == 0) return;
  switch (variant == M2LVariant::best ? choose(operators, list) : variant) {
    case M2LVariant::columns_16:
      return start<16, 2>(operators, scale, list, sources, locals, stream, most_in_cluster);
    case M2LVariant::columns_32:
      return start<32, 2>(operators, scale, list, sources, locals, stream, most_in_cluster);
    case M2LVariant::columns_32_ahead:
      return start<32, 1>(operators, scale, list, sources, locals, stream, most_in_cluster);
    default:
      device::launch(m2l_simple_kernel, dim3(static_cast<unsigned>(list.tiles)), simple_threads,
                     static_cast<std::size_t>(operators.stride) * sizeof(double), stream, 1, operators, scale, list,
                     sources, locals);
  }
}

}  // namespace asterism::fmm::cuda
