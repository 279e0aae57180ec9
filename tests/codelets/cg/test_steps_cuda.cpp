// SPDX-License-Identifier: Apache-2.0
// The pipelined update and the scalar recurrences of conjugate gradient on a GPU, as in test_cg_kernels_cuda.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/codelets/cg/cuda.hpp"

namespace asterism::cg {
namespace {

using reference::Generator;
using reference::infinity;
using reference::nan;
using reference::Numbers;
using reference::Pipelined;
using reference::Preconditioner;
using reference::random_number;

// --- pipelined conjugate gradient ----------------------------------------------------------------------------------

/// The ten vectors on the device. Without preconditioner q, u and m are not passed, and must stay as they are.
struct DevicePipelined {
  DeviceArray<double> n, z, q, s, p, x, r, u, w, m;
  bool preconditioned;

  DevicePipelined(cudaStream_t stream, const Pipelined& v, std::size_t offset, bool with_preconditioner)
      : n(stream, v.n, offset),
        z(stream, v.z, offset),
        q(stream, v.q, offset),
        s(stream, v.s, offset),
        p(stream, v.p, offset),
        x(stream, v.x, offset),
        r(stream, v.r, offset),
        u(stream, v.u, offset),
        w(stream, v.w, offset),
        m(stream, v.m, offset),
        preconditioned(with_preconditioner) {}
  [[nodiscard]] cpu::PipelinedVectors vectors() const {
    if (preconditioned)
      return {n.data(), z.data(), q.data(), s.data(), p.data(), x.data(), r.data(), u.data(), w.data(), m.data()};
    return {n.data(), z.data(), nullptr, s.data(), p.data(), x.data(), r.data(), nullptr, w.data(), w.data()};
  }
  void expect_equal(const Pipelined& v) const {
    EXPECT_TRUE(same_bits(v.n, n.values()));
    EXPECT_TRUE(same_bits(v.z, z.values()));
    EXPECT_TRUE(same_bits(v.q, q.values()));
    EXPECT_TRUE(same_bits(v.s, s.values()));
    EXPECT_TRUE(same_bits(v.p, p.values()));
    EXPECT_TRUE(same_bits(v.x, x.values()));
    EXPECT_TRUE(same_bits(v.r, r.values()));
    EXPECT_TRUE(same_bits(v.u, u.values()));
    EXPECT_TRUE(same_bits(v.w, w.values()));
    EXPECT_TRUE(same_bits(v.m, m.values()));
  }
};

cpu::PipelinedVectors host_vectors(Pipelined& v, bool preconditioned) {
  return {v.n.data(),
          v.z.data(),
          preconditioned ? v.q.data() : nullptr,
          v.s.data(),
          v.p.data(),
          v.x.data(),
          v.r.data(),
          preconditioned ? v.u.data() : nullptr,
          v.w.data(),
          preconditioned ? v.m.data() : v.w.data()};
}

TEST_F(CgCuda, PipelinedUpdate) {
  Generator generator(8);
  std::vector<std::pair<std::int64_t, int>> cases = preconditioned_sizes();
  for (const std::int64_t n : sizes) cases.emplace_back(n, 0);
  for (const auto& [rows, size] : cases)
    for (const std::size_t offset : {0, 1}) {
      const std::int64_t n = rows;
      SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(size));
      const Preconditioner m(n, size, Numbers::real, generator);
      const auto inverse = upload(m.inverse);
      const PreconditionerView on_device{size, inverse.data()};
      const Pipelined start(n, size, Numbers::real, generator);
      State host_state;
      host_state.alpha = random_number(Numbers::real, generator);
      host_state.beta = random_number(Numbers::real, generator);
      const auto state = upload(std::vector<State>{host_state});

      Pipelined expected = start;
      const Dots expected_dots =
          cpu::pipelined_update(n, host_state.alpha, host_state.beta, host_vectors(expected, size > 0), m.view());
      const Dots dots = reduced_twice<Dots>(nullptr, [&](Dots* out, cuda::Workspace workspace) {
        const DevicePipelined actual(stream_, start, offset, on_device.size > 0);
        cuda::pipelined_update(n, state.data(), actual.vectors(), on_device, out, workspace, stream_);
        actual.expect_equal(expected);
      });
      expect_same_values(expected_dots, dots);
    }
}

// --- scalar recurrences --------------------------------------------------------------------------------------------

class CgCudaSteps : public CgCuda {
 protected:
  /// Contributions of `count` blocks, positive; those to w.u scaled.
  [[nodiscard]] static std::vector<Dots> contributions(int count, Generator& generator, double scale = 1) {
    const auto number = [&] { return 2 + random_number(Numbers::real, generator); };
    const auto trailing = [&] { return std::ldexp(random_number(Numbers::real, generator), -50); };
    std::vector<Dots> out(static_cast<std::size_t>(count));
    for (Dots& d : out) d = {{number(), trailing()}, {number(), trailing()}, {scale * number(), trailing()}};
    return out;
  }
  template <class T>
  [[nodiscard]] static cuda::Partials<T> partials(const DeviceArray<T>& array, std::size_t count) {
    cuda::Partials<T> p{};
    p.count = static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) p.at[i] = array.data() + i;
    return p;
  }
  [[nodiscard]] static Dots total(const std::vector<Dots>& dots) {
    Dots sum;
    for (const Dots& d : dots) {
      add(sum.rr, d.rr);
      add(sum.rz, d.rz);
      add(sum.wu, d.wu);
    }
    return sum;
  }
  [[nodiscard]] static Sum total(const std::vector<Sum>& sums) {
    Sum sum;
    for (const Sum& s : sums) add(sum, s);
    return sum;
  }

  /// One step on the device and on the host, from `s`; both must agree. Returns the state after it.
  State begin(State s, const std::vector<Dots>& dots) const {
    return step(s, dots, &cuda::begin, [](State& state, const Dots& d) { cg::begin(state, d); });
  }
  State alpha_step(State s, const std::vector<Sum>& sums) const {
    return step(s, sums, &cuda::alpha_step, [](State& state, const Sum& sum) { cg::alpha_step(state, sum); });
  }
  State beta_step(State s, const std::vector<Dots>& dots) const {
    return step_with_history(s, dots, &cuda::beta_step, [](State& state, const Dots& d) { cg::beta_step(state, d); });
  }
  State note_residual(State s, const std::vector<Dots>& dots) const {
    return step(s, dots, &cuda::note_residual, [](State& state, const Dots& d) { cg::note_residual(state, d); });
  }
  State pipelined_step(State s, const std::vector<Dots>& dots) const {
    return step_with_history(s, dots, &cuda::pipelined_step,
                             [](State& state, const Dots& d) { cg::pipelined_step(state, d); });
  }

 private:
  template <class T, class Launch, class OnHost>
  State step(const State& before, const std::vector<T>& parts, Launch launch, OnHost on_host) const {
    const auto state = upload(std::vector<State>{before});
    const auto array = upload(parts, 1);
    launch(state.data(), partials(array, parts.size()), stream_);
    State expected = before;
    on_host(expected, total(parts));
    expect_same(expected, state.values()[0]);
    return expected;
  }
  template <class Launch, class OnHost>
  State step_with_history(const State& before, const std::vector<Dots>& parts, Launch launch, OnHost on_host) const {
    const auto history = poisoned<HistoryEntry>(1, 3);
    const auto with_history = [&](State* state, const cuda::Partials<Dots>& p, cudaStream_t stream) {
      launch(state, p, history.data(), stream);
    };
    const auto without_history = [&](State* state, const cuda::Partials<Dots>& p, cudaStream_t stream) {
      launch(state, p, nullptr, stream);
    };
    const State after = step(before, parts, with_history, on_host);
    expect_same(history_entry(after), history.values()[0]);
    step(before, parts, without_history, on_host);
    return after;
  }
};

TEST_F(CgCudaSteps, AnyNumberOfContributions) {
  Generator generator(9);
  for (const int count : {0, 1, 3, 200, max_partials}) {
    SCOPED_TRACE(std::to_string(count) + " contributions");
    const auto sums = [&] {
      std::vector<Sum> out;
      for (const Dots& d : contributions(count, generator)) out.push_back(d.rr);
      return out;
    };
    State s;
    s.threshold = count == 0 ? -1 : 1e-3;  // no blocks, no residual: let it run into its zeros
    s = begin(s, contributions(count, generator));
    EXPECT_EQ(s.status, Status::running);
    for (int i = 0; i < 3; ++i) {
      s = alpha_step(s, sums());
      s = beta_step(s, contributions(count, generator));
    }
    EXPECT_EQ(s.iteration, count == 0 ? 0 : 3);
    s.fresh = 1;
    for (const double scale : {1e2, 1e4, 1e6})  // grows, so that p.Ap stays positive
      s = pipelined_step(s, contributions(count, generator, scale));
    EXPECT_EQ(s.iteration, count == 0 ? 0 : 6);
  }
}

TEST_F(CgCudaSteps, StopsAsTheHostDoes) {
  const auto dots = [](double rr, double rz, double wu) { return std::vector<Dots>{{{rr, 0}, {rz, 0}, {wu, 0}}}; };
  State start;
  start.threshold = 1;
  const State running = begin(start, dots(9, 6, 0));
  EXPECT_EQ(running.status, Status::running);

  std::vector<State> stopped = {begin(start, dots(1, 3, 0)), begin(start, dots(nan, 3, 0)),
                                begin(start, dots(9, infinity, 0))};
  for (const double pq : {0.0, -3.0, nan, infinity}) stopped.push_back(alpha_step(running, {{pq, 0}}));
  stopped.push_back(alpha_step(begin(start, dots(9, 0, 0)), {{3, 0}}));

  const State stepped = alpha_step(running, {{3, 0}});
  EXPECT_EQ(stepped.alpha, 2);
  EXPECT_EQ(stepped.minus_alpha, -2);
  stopped.push_back(beta_step(stepped, dots(1, 1.5, 0)));
  stopped.push_back(beta_step(stepped, dots(nan, 1.5, 0)));
  stopped.push_back(beta_step(stepped, dots(4, infinity, 0)));

  State pipelined = pipelined_step(start, dots(9, 6, 3));
  EXPECT_EQ(pipelined.alpha, 2);
  pipelined = pipelined_step(pipelined, dots(5, 3, 2.25));
  EXPECT_EQ(pipelined.beta, 0.5);
  EXPECT_EQ(pipelined.alpha, 2);
  const State noted = note_residual(pipelined, dots(4, 3, 2.25));
  EXPECT_EQ(noted.rr, 4);
  EXPECT_EQ(pipelined_step(noted, dots(4, 3, 2.25)).beta, 1);  // as after no replacement
  EXPECT_EQ(pipelined_step(noted, dots(5, 3, 2.25)).beta, 0);  // the residual has drifted: another direction
  stopped.push_back(pipelined_step(pipelined, dots(1, 3, 2.25)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 3, 0.75)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 0, 1)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 3, nan)));

  for (State s : stopped) {
    EXPECT_NE(s.status, Status::running);
    const Status status = s.status;
    s = alpha_step(s, {{8, 0}});
    EXPECT_EQ(s.alpha, 0);
    s = beta_step(s, dots(100, 100, 0));
    s = pipelined_step(s, dots(100, 100, 100));
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.status, status);
  }
}

TEST_F(CgCudaSteps, Add) {
  Generator generator(10);
  for (int i = 0; i < 10; ++i) {
    const std::vector<Dots> parts = contributions(2, generator);
    Dots expected = parts[0];
    add(expected.rr, parts[1].rr);
    add(expected.rz, parts[1].rz);
    add(expected.wu, parts[1].wu);

    const auto dots = upload(std::vector<Dots>{parts[0]});
    const auto other = upload(std::vector<Dots>{parts[1]}, 1);
    cuda::add(dots.data(), other.data(), stream_);
    const Dots got = dots.values()[0];
    EXPECT_EQ(std::memcmp(&expected, &got, sizeof got), 0);
    EXPECT_EQ(std::memcmp(&parts[1], other.values().data(), sizeof got), 0);

    const auto sum = upload(std::vector<Sum>{parts[0].wu});
    const auto other_sum = upload(std::vector<Sum>{parts[1].wu}, 1);
    cuda::add(sum.data(), other_sum.data(), stream_);
    const Sum got_sum = sum.values()[0];
    EXPECT_EQ(std::memcmp(&expected.wu, &got_sum, sizeof got_sum), 0);
  }
}

}  // namespace
}  // namespace asterism::cg
