// SPDX-License-Identifier: Apache-2.0
// Absorbing layers on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <deque>
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

/// Several steps in one pass take layers and probes with them.
TYPED_TEST(FdtdCpmlCuda, SeveralStepsAtOnce) {
  using T = TypeParam;
  for (const Cpml& cpml : {Cpml{{5, 4, 10, 6, 7, 9}}, Cpml{{0, 8, 0, 0, 0, 0}}, Cpml{{0, 0, 3, 0, 0, 40}}})
    for (const bool materials : {false, true})
      for (const int steps : cases::steps_at_once<T>) {
        SCOPED_TRACE(testing::Message() << cpml.cells[1] << " cells, " << steps << " steps, materials " << materials);
        Setting s{{39, 89, 90}};
        s.face = cases::boundaries[0].second;
        if (materials) s = cases::with_materials(s);
        OpenDomain<T> host(s, cpml);
        host.domain.randomize();
        host.step();
        const Part<T>& p = host.domain.parts[0];
        const std::vector<ProbePlace> places = {{p.grid.at(2, 3, 25, 89), Field::electric},
                                                {p.grid.at(0, 17, 1, 2), Field::magnetic},
                                                {p.grid.at(1, 14, 33, 30), Field::electric}};
        std::vector<T> expected;
        const DeviceArray<ProbePlace> at(this->stream_, places);
        const DeviceArray<T> record(this->stream_, places.size() * as_size(steps), 0);
        const DeviceArray<T> from[2] = {{this->stream_, p.e}, {this->stream_, p.h}};
        const DeviceArray<T> to[2] = {{this->stream_, p.e}, {this->stream_, p.h}};
        const DeviceArray<std::uint16_t> indices[2] = {{this->stream_, p.e_index}, {this->stream_, p.h_index}};
        const DeviceArray<Coefficients<T>> tables[2] = {{this->stream_, p.e_table}, {this->stream_, p.h_table}};
        const DeviceArray<Stretch<T>> stretches[2] = {{this->stream_, host.stretch[0]},
                                                      {this->stream_, host.stretch[1]}};
        std::deque<DeviceArray<T>> psi;  // from and to, of a field and axis
        for (int copy = 0; copy < 2; ++copy)
          for (const auto& of_field : host.absorbers[0].psi)
            for (const auto& of_axis : of_field) psi.emplace_back(this->stream_, of_axis);
        const auto psi_of = [&](std::size_t copy, std::size_t f) {
          const std::size_t first = 6 * copy + 3 * f;
          return Psi<T>{{psi[first].data(), psi[first + 1].data(), psi[first + 2].data()}};
        };
        const auto media = [&](std::size_t f) {
          return materials ? Media<T>{indices[f].data(), tables[f].data()} : Media<T>{};
        };
        const Layers& layers = host.absorbers[0].layers;
        const cuda::BesideSteps<T> beside{
            {&layers, stretches[1].data(), psi_of(0, 1)},
            {&layers, stretches[0].data(), psi_of(0, 0)},
            psi_of(1, 1),
            psi_of(1, 0),
            {static_cast<std::int32_t>(places.size()), places.data(), at.data(), record.data()}};
        cuda::update_steps<T>(p.grid, steps, {0, s.n[0]}, s.h_factors(), s.e_factors(), media(1), media(0), nullptr, 0,
                              beside, from[1].data(), from[0].data(), to[1].data(), to[0].data(), this->stream_);
        for (int step = 0; step < steps; ++step) {
          host.step();
          for (const ProbePlace& place : places) expected.push_back(p.field(place.field)[as_size(place.at)]);
        }
        expect_same(to[0].values(), p.e, "E");
        expect_same(to[1].values(), p.h, "H");
        for (std::size_t f = 0; f < 2; ++f)
          for (std::size_t axis = 0; axis < 3; ++axis)
            expect_same(psi[6 + 3 * f + axis].values(), host.absorbers[0].psi[f][axis], "psi");
        EXPECT_EQ(record.values(), expected);
        if (::testing::Test::HasFailure()) return;
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
