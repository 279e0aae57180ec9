// SPDX-License-Identifier: Apache-2.0
// The finite-difference time-domain kernels on a GPU give the bits of those on CPUs. Without a GPU every test is
// skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/observers/probes.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/cases.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdKernelsCuda : public CudaTest {
 protected:
  /// What a sub-domain has, in device memory.
  struct OnDevice {
    DeviceArray<T> e, h;
    DeviceArray<std::uint16_t> e_index, h_index;
    DeviceArray<Coefficients<T>> e_table, h_table;
    DeviceArray<double> eps_r, mu_r;
    DeviceArray<T> e_lengths, h_lengths;
    Grid grid;
    bool materials, graded;
    OnDevice(cudaStream_t stream, const Part<T>& p)
        : e(stream, p.e),
          h(stream, p.h),
          e_index(stream, p.e_index),
          h_index(stream, p.h_index),
          e_table(stream, p.e_table),
          h_table(stream, p.h_table),
          eps_r(stream, p.eps_r),
          mu_r(stream, p.mu_r),
          e_lengths(stream, p.e_lengths),
          h_lengths(stream, p.h_lengths),
          grid(p.grid),
          materials(!p.e_index.empty()),
          graded(!p.e_lengths.empty()) {}
    [[nodiscard]] Media<T> media(const std::uint16_t* index, const Coefficients<T>* table, const T* lengths) const {
      Media<T> media = materials ? Media<T>{index, table} : Media<T>{};
      if (graded) media.set_inverse_lengths(grid, lengths);
      return media;
    }
    [[nodiscard]] Media<T> e_media() const { return media(e_index.data(), e_table.data(), e_lengths.data()); }
    [[nodiscard]] Media<T> h_media() const { return media(h_index.data(), h_table.data(), h_lengths.data()); }
  };

  /// Both do the same steps of one sub-domain; after each, all entries and what is observed are compared.
  void expect_steps(const Setting& s, const cuda::Shape& shape) {
    Domain<T> host(s);
    host.randomize();
    const Part<T>& p = host.parts[0];
    const Grid& g = p.grid;
    const OnDevice d(stream_, p);
    const auto exchange = [&](Field f, T* u) {
      for (int axis = 0; axis < 3; ++axis) {
        if (s.face[as_size(2 * axis)] != Face::neighbour) continue;
        if (axis == 1) {
          cuda::wrap(g, f, axis, u, stream_);
          continue;
        }
        const Layer out = outgoing(g, f, axis);
        const DeviceArray<T> array(stream_, as_size(out.elements()), 0);
        cuda::pack(g, out, u, array.data(), stream_);
        cuda::unpack(g, incoming(g, f, axis), array.data(), u, stream_);
        check(cudaStreamSynchronize(stream_));
      }
    };
    for (int step = 0; step < 4; ++step) {
      SCOPED_TRACE(step);
      for (const Box& b : {Box{0, 1, 0, g.n[1], 0, g.n[2]}, Box{1, g.n[0], 0, g.n[1], 0, g.n[2]}})
        cuda::update(Field::magnetic, g, b, s.h_factors(), d.h_media(), d.e.data(), d.h.data(), stream_, shape);
      exchange(Field::magnetic, d.h.data());
      cuda::reflect(g, d.h.data(), stream_);
      cuda::update(Field::electric, g, g.cells(), s.e_factors(), d.e_media(), d.h.data(), d.e.data(), stream_, shape);
      cuda::add(g, 0, 2, 3, 4, T(0.5), d.e.data(), stream_);
      exchange(Field::electric, d.e.data());

      host.step();
      cpu::add(g, 0, 2, 3, 4, T(0.5), host.parts[0].e.data());
      host.exchange(Field::electric);
      expect_same(d.e.values(), p.e, "E");
      expect_same(d.h.values(), p.h, "H");

      const DeviceArray<double> planes(stream_, as_size(g.n[0]), 0);
      cuda::sum(Field::magnetic, g, g.cells(), 1, d.h.data(), planes.data(), stream_);
      std::vector<double> expected(as_size(g.n[0]));
      cpu::sum(Field::magnetic, g, g.cells(), 1, p.h.data(), expected.data());
      EXPECT_EQ(planes.values(), expected);
      const DeviceArray<Energy> energies(stream_, as_size(g.n[0]), 0);
      Densities densities = p.densities(s);
      if (d.materials) {
        densities.eps_r = d.eps_r.data();
        densities.mu_r = d.mu_r.data();
      }
      cuda::energy(g, g.cells(), s.h_factors(), d.h_media(), d.e_media(), densities, d.h.data(), d.e.data(),
                   energies.data(), stream_);
      const std::vector<Energy> found = energies.values();
      const std::vector<Energy> wanted = host.energies(p);
      EXPECT_EQ(std::memcmp(found.data(), wanted.data(), found.size() * sizeof(Energy)), 0);
      if (::testing::Test::HasFailure()) return;
    }
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdKernelsCuda, Precisions);

TYPED_TEST(FdtdKernelsCuda, EveryBoundary) {
  for (const auto& [name, face] : cases::boundaries) {
    SCOPED_TRACE(name);
    Setting s{{9, 7, 70}};
    s.face = face;
    this->expect_steps(s, {});
    this->expect_steps(cases::with_materials(s), {});
    this->expect_steps(cases::graded(s), {});
    this->expect_steps(cases::with_materials(cases::graded(s)), {});
  }
}

TYPED_TEST(FdtdKernelsCuda, Shapes) {
  Setting s{{21, 10, 37}};
  s.face = cases::boundaries[3].second;
  for (const cuda::Shape& shape :
       {cuda::Shape{32, 1, 1}, cuda::Shape{32, 8, 8}, cuda::Shape{256, 1, 3}, cuda::Shape{128, 2, 1000}}) {
    SCOPED_TRACE(shape.z);
    this->expect_steps(s, shape);
    this->expect_steps(cases::with_materials(s), shape);
  }
}

TYPED_TEST(FdtdKernelsCuda, StepsAtOnce) {
  using T = TypeParam;
  const int n = sanitized() ? 11 : 37;
  for (const std::size_t boundary : {0U, 2U, 4U, 5U})
    for (const bool materials : {false, true})
      for (const int steps : cases::steps_at_once<T>)
        for (const auto& [planes, needed] : std::initializer_list<std::pair<int, Planes>>{
                 {0, {0, n}}, {(n - 5) / 2, {0, n}}, {1000, {0, n}}, {0, {n / 4, n - n / 5}}, {5, {1, n}}}) {
          SCOPED_TRACE(testing::Message() << steps << " steps, planes " << needed.first << " to " << needed.end);
          if (boundary > 0 && planes > 0) continue;
          Setting s{{n, 91, 131}};  // tiles of all kinds
          s.face = cases::boundaries[boundary].second;
          Domain<T> host(materials ? cases::with_materials(s) : s);
          host.randomize();
          const Part<T>& p = host.parts[0];
          const typename TestFixture::OnDevice d(this->stream_, p);
          const std::vector<T> values = {1, 2, 3, 4};
          const Source<T> source{2, n / 2 - 2, 25, 59, values.data()};
          const DeviceArray<T> h(this->stream_, p.h.size(), 0);
          const DeviceArray<T> e(this->stream_, p.e.size(), 0);
          cuda::update_steps<T>(p.grid, steps, needed, s.h_factors(), s.e_factors(), d.h_media(), d.e_media(), &source,
                                1, {}, d.h.data(), d.e.data(), h.data(), e.data(), this->stream_, planes);
          for (int step = 0; step < steps; ++step) {
            host.step();
            cpu::add(p.grid, 2, n / 2 - 2, 25, 59, values[as_size(step)], host.parts[0].e.data());
            host.exchange(Field::electric);
          }
          for (const Field f : {Field::electric, Field::magnetic}) {
            const std::vector<T> found = (f == Field::electric ? e : h).values();
            for (int c = 0; c < 3; ++c) {
              const Box updated = p.grid.entries(f, c, p.grid.cells());
              for (int i = updated.x0; i < s.n[0]; ++i)
                for (int j = updated.y0; j < s.n[1]; ++j) {
                  const std::size_t at = as_size(p.grid.at(c, i, j, updated.z0));
                  const bool is_needed = i >= needed.first && i < needed.end;
                  if (is_needed) {
                    ASSERT_EQ(std::memcmp(&found[at], &p.field(f)[at], as_size(s.n[2] - updated.z0) * sizeof(T)), 0)
                        << static_cast<int>(f) << c << ": " << i << ' ' << j;
                  } else {
                    ASSERT_TRUE(std::isnan(found[at])) << static_cast<int>(f) << c << ": " << i << ' ' << j;
                  }
                }
            }
          }
        }
}

TYPED_TEST(FdtdKernelsCuda, Probes) {
  using T = TypeParam;
  std::vector<T> values(1000), expected(300);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<T>(n);
  std::vector<ProbePlace> places;
  for (int n = 0; n < 300; ++n) places.push_back({7 * n % 500, n % 3 == 0 ? Field::electric : Field::magnetic});
  cpu::record(300, places.data(), values.data(), values.data() + 500, expected.data());
  const DeviceArray<T> fields(this->stream_, values);
  const DeviceArray<ProbePlace> at(this->stream_, places);
  const DeviceArray<T> row(this->stream_, 300, 0);
  cuda::record(300, at.data(), fields.data(), fields.data() + 500, row.data(), this->stream_);
  expect_same(row.values(), expected, "row");
}

TYPED_TEST(FdtdKernelsCuda, NothingToDo) {
  using T = TypeParam;
  const Grid g = make_grid(4, 4, 4, {}, sizeof(T));
  const std::vector<T> ones(as_size(g.elements()), 1);
  const DeviceArray<T> e(this->stream_, ones);
  cuda::update<T>(Field::electric, g, {2, 2, 0, 4, 0, 4}, {}, {}, e.data(), e.data(), this->stream_);
  cuda::reflect(g, e.data(), this->stream_);
  cuda::sum<T>(Field::electric, g, {1, 1, 0, 4, 0, 4}, 0, e.data(), nullptr, this->stream_);
  expect_same(e.values(), ones, "nothing");
  EXPECT_THROW(cuda::update<T>(Field::electric, g, g.cells(), {}, {}, e.data(), e.data(), this->stream_, {48, 2, 1}),
               std::invalid_argument);
}

}  // namespace
}  // namespace asterism::fdtd
