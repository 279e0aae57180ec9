// SPDX-License-Identifier: Apache-2.0
// Absorbing layers on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/media/cpml_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/open.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdCpmlCuda : public CudaTest {
 protected:
  /// Half-steps of one sub-domain without periodic or magnetic faces, field by field.
  void expect_steps(const Setting& s, const Cpml& cpml) {
    OpenDomain<T> host(s, cpml);
    host.domain.randomize();
    const Part<T>& p = host.domain.parts[0];
    const Grid& g = p.grid;
    const DeviceArray<T> fields[2] = {{stream_, p.e}, {stream_, p.h}};
    const DeviceArray<std::uint16_t> indices[2] = {{stream_, p.e_index}, {stream_, p.h_index}};
    const DeviceArray<Coefficients<T>> tables[2] = {{stream_, p.e_table}, {stream_, p.h_table}};
    const DeviceArray<Stretch<T>> stretches[2] = {{stream_, host.stretch[0]}, {stream_, host.stretch[1]}};
    const auto& kept = host.absorbers[0].psi;
    const DeviceArray<T> psi[2][3] = {{{stream_, kept[0][0]}, {stream_, kept[0][1]}, {stream_, kept[0][2]}},
                                      {{stream_, kept[1][0]}, {stream_, kept[1][1]}, {stream_, kept[1][2]}}};
    for (int step = 0; step < 6; ++step) {
      SCOPED_TRACE(step);
      for (const Field f : {Field::magnetic, Field::electric}) {
        const auto m = static_cast<std::size_t>(f);
        const Media<T> media = p.e_index.empty() ? Media<T>{} : Media<T>{indices[m].data(), tables[m].data()};
        const Factors factors = f == Field::electric ? s.e_factors() : s.h_factors();
        const Psi<T> of{{psi[m][0].data(), psi[m][1].data(), psi[m][2].data()}};
        for (const Box& b : {Box{0, 1, 0, g.n[1], 0, g.n[2]}, Box{1, g.n[0], 0, g.n[1], 0, g.n[2]}}) {
          cuda::update(f, g, b, factors, media, fields[1 - m].data(), fields[m].data(), stream_);
          cuda::absorb(f, g, b, factors, media, host.absorbers[0].layers, stretches[m].data(), fields[1 - m].data(), of,
                       fields[m].data(), stream_);
        }
      }
      host.step();
      expect_same(fields[0].values(), p.e, "E");
      expect_same(fields[1].values(), p.h, "H");
      for (std::size_t m = 0; m < 2; ++m)
        for (std::size_t axis = 0; axis < 3; ++axis) expect_same(psi[m][axis].values(), kept[m][axis], "psi");
      if (::testing::Test::HasFailure()) return;
    }
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdCpmlCuda, Precisions);

TYPED_TEST(FdtdCpmlCuda, Steps) {
  Setting s{{23, 27, 70}};
  s.face = cases::boundaries[0].second;
  for (const Cpml& cpml : {Cpml{{10, 10, 10, 10, 10, 10}}, Cpml{{0, 5, 3, 0, 0, 0}}, Cpml{{0, 0, 0, 0, 40, 30}}}) {
    SCOPED_TRACE(cpml.cells[5]);
    this->expect_steps(s, cpml);
    this->expect_steps(cases::with_materials(s), cpml);
  }
}

TYPED_TEST(FdtdCpmlCuda, NothingToDo) {
  const Face box[6] = {cases::pec, cases::pec, cases::pec, cases::pec, cases::pec, cases::pec};
  const Grid g = make_grid(8, 8, 8, box, sizeof(TypeParam));
  const Layers l = layers_of({{2, 2, 2, 2, 2, 2}}, g, {0, 0, 0}, {8, 8, 8});
  const Psi<TypeParam> none{};
  for (const Box& b : {Box{2, 6, 2, 6, 2, 6}, Box{0, 0, 0, 8, 0, 8}})
    EXPECT_NO_THROW(
        cuda::absorb<TypeParam>(Field::electric, g, b, {}, {}, l, nullptr, nullptr, none, nullptr, this->stream_));
}

}  // namespace
}  // namespace asterism::fdtd
