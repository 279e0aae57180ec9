// SPDX-License-Identifier: Apache-2.0
// The device code of coupled edges run on the host: the bits of the CPU, which are those of the formula.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/media/coupling.cuh"
#include "tests/codelets/fdtd/coupled_edges.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdCouplingEmulated : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdCouplingEmulated, Precisions);

TYPED_TEST(FdtdCouplingEmulated, Step) {
  using T = TypeParam;
  CoupledCase<T> c, d;
  const std::vector<T> before = c.e;
  cpu::keep(c.count(), c.places.data(), c.e.data(), c.change.data());
  c.update();
  const std::vector<T> updated = c.e;
  cpu::take_change(c.count(), c.places.data(), c.e.data(), c.change.data());
  const CoupledEdges<T> edges{c.count(), c.places.data(), c.first.data(), c.terms.data()};
  cpu::couple(edges, {{c.change.data(), c.other.data()}}, c.e.data());
  std::vector<T> expected = updated;
  for (std::size_t m = 0; m < c.places.size(); ++m) {
    T sum = 0;
    for (auto t = static_cast<std::size_t>(c.first[m]); t < static_cast<std::size_t>(c.first[m + 1]); ++t) {
      const auto edge = static_cast<std::size_t>(c.terms[t].edge);
      const auto at = static_cast<std::size_t>(c.places[edge < c.places.size() ? edge : 0]);
      sum += c.terms[t].factor * (c.terms[t].brick == 0 ? updated[at] - before[at] : c.other[edge]);
    }
    expected[static_cast<std::size_t>(c.places[m])] += sum;
  }
  EXPECT_EQ(c.e, expected);

  const unsigned blocks = (static_cast<unsigned>(d.count()) + 63) / 64;
  cuda_on_host::launch(blocks, 64,
                       [&] { cuda::keep_kernel<T>(d.count(), d.places.data(), d.e.data(), d.change.data()); });
  d.update();
  cuda_on_host::launch(blocks, 64,
                       [&] { cuda::take_change_kernel<T>(d.count(), d.places.data(), d.e.data(), d.change.data()); });
  cuda_on_host::launch(blocks, 64, [&] {
    cuda::couple_kernel<T>({d.count(), d.places.data(), d.first.data(), d.terms.data()},
                           {{d.change.data(), d.other.data()}}, d.e.data());
  });
  EXPECT_EQ(d.e, c.e);
  EXPECT_EQ(d.change, c.change);
}

}  // namespace
}  // namespace asterism::fdtd
