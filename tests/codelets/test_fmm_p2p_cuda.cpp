// P2P on the GPU, every variant, against sums in long double (small sets) and the CPU (large ones). Without a GPU every
// test is skipped; test_fmm_p2p_emulated.cpp runs the same device code on the host.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "codelets/fmm/p2p_cuda.hpp"
#include "tests/benchmarks/p2p_grid.hpp"
#include "tests/codelets/fmm_reference.hpp"
#include "tests/codelets/fmm_user_kernel.hpp"

namespace asterism::fmm {
namespace {

using reference::Field;
using reference::Leaves;

const std::vector<int> sizes = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 172};

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Device memory for n elements, one element past an aligned address, between guards of 64; filled with NaN bytes.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : size_(n) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes()));
    memory_ = static_cast<T*>(memory);
    check(cudaMemset(memory_, 0xff, bytes()));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    if (!values.empty()) check(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* data() const { return memory_ + guard; }
  /// Fails the test if anything was written outside.
  [[nodiscard]] std::vector<T> values() const {
    std::vector<unsigned char> all(bytes());
    check(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost));
    const auto untouched = [](unsigned char c) { return c == 0xff; };
    const auto first = static_cast<std::ptrdiff_t>(guard * sizeof(T));
    const auto last = static_cast<std::ptrdiff_t>((guard + size_) * sizeof(T));
    EXPECT_TRUE(std::all_of(all.begin(), all.begin() + first, untouched)) << "written before the array";
    EXPECT_TRUE(std::all_of(all.begin() + last, all.end(), untouched)) << "written behind the array";
    std::vector<T> out(size_);
    if (size_ > 0) std::memcpy(out.data(), all.data() + first, size_ * sizeof(T));
    return out;
  }

 private:
  static constexpr std::size_t guard = 65;
  [[nodiscard]] std::size_t bytes() const { return (size_ + 2 * guard) * sizeof(T); }
  std::size_t size_;
  T* memory_ = nullptr;
};

/// Leaves on the device; the lists that only the CPU reads stay away.
template <class L>
struct DeviceLeaves {
  DeviceArray<std::int32_t> begin, source_begin, source;
  DeviceArray<double> x, y, z, q;
  P2PSet set;

  explicit DeviceLeaves(const L& l)
      : begin(l.begin),
        source_begin(l.source_begin),
        source(l.source),
        x(l.x),
        y(l.y),
        z(l.z),
        q(l.q),
        set{l.set().own_leaves, l.set().leaves, begin.data(), nullptr, nullptr, source_begin.data(), source.data()} {}
  [[nodiscard]] SourceView particles() const { return {x.data(), y.data(), z.data(), q.data()}; }
};

class FmmP2PCuda : public ::testing::TestWithParam<cuda::Variant> {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      cudaGetLastError();  // "no device" is not an error of the next call
      GTEST_SKIP() << "no CUDA device";
    }
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  /// Runs twice: no bit may differ.
  template <class Kernel, class L>
  [[nodiscard]] Field run(const Kernel& kernel, const L& leaves) const {
    const DeviceLeaves<L> device(leaves);
    const std::size_t n = leaves.x.size();
    Field f(n);
    for (const bool again : {false, true}) {
      const DeviceArray<double> potential(n), fx(n), fy(n), fz(n);
      check(cudaDeviceSynchronize());
      cuda::p2p(kernel, device.set, device.particles(), {potential.data(), fx.data(), fy.data(), fz.data()}, stream_,
                GetParam());
      check(cudaStreamSynchronize(stream_));
      const Field last = f;
      f.potential = potential.values();
      f.fx = fx.values(), f.fy = fy.values(), f.fz = fz.values();
      if (again) {
        EXPECT_TRUE(last.potential == f.potential && last.fx == f.fx && last.fy == f.fy && last.fz == f.fz)
            << "two runs differ";
      }
    }
    return f;
  }
  void compare(const Leaves& leaves) const {
    const auto yukawa = [](long double r) { return reference::yukawa(1.75L, r); };
    const auto plummer = [](long double r) { return reference::plummer(0.25L, r); };
    const Field laplace = reference::p2p(reference::laplace, leaves);
    EXPECT_LE(error(laplace, run(Laplace{}, leaves)), 1e-12);
    EXPECT_LE(error(laplace, run(user::Root{}, leaves)), 1e-12);
    EXPECT_LE(error(reference::p2p(reference::inverse_square, leaves), run(InverseSquare{}, leaves)), 1e-12);
    EXPECT_LE(error(reference::p2p(yukawa, leaves), run(Yukawa{1.75}, leaves)), 1e-12);
    EXPECT_LE(error(reference::p2p(plummer, leaves), run(user::Plummer{0.25}, leaves)), 1e-12);
  }

  cudaStream_t stream_ = nullptr;
};

TEST_P(FmmP2PCuda, TwoParticlesByHand) {
  for (const int where : {0, 1, 2}) {  // in one leaf, in two, one of them a ghost
    SCOPED_TRACE(where);
    Leaves l;
    l.own = where == 1 ? 2 : 1;
    l.add_particle(0, 0, 0, 2);
    if (where > 0) l.end_leaf();
    l.add_particle(2, 3, 6, 5);
    l.end_leaf();
    l.link({{0, where > 0 ? 1 : 0}});
    const auto near = [](double expected, double actual) {
      EXPECT_NEAR(expected, actual, 6e-16 * std::fabs(expected));
    };
    const Field f = run(Laplace{}, l);
    near(5.0 / 7, f.potential[0]), near(2.0 / 7, f.potential[1]);
    near(-10.0 / 343, f.fx[0]), near(4.0 / 343, f.fx[1]);
    near(-15.0 / 343, f.fy[0]), near(6.0 / 343, f.fy[1]);
    near(-30.0 / 343, f.fz[0]), near(12.0 / 343, f.fz[1]);
  }
}

TEST_P(FmmP2PCuda, OneAndTwoLeaves) {
  for (const int m : sizes) {
    SCOPED_TRACE(m);
    compare(reference::random_leaves({m}, 1, 1, false, static_cast<std::uint64_t>(m)));
    for (const int n : {0, 1, 31, 65}) compare(reference::random_leaves({m, n}, 1, 1, true, 7));
  }
}

/// The numbers of targets around every way of dividing a thread block.
TEST_P(FmmP2PCuda, EverySizeOfLeaf) {
  for (int first = 1; first < 300; first += 30) {
    SCOPED_TRACE(first);
    std::vector<int> particles(30);
    for (int k = 0; k < 30; ++k) particles[static_cast<std::size_t>(k)] = first + k;
    const Leaves l = reference::random_leaves(particles, 30, 0.1, false, 3);
    Field expected(l.x.size());
    p2p(Laplace{}, l.set(), l.particles(), expected.view());
    EXPECT_LE(error(expected, run(Laplace{}, l)), 1e-12);
  }
}

TEST_P(FmmP2PCuda, RandomNeighbours) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> particles;
    for (int copies = 0; copies < 3; ++copies) particles.insert(particles.end(), sizes.begin(), sizes.end());
    std::shuffle(particles.begin(), particles.end(), random);
    const auto own = static_cast<std::int32_t>(seed % 3 == 0 ? particles.size() : 5 + seed);
    SCOPED_TRACE(std::to_string(own) + " own leaves, seed " + std::to_string(seed));
    // 0.95 of 39 leaves: more neighbours than a block looks up at a time
    compare(reference::random_leaves(particles, own, seed % 2 == 0 ? 0.3 : 0.95, seed > 2, seed));
  }
}

TEST_P(FmmP2PCuda, NoLeaves) {
  Leaves l;
  l.link({});
  EXPECT_TRUE(run(Laplace{}, l).potential.empty());
}

TEST_P(FmmP2PCuda, GridOfLeaves) {
  for (const int per_leaf : {30, 114}) {
    const P2PGrid grid(6, 5, 7, per_leaf);
    Field expected(grid.x.size());
    p2p(Yukawa{2}, grid.set(), grid.particles(), expected.view());
    EXPECT_LE(error(expected, run(Yukawa{2}, grid)), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Variant, FmmP2PCuda, ::testing::ValuesIn(cuda::variants),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace asterism::fmm
