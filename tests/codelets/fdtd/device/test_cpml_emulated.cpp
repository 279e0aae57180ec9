// SPDX-License-Identifier: Apache-2.0
// The device code of absorbing layers run on the host: the bits of the CPU.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codelets/fdtd/kernels/media/cpml.cuh"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/open.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdCpmlEmulated : public ::testing::Test {
 protected:
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
  template <Field field>
  static void absorb(OpenDomain<T>& d, const Box& cells, std::vector<T> (&psi)[3], std::vector<T>& to) {
    const Part<T>& p = d.domain.parts[0];
    constexpr bool electric = field == Field::electric;
    const Media<T> media = electric ? p.e_media() : p.h_media();
    const cuda::Absorb<T> a = cuda::describe_layers(
        field, p.grid, cells, electric ? d.domain.setting.e_factors() : d.domain.setting.h_factors(), media,
        d.absorbers[0].layers);
    const T* const from = p.field(electric ? Field::magnetic : Field::electric).data();
    const Psi<T> kept{{psi[0].data(), psi[1].data(), psi[2].data()}};
    const Stretch<T>* const stretch = d.stretch[static_cast<int>(field)].data();
    cuda_on_host::launch((a.pieces.first[6] + 31) / 32, 32, [&] {
      if (media.index == nullptr)
        cuda::absorb_kernel<field, false, T>(a, stretch, from, kept, to.data());
      else
        cuda::absorb_kernel<field, true, T>(a, stretch, from, kept, to.data());
    });
  }
  template <Field field>
  void expect_same(OpenDomain<T>& d, const Box& b) {
    const Part<T>& p = d.domain.parts[0];
    constexpr bool electric = field == Field::electric;
    OpenDomain<T> host = d;
    const auto& before = d.absorbers[0].psi[static_cast<int>(field)];
    std::vector<T> psi[3] = {before[0], before[1], before[2]};
    std::vector<T> to = p.field(field);
    absorb<field>(d, b, psi, to);
    Part<T>& h = host.domain.parts[0];
    cpu::absorb(field, p.grid, b, electric ? d.domain.setting.e_factors() : d.domain.setting.h_factors(),
                electric ? p.e_media() : p.h_media(), host.absorber(0, field),
                p.field(electric ? Field::magnetic : Field::electric).data(), h.field(field).data());
    EXPECT_TRUE(same(to, h.field(field)));
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_TRUE(same(psi[axis], host.absorbers[0].psi[static_cast<int>(field)][axis]));
    const bool touched = absorbing_entries(field, p.grid, b, d.absorbers[0].layers) > 0;
    EXPECT_EQ(same(to, p.field(field)), !touched);
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdCpmlEmulated, Precisions);

TYPED_TEST(FdtdCpmlEmulated, Absorb) {
  struct Case {
    std::size_t boundary;
    Cpml cpml;
  };
  for (const Case& c : {Case{0, {{2, 3, 1, 2, 5, 4}}}, Case{0, {{0, 6, 0, 0, 0, 0}}}, Case{3, {{0, 0, 4, 0, 0, 6}}},
                        Case{7, {{2, 0, 3, 0, 9, 0}}}, Case{5, {{2, 0, 0, 0, 0, 0}}}})
    for (const int variant : {0, 1, 2, 3}) {
      const bool materials = variant % 2 == 1;
      Setting s{{6, 5, 19}};
      s.face = cases::boundaries[c.boundary].second;
      if (variant / 2 == 1) s = cases::graded(s);
      OpenDomain<TypeParam> d(materials ? cases::with_materials(s) : s, c.cpml);
      d.domain.randomize();
      d.step();
      d.step();
      for (const Box& b : {Box{0, 6, 0, 5, 0, 19}, Box{5, 6, 0, 5, 0, 19}, Box{0, 1, 2, 5, 3, 18},
                           Box{1, 5, 1, 4, 0, 1}, Box{2, 2, 0, 5, 0, 19}}) {
        SCOPED_TRACE(testing::Message() << "boundary " << c.boundary << ", materials " << materials << ", " << b.x0);
        this->template expect_same<Field::magnetic>(d, b);
        this->template expect_same<Field::electric>(d, b);
      }
    }
}

}  // namespace
}  // namespace asterism::fdtd
