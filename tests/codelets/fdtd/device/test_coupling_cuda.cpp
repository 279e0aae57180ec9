// SPDX-License-Identifier: Apache-2.0
// Coupled edges on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "codelets/fdtd/kernels/media/coupling_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/coupled_edges.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdCouplingCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdCouplingCuda, Precisions);

TYPED_TEST(FdtdCouplingCuda, Step) {
  using T = TypeParam;
  CoupledCase<T> c;
  const DeviceArray<T> before(this->stream_, c.e), change(this->stream_, c.change), other(this->stream_, c.other);
  const DeviceArray<std::int64_t> places(this->stream_, c.places);
  const DeviceArray<std::int32_t> first(this->stream_, c.first);
  const DeviceArray<CoupledTerm<T>> terms(this->stream_, c.terms);
  cuda::keep<T>(c.count(), places.data(), before.data(), change.data(), this->stream_);
  cpu::keep(c.count(), c.places.data(), c.e.data(), c.change.data());
  c.update();
  const DeviceArray<T> e(this->stream_, c.e);
  cuda::take_change<T>(c.count(), places.data(), e.data(), change.data(), this->stream_);
  cpu::take_change(c.count(), c.places.data(), c.e.data(), c.change.data());
  cuda::couple<T>({c.count(), places.data(), first.data(), terms.data()}, {{change.data(), other.data()}}, e.data(),
                  this->stream_);
  cpu::couple<T>({c.count(), c.places.data(), c.first.data(), c.terms.data()}, {{c.change.data(), c.other.data()}},
                 c.e.data());
  EXPECT_EQ(e.values(), c.e);
  EXPECT_EQ(change.values(), c.change);
}

}  // namespace
}  // namespace asterism::fdtd
