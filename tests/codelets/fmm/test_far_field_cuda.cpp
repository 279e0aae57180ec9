// SPDX-License-Identifier: Apache-2.0
// The far-field operators on GPUs against those on CPUs, which test_fmm_far_field.cpp checks, and against themselves:
// the same input gives the same bits. Without a GPU every test is skipped.
#include "base/as_size.hpp"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fmm/cases.hpp"

namespace asterism::fmm {
namespace {

using cases::Generator;
using cases::grid;
using Vector = std::vector<double>;

constexpr double tolerance = 1e-12;

struct NamedBasis {
  const char* name;
  BasisChoice choice;
};
const std::vector<NamedBasis> bases = {
    {"order 1", {1, -1}},   {"order 3", {3, -1}},   {"ball of order 4", {4, 12.25}}, {"order 5", {5, -1}},
    {"ball of 7", {7, 38}}, {"ball of 9", {9, 76}}, {"ball of 12", {12, 121}},
};

/// |actual - expected| <= tolerance max |expected| everywhere.
::testing::AssertionResult close(const Vector& expected, const Vector& actual) {
  if (expected.size() != actual.size()) return ::testing::AssertionFailure() << "sizes differ";
  double scale = 0;
  for (const double e : expected) scale = std::max(scale, std::abs(e));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(expected[i] - actual[i]) <= tolerance * scale))
      return ::testing::AssertionFailure() << "element " << i << " of " << expected.size() << ": " << actual[i]
                                           << " instead of " << expected[i] << ", largest " << scale;
  return ::testing::AssertionSuccess();
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

class FarFieldCuda : public CudaTest, public ::testing::WithParamInterface<NamedBasis> {
 protected:
  /// Runs `launch(out)` twice from `before`; what it leaves must have the same bits.
  template <class Launch>
  [[nodiscard]] Vector twice(const Vector& before, Launch launch) const {
    Vector result;
    for (int time = 0; time < 2; ++time) {
      const auto out = upload(before);
      launch(out.data());
      const Vector values = out.values();
      if (time == 0) {
        result = values;
      } else {
        EXPECT_TRUE(same_bits(result, values)) << "not deterministic";
      }
    }
    return result;
  }
};

/// A basis and its shift matrix in device memory.
struct DeviceBasis {
  DeviceBasis(cudaStream_t stream, const Basis& basis)
      : host(basis.view()),
        begin(copy(stream, host.row_begin, host.rows + 1)),
        a(copy(stream, host.row_a, host.rows)),
        b(copy(stream, host.row_b, host.rows)),
        of(copy(stream, host.row_of, host.order * host.order)),
        shift(stream, shift_matrix(host.order)) {}
  [[nodiscard]] BasisView view() const {
    return {host.order, host.size, host.stride, host.rows, begin.data(), a.data(), b.data(), of.data()};
  }
  static DeviceArray<std::int32_t> copy(cudaStream_t stream, const std::int32_t* from, int count) {
    return {stream, std::vector<std::int32_t>(from, from + count)};
  }
  BasisView host;
  DeviceArray<std::int32_t> begin, a, b, of;
  DeviceArray<double> shift;
};

/// Counts of particles around the widths of warps, chunks and thread blocks, and leaves without any.
std::vector<int> particle_counts(std::size_t cells) {
  static const std::vector<int> typical = {1, 0, 7, 8, 9, 0, 0, 15, 16, 17, 31, 32, 33, 63, 64, 65, 114, 172, 300, 2};
  std::vector<int> counts(cells);
  for (std::size_t i = 0; i < cells; ++i) counts[i] = typical[i % typical.size()];
  return counts;
}

class Operators : public FarFieldCuda {};

TEST_P(Operators, P2M) {
  const Basis basis(GetParam().choice);
  const DeviceBasis on_device(stream_, basis);
  Generator generator(1);
  const auto cells = cases::box({3, -2, 5}, {3, 4, 3}, 0.9, generator);
  const auto p = cases::particles_in(cells, grid, particle_counts(cells.size()), generator);
  const auto count = static_cast<std::int32_t>(cells.size());
  const Vector before(cells.size() * as_size(basis.stride()), 7.0);
  Vector expected = before;
  cpu::p2m(basis.view(), grid, {count, cells.data(), p.begin.data()}, {p.x.data(), p.y.data(), p.z.data(), p.q.data()},
           expected.data());

  const auto begin = upload(p.begin);
  const auto place = upload(cells);
  const auto x = upload(p.x), y = upload(p.y, 1), z = upload(p.z), q = upload(p.q, 1);
  const Vector actual = twice(before, [&](double* out) {
    cuda::p2m(on_device.view(), grid, {count, place.data(), begin.data()}, {x.data(), y.data(), z.data(), q.data()},
              out, stream_);
  });
  EXPECT_TRUE(close(expected, actual));
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    for (int i = basis.size(); i < basis.stride(); ++i)
      EXPECT_EQ(actual[cell * as_size(basis.stride()) + as_size(i)], 0);
}

TEST_P(Operators, L2P) {
  const Basis basis(GetParam().choice);
  const DeviceBasis on_device(stream_, basis);
  Generator generator(2);
  const auto cells = cases::box({3, -2, 5}, {3, 4, 3}, 0.9, generator);
  const auto p = cases::particles_in(cells, grid, particle_counts(cells.size()), generator);
  const auto count = static_cast<std::int32_t>(cells.size());
  const auto n = static_cast<std::int32_t>(p.x.size());
  const Vector local = cases::random_expansions(basis.view(), count, generator);
  const Vector before = cases::random_vector(4 * std::int64_t{n}, generator);
  const auto view = [&](double* out) { return FieldView{out, out + n, out + 2 * n, out + 3 * n}; };

  const auto begin = upload(p.begin);
  const auto place = upload(cells);
  const auto expansions = upload(local);
  const auto x = upload(p.x), y = upload(p.y, 1), z = upload(p.z);
  for (const bool add : {false, true}) {
    Vector expected = before;
    cpu::l2p(basis.view(), grid, {count, cells.data(), p.begin.data()},
             {p.x.data(), p.y.data(), p.z.data(), p.q.data()}, local.data(), view(expected.data()), add);
    const Vector actual = twice(before, [&](double* out) {
      cuda::l2p(on_device.view(), grid, {count, place.data(), begin.data()}, {x.data(), y.data(), z.data(), nullptr}, n,
                expansions.data(), view(out), add, stream_);
    });
    EXPECT_TRUE(close(expected, actual)) << (add ? "adding" : "overwriting");
  }
}

TEST_P(Operators, M2M) {
  const Basis basis(GetParam().choice);
  const DeviceBasis on_device(stream_, basis);
  Generator generator(3);
  const auto cells = cases::box({2, -4, 6}, {4, 8, 6}, 0.6, generator);  // families of 1 to 8
  const auto f = cases::families_of(cells);
  const auto count = static_cast<std::int32_t>(f.families.size());
  const Vector children = cases::random_expansions(basis.view(), static_cast<std::int64_t>(cells.size()), generator);
  const Vector before = cases::random_expansions(basis.view(), count + 1, generator);  // one parent is left alone
  Vector expected = before;
  cpu::m2m(basis.view(), shift_matrix(basis.order()).data(), f.families.data(), count, cells.data(), children.data(),
           expected.data());

  const auto families = upload(f.families);
  const auto place = upload(cells);
  const auto moments = upload(children);
  const Vector actual = twice(before, [&](double* out) {
    cuda::m2m(on_device.view(), on_device.shift.data(), families.data(), count, place.data(), moments.data(), out,
              stream_);
  });
  EXPECT_TRUE(close(expected, actual));
}

TEST_P(Operators, L2L) {
  const Basis basis(GetParam().choice);
  const DeviceBasis on_device(stream_, basis);
  Generator generator(4);
  const auto cells = cases::box({2, -4, 6}, {4, 8, 6}, 0.6, generator);
  const auto f = cases::families_of(cells);
  const auto count = static_cast<std::int32_t>(f.families.size());
  const Vector parents = cases::random_expansions(basis.view(), count, generator);
  const Vector before = cases::random_expansions(basis.view(), static_cast<std::int64_t>(cells.size()), generator);
  Vector expected = before;
  cpu::l2l(basis.view(), shift_matrix(basis.order()).data(), f.families.data(), count, cells.data(), parents.data(),
           expected.data());

  const auto families = upload(f.families);
  const auto place = upload(cells);
  const auto locals = upload(parents);
  const Vector actual = twice(before, [&](double* out) {
    cuda::l2l(on_device.view(), on_device.shift.data(), families.data(), count, place.data(), locals.data(), out,
              stream_);
  });
  EXPECT_TRUE(close(expected, actual));
}

struct M2LCase {
  const char* name;
  CellIndex extent;
  double density;
  int groups;
  int max_rank;
};

class M2L : public FarFieldCuda {
 protected:
  /// racecheck does not come to an end where a thread block reads another's shared memory.
  static std::vector<int> clusters() {
    return sanitized_by("racecheck") ? std::vector<int>{1} : std::vector<int>{1, cuda::m2l_max_cluster};
  }
  void check_variants(const Basis& basis, const M2LCase& c, const std::vector<cuda::M2LVariant>& variants) const {
    SCOPED_TRACE(c.name);
    Generator generator(5);
    const auto targets = cases::box({2, 4, -6}, c.extent, c.density, generator);
    // the sources are all around the targets, dealt out to the groups in turn
    std::vector<std::vector<CellIndex>> sources(as_size(c.groups));
    const auto around = cases::box({0, 2, -8}, {c.extent.x + 4, c.extent.y + 4, c.extent.z + 4}, c.density, generator);
    for (std::size_t i = 0; i < around.size(); ++i) sources[i / 3 % sources.size()].push_back(around[i]);
    const auto list = cases::interactions(targets, sources, &generator);
    const auto op = cases::random_operators(basis.view(), list, c.max_rank, generator);
    const double scale = 0.37;

    std::vector<Vector> multipoles;
    std::vector<const double*> on_host;
    std::vector<std::unique_ptr<DeviceArray<double>>> on_device;
    cuda::M2LSources addresses{};
    for (const auto& group : sources) {
      multipoles.push_back(cases::random_expansions(basis.view(), static_cast<std::int64_t>(group.size()), generator));
      on_device.push_back(std::make_unique<DeviceArray<double>>(stream_, multipoles.back()));
    }
    for (std::size_t g = 0; g < sources.size(); ++g) {
      on_host.push_back(multipoles[g].data());
      addresses.at[g] = on_device[g]->data();
    }
    const Vector before = cases::random_expansions(basis.view(), static_cast<std::int64_t>(targets.size()), generator);
    Vector expected = before;
    cpu::m2l(op.view(), scale, list.view(), on_host.data(), expected.data());

    const auto begin = upload(list.begin);
    const auto pairs = upload(list.pairs);
    const auto rank = upload(list.rank);
    const auto direction = upload(op.direction);
    const auto data = upload(op.data);
    for (const auto variant : variants)
      for (const int most_in_cluster : clusters()) {
        const Vector actual = twice(before, [&](double* out) {
          cuda::m2l({op.size, op.stride, direction.data(), data.data()}, scale,
                    {list.tiles, begin.data(), pairs.data(), rank.data()}, addresses, out, stream_, variant,
                    most_in_cluster);
        });
        EXPECT_TRUE(close(expected, actual)) << "variant " << static_cast<int>(variant) << ", " << most_in_cluster;
      }
  }
};

const std::vector<cuda::M2LVariant> all_variants = {cuda::M2LVariant::best, cuda::M2LVariant::simple,
                                                    cuda::M2LVariant::columns_16, cuda::M2LVariant::columns_32,
                                                    cuda::M2LVariant::columns_32_ahead};

/// Coefficients up to which the sums of 32 columns fit into the shared memory of a thread block.
constexpr int columns_32_limit = 500;
constexpr int sanitized_limit = 130;
const std::vector<cuda::M2LVariant> variants_for_large_bases = {cuda::M2LVariant::best, cuda::M2LVariant::simple,
                                                                cuda::M2LVariant::columns_16};

TEST_P(M2L, Interactions) {
  const Basis basis(GetParam().choice);
  if (sanitized_by("racecheck") || sanitized_by("initcheck")) {  // which take minutes for more
    if (basis.size() > sanitized_limit) GTEST_SKIP() << "the same kernel as for fewer coefficients";
    return check_variants(basis, {"few", {2, 2, 2}, 0.3, 2, 40}, all_variants);
  }
  const int less = sanitized() ? 2 : 0;
  for (const M2LCase& c :
       {M2LCase{"dense", {6 - 2 * less, 5 - less, 5 - less}, 1, 3, 40},
        M2LCase{"sparse", {8 - 2 * less, 7 - 2 * less, 6 - less}, 0.2, 5, 70}, M2LCase{"few", {3, 3, 3}, 0.5, 1, 8},
        M2LCase{"large ranks", {4 - less, 4 - less, 4 - less}, 1, 200, 300}})
    check_variants(basis, c, basis.size() <= columns_32_limit ? all_variants : variants_for_large_bases);
}

/// Beyond what fits into shared memory, and the largest of all.
TEST_P(M2L, LargeBases) {
  if (GetParam().choice.order != 1 || sanitized_by("racecheck")) GTEST_SKIP() << "once is enough";
  check_variants(Basis({11, -1}), {"order 11", {2, 2, 3}, 1, 2, 12}, variants_for_large_bases);
  if (!sanitized()) check_variants(Basis({16, -1}), {"order 16", {2, 2, 2}, 0.5, 2, 4}, {cuda::M2LVariant::best});
}

TEST_F(FarFieldCuda, NothingToDo) {
  const Basis basis({3, -1});
  const DeviceBasis b(stream_, basis);
  cuda::p2m(b.view(), grid, {0, nullptr, nullptr}, {}, nullptr, stream_);
  cuda::l2p(b.view(), grid, {0, nullptr, nullptr}, {}, 0, nullptr, {}, true, stream_);
  cuda::m2m(b.view(), b.shift.data(), nullptr, 0, nullptr, nullptr, nullptr, stream_);
  cuda::l2l(b.view(), b.shift.data(), nullptr, 0, nullptr, nullptr, nullptr, stream_);
  cuda::m2l({27, 32, nullptr, nullptr}, 1, {0, nullptr, nullptr, nullptr}, {}, nullptr, stream_);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

std::string name_of(const ::testing::TestParamInfo<NamedBasis>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Bases, Operators, ::testing::ValuesIn(bases), name_of);
INSTANTIATE_TEST_SUITE_P(Bases, M2L, ::testing::ValuesIn(bases), name_of);

}  // namespace
}  // namespace asterism::fmm
