// SPDX-License-Identifier: Apache-2.0
// The device code of absorbing layers run on the host: the bits of the CPU.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "codelets/fdtd/kernels/media/cpml.cuh"
#include "codelets/fdtd/kernels/update/steps.hpp"
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
  static void advance_at_once(const OpenDomain<T>& from, OpenDomain<T>& to, int steps) {
    OpenDomain<T> before = from;
    Part<T>& p = to.domain.parts[0];
    const Part<T>& q = before.domain.parts[0];
    const Setting& s = from.domain.setting;
    cuda::BesideSteps<T> beside{before.absorber(0, Field::magnetic), before.absorber(0, Field::electric),
                                to.absorbers[0].of(Field::magnetic), to.absorbers[0].of(Field::electric)};
    for (const cuda::StepsLaunch<T>& l : cuda::describe_steps<T>(p.grid, steps, {0, s.n[0]}, s.h_factors(),
                                                                 s.e_factors(), {}, {}, nullptr, 0, beside, 0, 4))
      cuda::with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
        cuda_on_host::launch(l.blocks, static_cast<unsigned>(columns), bytes,
                             [&] { kernel(l.steps, q.e.data(), q.h.data(), p.e.data(), p.h.data()); });
      });
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

/// A layer before one face of a domain of one tile.
TYPED_TEST(FdtdCpmlEmulated, SeveralStepsAtOnceBesideEachFace) {
  using T = TypeParam;
  for (std::size_t f = 0; f < 6; ++f)
    for (const int steps : cases::steps_at_once<T>) {
      SCOPED_TRACE(testing::Message() << face_names[f] << ", " << steps << " steps");
      Cpml cpml{};
      cpml.cells[f] = 5;
      Setting s{{13, 11, 15}};
      s.face = cases::boundaries[0].second;
      OpenDomain<T> d(s, cpml);
      d.domain.randomize();
      d.step();
      OpenDomain<T> found = d;
      this->advance_at_once(d, found, steps);
      for (int step = 0; step < steps; ++step) d.step();
      EXPECT_EQ(d.domain.differences(found.domain), 0U);
      EXPECT_EQ(different_psi(d, found), 0U);
    }
}

/// Several steps in one pass take layers and probes with them.
TYPED_TEST(FdtdCpmlEmulated, SeveralStepsAtOnce) {
  using T = TypeParam;
  const std::array<Face, 6> closed = cases::boundaries[0].second;
  const std::array<Face, 6> others{cases::pec, cases::pmc, cases::none, cases::none, cases::pec, cases::pmc};
  using Tiles = cuda::TilesWith;
  struct Case {
    std::array<Face, 6> face;
    Cpml cpml;
    std::set<Tiles> tiles, in_media;
  };
  for (const auto& [face, cpml, tiles, in_media] :
       {Case{closed,
             {{3, 2, 4, 6, 7, 9}},
             {Tiles::nothing, Tiles::ends, Tiles::layers_y, Tiles::layers_z, Tiles::layers_xy, Tiles::layers_zx,
              Tiles::layers_yz, Tiles::more},
             {Tiles::nothing, Tiles::more}},
        Case{closed,
             {{0, 4, 0, 0, 0, 0}},
             {Tiles::nothing, Tiles::sides, Tiles::ends, Tiles::more},
             {Tiles::nothing, Tiles::conductors, Tiles::more}},
        Case{closed,
             {{0, 0, 3, 0, 0, 13}},
             {Tiles::nothing, Tiles::sides, Tiles::ends, Tiles::conductors, Tiles::layers_y, Tiles::layers_z,
              Tiles::layers_xy, Tiles::layers_zx, Tiles::layers_yz, Tiles::more},
             {Tiles::nothing, Tiles::conductors, Tiles::more}},
        Case{others, {{3, 0, 0, 0, 7, 0}}, {}, {}}})
    for (const bool materials : {false, true})
      for (const int steps : cases::steps_at_once<T>) {
        if (face == others && !materials) continue;
        SCOPED_TRACE(testing::Message() << cpml.cells[1] << " cells, " << steps << " steps, materials " << materials);
        Setting s = steps == 4 ? Setting{{14, 59, 66}} : Setting{{14, 87, 90}};
        s.face = face;
        if (materials) s = cases::with_materials(s);
        OpenDomain<T> d(s, cpml);
        d.domain.randomize();
        d.step();
        const OpenDomain<T> before = d;
        OpenDomain<T> found = d;
        Part<T>& p = found.domain.parts[0];
        const std::vector<ProbePlace> places = {{p.grid.at(2, 3, 25, 65), Field::electric},
                                                {p.grid.at(0, 7, 1, 2), Field::magnetic},
                                                {p.grid.at(1, 4, 13, 20), Field::electric}};
        std::vector<T> record(places.size() * as_size(steps)), expected;
        Part<T> from = p;
        auto& psi = found.absorbers[0];
        auto psi_from = psi;
        cuda::BesideSteps<T> beside{
            found.absorber(0, Field::magnetic),
            found.absorber(0, Field::electric),
            psi.of(Field::magnetic),
            psi.of(Field::electric),
            {static_cast<std::int32_t>(places.size()), places.data(), places.data(), record.data()}};
        beside.h_layers.psi = psi_from.of(Field::magnetic);
        beside.e_layers.psi = psi_from.of(Field::electric);
        const auto launches = cuda::describe_steps<T>(from.grid, steps, {0, s.n[0]}, s.h_factors(), s.e_factors(),
                                                      from.h_media(), from.e_media(), nullptr, 0, beside, 5, 4);
        std::set<Tiles> of_launches;
        EXPECT_GT(launches.size(), 1U);
        for (const auto& l : launches)
          for (int r = 0; r < l.steps.regions; ++r) {
            of_launches.insert(l.steps.region[r].with);
            EXPECT_EQ(cuda::keeps_psi(l.steps.region[r].with), l.psi);
          }
        if (face == closed)
          EXPECT_EQ(of_launches, materials ? in_media : tiles);
        else
          EXPECT_EQ(of_launches.count(Tiles::faces), 1U);
        for (const cuda::StepsLaunch<T>& l : launches)
          cuda::with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
            cuda_on_host::launch(l.blocks, static_cast<unsigned>(columns), bytes,
                                 [&] { kernel(l.steps, from.e.data(), from.h.data(), p.e.data(), p.h.data()); });
          });
        for (int step = 0; step < steps; ++step) {
          d.step();
          for (const ProbePlace& place : places)
            expected.push_back(d.domain.parts[0].field(place.field)[as_size(place.at)]);
        }
        EXPECT_EQ(d.domain.differences(found.domain), 0U);
        EXPECT_EQ(different_psi(d, found), 0U);
        EXPECT_GT(different_psi(before, found), 0U);
        EXPECT_EQ(record, expected);
      }
}

}  // namespace
}  // namespace asterism::fdtd
