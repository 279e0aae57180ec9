// SPDX-License-Identifier: Apache-2.0
// Dispersive media on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/media/dispersive_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/dispersive_cases.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdDispersiveCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdDispersiveCuda, Precisions);

TYPED_TEST(FdtdDispersiveCuda, Steps) {
  using T = TypeParam;
  Setting uniform{{13, 17, 70}};
  uniform.face = cases::boundaries[0].second;
  for (const Setting& cells : {uniform, cases::graded(uniform)}) {
    SCOPED_TRACE(cells.mesh.graded() ? "graded" : "uniform");
    const Setting s = cases::with_materials(cells);
    OpenDomain<T> host(s, {}, {}, cases::poles());
    cases::randomize(host);
    const Part<T>& p = host.domain.parts[0];
    const Grid& g = p.grid;
    const auto& own = host.dispersions[0];
    const DeviceArray<T> e(this->stream_, p.e), h(this->stream_, p.h), state(this->stream_, own.state);
    const DeviceArray<T> e_lengths(this->stream_, p.e_lengths), h_lengths(this->stream_, p.h_lengths);
    const DeviceArray<std::uint16_t> e_index(this->stream_, p.e_index), h_index(this->stream_, p.h_index);
    const DeviceArray<Coefficients<T>> e_table(this->stream_, p.e_table), h_table(this->stream_, p.h_table);
    const DeviceArray<PoleRange> ranges(this->stream_, own.media.ranges);
    const DeviceArray<PoleCoefficients<T>> poles(this->stream_, own.media.poles);
    Media<T> e_media{e_index.data(), e_table.data()}, h_media{h_index.data(), h_table.data()};
    if (s.mesh.graded()) {
      e_media.set_inverse_lengths(g, e_lengths.data());
      h_media.set_inverse_lengths(g, h_lengths.data());
    }
    for (int step = 0; step < 6; ++step) {
      SCOPED_TRACE(step);
      cuda::update<T>(Field::magnetic, g, g.cells(), s.h_factors(), h_media, e.data(), h.data(), this->stream_);
      for (const Box& b : {Box{0, 1, 0, g.n[1], 0, g.n[2]}, Box{1, g.n[0], 0, g.n[1], 0, g.n[2]}}) {
        cuda::update(Field::electric, g, b, s.e_factors(), e_media, h.data(), e.data(), this->stream_);
        cuda::disperse(g, b, e_media, {ranges.data(), poles.data()}, own.media.states, state.data(), e.data(),
                       this->stream_);
      }
      host.step();
      expect_same(e.values(), p.e, "E");
      expect_same(h.values(), p.h, "H");
      expect_same(state.values(), own.state, "state");
      if (::testing::Test::HasFailure()) return;
    }
    cuda::disperse<T>(g, {3, 3, 0, 5, 0, 5}, e_media, {}, own.media.states, nullptr, nullptr, this->stream_);
    cuda::disperse<T>(g, g.cells(), e_media, {}, {{}, 1}, nullptr, nullptr, this->stream_);
  }
}

}  // namespace
}  // namespace asterism::fdtd
