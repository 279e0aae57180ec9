// SPDX-License-Identifier: Apache-2.0
// Times the far-field operators on the first GPU: bench_fmm_cuda OUT.json
// Dense boxes of cells, each with all of its 189 interactions; every result is compared with the CPU version first, and
// the exit status is 1 if one is wrong. Times are medians of 20 launches, between events on the stream.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "base/cuda_check.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"
#include "tests/codelets/fmm/cases.hpp"

namespace asterism::fmm {
namespace {

using cases::Generator;
using Json = nlohmann::ordered_json;
using Vector = std::vector<double>;

constexpr int repeats = 20;
constexpr float longest_ms = 1000;
constexpr int streams = 4;
constexpr double tolerance = 1e-12;
constexpr Grid grid{-0.7, 3.1, 0.4, 0.375};

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    ASTERISM_CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(1, size_) * sizeof(T)));
    set(values);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  void set(const std::vector<T>& values) {
    ASTERISM_CHECK_CUDA(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] std::vector<T> values() const {
    ASTERISM_CHECK_CUDA(cudaDeviceSynchronize());
    std::vector<T> out(size_);
    ASTERISM_CHECK_CUDA(cudaMemcpy(out.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  [[nodiscard]] T* data() const { return data_; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

struct Bench {
  Json rows = Json::array();
  bool wrong = false;
  std::vector<cudaStream_t> stream = std::vector<cudaStream_t>(as_size(streams));
  cudaEvent_t begin{}, end{}, branch{};

  Bench() {
    for (auto& s : stream) ASTERISM_CHECK_CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (auto* e : {&begin, &end, &branch}) ASTERISM_CHECK_CUDA(cudaEventCreate(e));
  }

  /// Median milliseconds of launch(stream, i), on `tasks` streams at once, per task; of fewer launches when they last.
  template <class Launch>
  double time(Launch launch, int tasks = 1) {
    std::vector<float> ms;
    float all = 0;
    for (int i = 0; i < repeats + 3 && (ms.empty() || all < longest_ms); ++i) {
      ASTERISM_CHECK_CUDA(cudaDeviceSynchronize());
      ASTERISM_CHECK_CUDA(cudaEventRecord(begin, stream[0]));
      for (int t = 1; t < tasks; ++t) ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(stream[as_size(t)], begin, 0));
      for (int t = 0; t < tasks; ++t) launch(stream[as_size(t)], t);
      for (int t = 1; t < tasks; ++t) {
        ASTERISM_CHECK_CUDA(cudaEventRecord(branch, stream[as_size(t)]));
        ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(stream[0], branch, 0));
      }
      ASTERISM_CHECK_CUDA(cudaEventRecord(end, stream[0]));
      ASTERISM_CHECK_CUDA(cudaEventSynchronize(end));
      float elapsed = 0;
      ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&elapsed, begin, end));
      all += elapsed;
      if (i >= 3 || all > longest_ms) ms.push_back(elapsed);
    }
    const auto middle = ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2);
    std::nth_element(ms.begin(), middle, ms.end());
    return static_cast<double>(*middle) / tasks;
  }

  /// Largest difference over the first expected.size() numbers, relative to the largest number.
  double difference(const Vector& expected, const Vector& actual) {
    double scale = 0;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      scale = std::max(scale, std::abs(expected[i]));
      const double d = std::abs(expected[i] - actual[i]);
      worst = d <= worst ? worst : d;  // not a number stays
    }
    const double relative = worst / scale;
    if (!(relative <= tolerance)) wrong = true;
    return relative;
  }

  void add(Json about, const std::string& name, const std::string& variant, int tasks, double flops, double ms,
           double error) {
    about["operator"] = name;
    about["variant"] = variant;
    about["streams"] = tasks;
    about["ms"] = ms;
    about["flops"] = flops;
    about["gflops"] = flops / ms * 1e-6;
    about["error"] = error;
    fmt::print("{:18} k {:4} cells {:5} particles {:4}  {:4} {:16} x{}  {:9.4f} ms {:8.0f} GFlop/s  error {:.1e}\n",
               about["basis"].get<std::string>(), about["k"].get<int>(), about["cells"].get<int>(),
               about.value("particles_per_leaf", 0), name, variant, tasks, ms, flops / ms * 1e-6, error);
    std::fflush(stdout);
    rows.push_back(std::move(about));
  }
};

struct Choice {
  const char* name;
  BasisChoice basis;
  double epsilon;
};

struct DeviceBasis {
  explicit DeviceBasis(const Basis& basis)
      : host(basis.view()),
        begin({host.row_begin, host.row_begin + host.rows + 1}),
        a({host.row_a, host.row_a + host.rows}),
        b({host.row_b, host.row_b + host.rows}),
        of({host.row_of, host.row_of + host.order * host.order}),
        shift(shift_matrix(host.order)) {}
  [[nodiscard]] BasisView view() const {
    return {host.order, host.size, host.stride, host.rows, begin.data(), a.data(), b.data(), of.data()};
  }
  BasisView host;
  OnDevice<std::int32_t> begin, a, b, of;
  OnDevice<double> shift;
};

void particles_and_shifts(Bench& bench, const Json& about, const DeviceBasis& basis,
                          const std::vector<CellIndex>& cells, Generator& generator) {
  const auto count = static_cast<std::int32_t>(cells.size());
  const OnDevice<CellIndex> place(cells);
  for (const int per_leaf : {30, 114}) {
    const auto p = cases::particles_in(cells, grid, std::vector<int>(cells.size(), per_leaf), generator);
    const auto n = static_cast<std::int32_t>(p.x.size());
    const OnDevice<double> x(p.x), y(p.y), z(p.z), q(p.q);
    const OnDevice<std::int32_t> begin(p.begin);
    const LeafView host_leaves{count, cells.data(), p.begin.data()};
    const LeafView leaves{count, place.data(), begin.data()};
    const SourceView host_sources{p.x.data(), p.y.data(), p.z.data(), p.q.data()};
    const SourceView sources{x.data(), y.data(), z.data(), q.data()};
    Json with = about;
    with["particles_per_leaf"] = per_leaf;

    Vector moments(as_size(count) * as_size(basis.host.stride), 0.0);
    const OnDevice<double> out(moments);
    cpu::p2m(basis.host, grid, host_leaves, host_sources, moments.data());
    double ms = bench.time([&](cudaStream_t s, int) { cuda::p2m(basis.view(), grid, leaves, sources, out.data(), s); });
    bench.add(with, "p2m", "", 1, p2m_flops(basis.host) * n, ms, bench.difference(moments, out.values()));

    const Vector local = cases::random_expansions(basis.host, count, generator);
    Vector field(4 * as_size(n), 0.0);
    const OnDevice<double> expansions(local), result(field);
    const auto view = [&](double* f) { return FieldView{f, f + n, f + 2 * n, f + 3 * n}; };
    cpu::l2p(basis.host, grid, host_leaves, host_sources, local.data(), view(field.data()), false);
    ms = bench.time([&](cudaStream_t s, int) {
      cuda::l2p(basis.view(), grid, leaves, sources, n, expansions.data(), view(result.data()), false, s);
    });
    bench.add(with, "l2p", "", 1, l2p_flops(basis.host) * n, ms, bench.difference(field, result.values()));
  }

  const auto f = cases::families_of(cells);
  const auto parents = static_cast<std::int32_t>(f.families.size());
  const OnDevice<Family> families(f.families);
  const Vector shift = shift_matrix(basis.host.order);
  const double flops = shift_flops(basis.host) * parents;
  for (const bool up : {true, false}) {
    const Vector from = cases::random_expansions(basis.host, up ? count : parents, generator);
    Vector to(as_size(up ? parents : count) * as_size(basis.host.stride), 0.0);
    const OnDevice<double> in(from);
    OnDevice<double> out(to);
    const auto launch = [&](cudaStream_t s, int) {
      (up ? cuda::m2m : cuda::l2l)(basis.view(), basis.shift.data(), families.data(), parents, place.data(), in.data(),
                                   out.data(), s);
    };
    launch(bench.stream[0], 0);
    ASTERISM_CHECK_CUDA(cudaStreamSynchronize(bench.stream[0]));
    const Vector actual = out.values();
    (up ? cpu::m2m : cpu::l2l)(basis.host, shift.data(), f.families.data(), parents, cells.data(), from.data(),
                               to.data());
    const double error = bench.difference(to, actual);
    bench.add(about, up ? "m2m" : "l2l", "", 1, flops, bench.time(launch), error);
  }
}

void interactions(Bench& bench, const Json& about, const M2LOperators& operators, const BasisView& basis,
                  const std::vector<CellIndex>& cells, const CellIndex& extent, Generator& generator) {
  // sources: the group itself and, in eight more groups, the cells around it
  std::vector<std::vector<CellIndex>> sources(9);
  const auto around = cases::box({-2, -2, -2}, {extent.x + 4, extent.y + 4, extent.z + 4}, 1, generator);
  for (std::size_t i = 0; i < around.size(); ++i) {
    const CellIndex& c = around[i];
    const bool inside = c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x < extent.x && c.y < extent.y && c.z < extent.z;
    sources[inside ? 0 : 1 + 8 * i / around.size()].push_back(c);
  }
  const auto list = cases::interactions(cells, sources);
  // on the CPU only some targets, which are the first ones in both lists
  const auto some = std::min<std::size_t>(cells.size(), 64);
  const auto short_list =
      cases::interactions({cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(some)}, sources);
  std::vector<Vector> multipoles;
  std::vector<std::unique_ptr<OnDevice<double>>> on_device;
  std::vector<const double*> on_host;
  cuda::M2LSources addresses{};
  for (const auto& group : sources)
    multipoles.push_back(cases::random_expansions(basis, static_cast<std::int64_t>(group.size()), generator));
  for (std::size_t g = 0; g < sources.size(); ++g) {
    on_device.push_back(std::make_unique<OnDevice<double>>(multipoles[g]));
    on_host.push_back(multipoles[g].data());
    addresses.at[g] = on_device[g]->data();
  }
  Vector expected(some * as_size(basis.stride), 0.0);
  cpu::m2l(operators.view(), 0.37, short_list.view(), on_host.data(), expected.data());

  double flops = 0;
  for (int d = 0; d < directions; ++d) {
    const std::size_t row = as_size(d) * as_size(list.tiles + 1);
    flops += m2l_flops(basis.size, operators.table()[as_size(d)].rank) *
             (list.begin[row + as_size(list.tiles)] - list.begin[row]);
  }
  const OnDevice<M2LDirection> direction({operators.table().begin(), operators.table().end()});
  const OnDevice<double> data(operators.data());
  const OnDevice<std::int32_t> begin(list.begin), rank(list.rank);
  const OnDevice<M2LPair> pairs(list.pairs);
  const M2LView view{basis.size, basis.stride, direction.data(), data.data()};
  const M2LList on_gpu{list.tiles, begin.data(), pairs.data(), rank.data()};
  const Vector zeros(cells.size() * as_size(basis.stride), 0.0);
  std::vector<std::unique_ptr<OnDevice<double>>> out;
  for (int s = 0; s < streams; ++s) out.push_back(std::make_unique<OnDevice<double>>(zeros));

  Json with = about;
  with["mean_rank"] = operators.mean_rank();
  with["pairs"] = list.pairs.size();
  with["operator_megabytes"] = static_cast<double>(operators.data().size()) * 8e-6;
  const std::vector<std::pair<cuda::M2LVariant, const char*>> variants = {
      {cuda::M2LVariant::best, "best"},
      {cuda::M2LVariant::columns_16, "columns_16"},
      {cuda::M2LVariant::columns_32, "columns_32"},
      {cuda::M2LVariant::columns_32_ahead, "columns_32_ahead"},
      {cuda::M2LVariant::simple, "simple"}};
  for (const auto& [variant, name] : variants) {
    const auto launch = [&, variant = variant](cudaStream_t s, int i) {
      cuda::m2l(view, 0.37, on_gpu, addresses, out[as_size(i)]->data(), s, variant);
    };
    try {
      out[0]->set(zeros);
      launch(bench.stream[0], 0);
      const double error = bench.difference(expected, out[0]->values());
      for (const int tasks : {1, streams})
        if (tasks == 1 || variant != cuda::M2LVariant::simple)
          bench.add(with, "m2l", name, tasks, flops, bench.time(launch, tasks), error);
    } catch (const std::exception& e) {
      cudaGetLastError();
      fmt::print("{} k {}: {} does not run: {}\n", about["basis"].get<std::string>(), basis.size, name, e.what());
    }
  }
}

int run(const std::string& path) {
  Bench bench;
  cudaDeviceProp properties{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  const std::vector<Choice> choices = {{"order 3", {3, -1}, 1e-3},         {"order 4 ball 12", {4, 12.25}, 1e-4},
                                       {"order 5", {5, -1}, 1e-5},         {"order 7 ball 38", {7, 38}, 1e-7},
                                       {"order 9 ball 76", {9, 76}, 1e-9}, {"order 12 ball 121", {12, 121}, 1e-11}};
  const std::vector<CellIndex> extents = {{8, 8, 8}, {16, 8, 16}, {16, 16, 16}};
  for (const Choice& choice : choices) {
    const Basis basis(choice.basis);
    const M2LOperators operators(
        basis, interpolation_nodes(choice.basis), [](double r2) { return 1 / std::sqrt(r2); }, 1, choice.epsilon);
    const DeviceBasis on_device(basis);
    for (const CellIndex& extent : extents) {
      Generator generator(1);
      const auto cells = cases::box({0, 0, 0}, extent, 1, generator);
      Json about;
      about["basis"] = choice.name;
      about["order"] = choice.basis.order;
      about["radius_squared"] = choice.basis.radius_squared;
      about["epsilon"] = choice.epsilon;
      about["k"] = basis.size();
      about["cells"] = cells.size();
      interactions(bench, about, operators, basis.view(), cells, extent, generator);
      particles_and_shifts(bench, about, on_device, cells, generator);
    }
  }
  Json record;
  record["program"] = "bench_fmm_cuda";
  record["gpu"] = properties.name;
  record["sms"] = properties.multiProcessorCount;
  record["repeats"] = repeats;
  record["right"] = !bench.wrong;
  record["cases"] = std::move(bench.rows);
  std::ofstream file(path + ".new");
  file << record.dump(1) << '\n';
  file.close();
  if (!file || std::rename((path + ".new").c_str(), path.c_str()) != 0) {
    fmt::print(stderr, "bench_fmm_cuda: error: cannot write {}\n", path);
    return 1;
  }
  if (bench.wrong) fmt::print(stderr, "bench_fmm_cuda: error: some results differ from those of the CPU\n");
  return bench.wrong ? 1 : 0;
}

}  // namespace
}  // namespace asterism::fmm

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_fmm_cuda OUT.json\n");
    return 2;
  }
  try {
    return asterism::fmm::run(argv[1]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_fmm_cuda: error: {}\n", e.what());
    return 1;
  }
}
