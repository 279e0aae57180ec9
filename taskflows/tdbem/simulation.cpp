#include "taskflows/tdbem/simulation.hpp"

#include <starpu.h>
#include <starpu_profiling.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/simulation.hpp"
#include "taskflows/tdbem/observers.hpp"

namespace asterism::tdbem {
namespace {

/// Bytes of blocks that make a task of a GPU long beside what starting it costs.
constexpr std::int64_t largest_batch = std::int64_t{1} << 30;
/// Partial sums where the scheduler decides who computes a block: enough that no unit waits for another's, few enough
/// that adding them up takes no time.
constexpr std::size_t sums_per_unit = 2;
constexpr std::size_t most_sums = 32;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

template <class U>
Handle constant(const std::vector<U>& values, const char* name) {
  return Handle::temporary(values.data(), values.size(), sizeof(U), name);
}

template <class U>
void append(std::vector<char>& bytes, const std::vector<U>& values) {
  const auto at = static_cast<std::size_t>(aligned(static_cast<std::int64_t>(bytes.size())));
  bytes.resize(at + values.size() * sizeof(U));
  if (!values.empty()) std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(U));
}

/// Consecutive clusters in `parts` parts of about as many unknowns.
std::vector<std::size_t> cut(std::size_t clusters, std::size_t parts) {
  std::vector<std::size_t> ends;
  for (std::size_t p = 1; p <= parts; ++p) ends.push_back(clusters * p / parts);
  return ends;
}

}  // namespace

template <class T>
Simulation<T>::Simulation(const Problem& problem, const Method& method, Matrices<T>& matrices, const Session& session,
                          Sharing sharing)
    : problem_(problem),
      method_(method),
      matrices_(matrices),
      sharing_(sharing),
      unknowns_(problem.surface.unknowns()),
      waves_(static_cast<std::int32_t>(problem.waves.size())),
      width_(method.ahead ? 2 * method.group : method.group),
      passage_(passage(problem)) {
  check(problem, method);
  std::vector<int> devices;
  for (const Unit& unit : session.units()) {
    if (!unit.gpu)
      cores_.push_back(unit.worker);
    else if (std::find(devices.begin(), devices.end(), unit.device) == devices.end()) {
      devices.push_back(unit.device);
      gpus_.push_back(unit.worker);
      // a small part of the GPU's memory, which may not hold all blocks
      const starpu_ssize_t memory = starpu_memory_get_total(unit.node);
      const std::int64_t most = memory > 0 ? memory / 16 : largest_batch;
      batch_bytes_ = std::min(batch_bytes_ == 0 ? largest_batch : batch_bytes_, most);
    }
  }
  if (cores_.size() > static_cast<std::size_t>(most_partials) - gpus_.size())
    cores_.resize(static_cast<std::size_t>(most_partials) - gpus_.size());
  if (problem.solver == Solver::factorisation && cores_.empty())
    bad_input("the factorisation of M^0 needs a core, of which this session has none");
  home_ = gpus_.empty() ? -1 : gpus_.front();
  if (sharing == Sharing::gpus && !gpus_.empty()) cores_.clear();
  const auto weights = [&] {
    if (problem.observers.empty()) return ObserverWeights<T>{};
    const Pause pause;
    return observer_weights<T>(problem.surface, problem.boundary, problem.speed, problem.dt,
                               triangle_rule(problem.rules.far_points), problem.observers);
  }();
  build_windows(weights.largest_lag);
  build_surface();
  if (cluster().distributed())
    of_ranks_ = std::make_unique<SumsOfRanks<T>>(unknowns_, method.group, waves_,
                                                 static_cast<std::int32_t>(gpus_.empty() ? cores_.size() : 1));
  build_parts();
  build_partials();
  build_initial();
  if (weights.observers > 0) build_observers(weights);
  check_memory_of_gpus();
  settle_constants();
  busy_ = std::vector<Busy>(static_cast<std::size_t>(workers()));
  share(equal_sizes(matrices_.own().size(), workers()));
}

template <class T>
Simulation<T>::~Simulation() {
  starpu_task_wait_for_all();
  wait_for_record();
  for (const starpu_data_handle_t handle : settled_) starpu_data_release_on_node(handle, node_of_home());
}

template <class T>
std::int32_t Simulation<T>::workers() const {
  return static_cast<std::int32_t>(gpus_.size() + (cores_.empty() ? 0 : 1));
}

template <class T>
void Simulation<T>::share(const Sizes& blocks) {
  if (blocks.size() != static_cast<std::size_t>(workers()) ||
      std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}) != matrices_.own().size())
    bad_input("{} blocks of slices have to be shared out among {} workers", matrices_.own().size(), workers());
  shares_ = blocks;
}

// a lag that pads a panel reads before the window's oldest value that counts
template <class T>
void Simulation<T>::build_windows(std::int32_t heard_lag) {
  const LagCounts& counts = matrices_.structure().counts;
  shape_.group = method_.group;
  shape_.reach = std::max(counts.largest_lag + counts.longest, heard_lag + method_.group);
  // a group ahead looks further into the future, which is zero
  shape_.stride =
      aligned((shape_.reach + width_) * static_cast<std::int64_t>(sizeof(T))) / static_cast<std::int64_t>(sizeof(T));
  window_memory_.resize(matrices_.blocks());
  windows_.resize(matrices_.blocks());
  for (const std::size_t b : matrices_.own_blocks()) {
    const auto elements = static_cast<std::size_t>(waves_ * matrices_.structure().clusters[b].size() * shape_.stride);
    window_memory_[b] = HostBuffer<T>(elements);
    windows_[b] = Handle::temporary(window_memory_[b].data(), elements, sizeof(T), fmt::format("window_{}", b));
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const auto elements = static_cast<std::size_t>(waves_) * static_cast<std::size_t>(method_.group) *
                          static_cast<std::size_t>(unknowns_);
    solution_memory_[s] = HostBuffer<T>(elements);
    solutions_[s] = Handle::temporary(solution_memory_[s].data(), elements, sizeof(T), fmt::format("solutions_{}", s));
  }
}

template <class T>
void Simulation<T>::build_surface() {
  const Surface& s = problem_.surface;
  surface_.push_back(constant(s.vertices, "vertices"));
  surface_.push_back(constant(s.triangles, "triangles"));
  surface_.push_back(constant(s.normals, "normals"));
  surface_.push_back(constant(s.areas, "areas"));
  surface_.push_back(constant(s.start, "triangles_start"));
  surface_.push_back(constant(s.around, "triangles_around"));
}

template <class T>
void Simulation<T>::build_parts() {
  const std::vector<Range>& clusters = matrices_.structure().clusters;
  // one unit does all that follows the products where that is a GPU
  const std::size_t count =
      gpus_.empty() ? std::min({cores_.size(), clusters.size(), static_cast<std::size_t>(codelets::most_parts)}) : 1;
  const NearPairs<T> pairs = width_ > 1 ? matrices_.near(width_) : NearPairs<T>{};
  std::size_t first = 0;
  for (const std::size_t end : cut(clusters.size(), count)) {
    Part part;
    part.first = first;
    part.end = end;
    part.row_begin = clusters[first].begin;
    part.rows = clusters[end - 1].end - part.row_begin;
    const std::string name = fmt::format("rows_{}", parts_.size());
    const auto rows = static_cast<std::size_t>(waves_) * static_cast<std::size_t>(part.rows);
    part.totals_memory = HostBuffer<T>(rows * static_cast<std::size_t>(width_));
    part.totals =
        Handle::temporary(part.totals_memory.data(), part.totals_memory.size(), sizeof(T), "totals_of_" + name);
    for (std::int32_t w = 0; w < waves_; ++w)
      part.light.push_back(
          Handle::temporary(nullptr, static_cast<std::size_t>(part.rows) * static_cast<std::size_t>(method_.group),
                            sizeof(T), fmt::format("light_{}_of_{}", w, name))
              .kept_in_memory());
    if (width_ > 1) {
      const NearRows<T> near = near_rows(pairs, part.row_begin, part.rows);
      append(part.near_bytes, near.begin);
      part.radiate.reached = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.reached);
      part.radiate.column = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.column);
      part.radiate.values = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.values);
      part.near_bytes.resize(static_cast<std::size_t>(aligned(static_cast<std::int64_t>(part.near_bytes.size()))));
      part.radiate.work.cells = near.pairs;
      part.radiate.row_begin = part.row_begin;
      part.radiate.rows = part.rows;
      part.radiate.lags = near.lags;
      part.radiate.unknowns = unknowns_;
      part.radiate.group = method_.group;
      part.radiate.waves = waves_;
    }
    parts_.push_back(std::move(part));
    first = end;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (!parts_[p].near_bytes.empty())
      parts_[p].near = Handle::temporary(parts_[p].near_bytes.data(), parts_[p].near_bytes.size() / 64, 64,
                                         fmt::format("near_{}", p));
}

template <class T>
typename Simulation<T>::Partial Simulation<T>::partial_of(std::size_t first, std::size_t end, int worker,
                                                          const std::string& name) const {
  const std::vector<Range>& clusters = matrices_.structure().clusters;
  Partial p;
  p.first = first;
  p.end = end;
  p.row_begin = clusters[first].begin;
  p.rows = clusters[end - 1].end - p.row_begin;
  p.worker = worker;
  p.sums = Handle::temporary(nullptr,
                             static_cast<std::size_t>(waves_) * static_cast<std::size_t>(p.rows) *
                                 static_cast<std::size_t>(method_.group),
                             sizeof(T), name)
               .kept_in_memory();
  return p;
}

template <class T>
void Simulation<T>::build_partials() {
  const std::size_t clusters = matrices_.blocks();
  codelets::PartOfBlock largest = matrices_.place(0, 0, clusters);
  product_scratch_ = Handle::temporary(nullptr, codelets::product_scratch_bytes<T>(largest, method_.group, waves_), 1,
                                       "scratch_of_products");
  if (sharing_ == Sharing::scheduler) {
    // products of one partial sum follow each other, in the same order whoever computes them
    const auto own = static_cast<std::size_t>(matrices_.own().size());
    const std::size_t sums = std::min({sums_per_unit * (cores_.size() + gpus_.size()), own, most_sums});
    static_assert(most_sums <= most_partials);
    for (std::size_t s = 0; s < sums; ++s) partials_.push_back(partial_of(0, clusters, -1, fmt::format("sums_{}", s)));
    return;
  }
  if (!cores_.empty()) {
    std::size_t first = 0;
    for (const std::size_t end : cut(clusters, std::min(cores_.size(), clusters))) {
      const std::size_t core = partials_.size();
      partials_.push_back(partial_of(first, end, cores_[core], fmt::format("sums_of_core_{}", core)));
      first = end;
    }
  }
  core_partials_ = partials_.size();
  for (std::size_t g = 0; g < gpus_.size(); ++g)
    partials_.push_back(partial_of(0, clusters, gpus_[g], fmt::format("sums_of_gpu_{}", g)));
}

template <class T>
void Simulation<T>::build_initial() {
  const InitialMatrix& m = matrices_.initial();
  m0_start_.assign(m.start.begin(), m.start.end());
  m0_value_.assign(m.value.begin(), m.value.end());
  m0_inverse_.resize(static_cast<std::size_t>(unknowns_));
  const CsrView<T> view{unknowns_, m0_start_.data(), m.column.data(), m0_value_.data()};
  if (const std::int32_t row = cpu::invert_diagonal(view, m0_inverse_.data()); row >= 0 && !simulated)
    failed("M^0 has no positive diagonal entry in row {}: the quadrature is too coarse for this surface", row);
  m0_.push_back(constant(m0_start_, "m0_start"));
  m0_.push_back(constant(m.column, "m0_column"));
  m0_.push_back(constant(m0_value_, "m0_value"));
  m0_.push_back(constant(m0_inverse_, "m0_inverse_diagonal"));
  solve_scratch_ = Handle::temporary(nullptr, codelets::solve_scratch_bytes<T>(unknowns_), 1, "scratch_of_solutions");
  tally_memory_ = HostBuffer<SolveTally>(1);
  tally_memory_[0] = SolveTally{};
  tally_ = Handle::temporary(tally_memory_.data(), 1, sizeof(SolveTally), "tally");
  if (problem_.solver != Solver::factorisation) return;
  if (of_ranks_) {
    direct_of_ranks_ = std::make_unique<DirectSolverOfRanks<T>>(view);
    solve_directly_ = [this](void* rhs) {
      direct_of_ranks_->solve({static_cast<T*>(rhs), static_cast<std::size_t>(unknowns_)});
    };
  } else {
    direct_ = std::make_unique<DirectSolver<T>>(view);
    solve_directly_ = [this](void* rhs) {
      direct_->solve({static_cast<T*>(rhs), static_cast<std::size_t>(unknowns_)});
    };
  }
}

// weights of all unknowns are cut into those of blocks
template <class T>
void Simulation<T>::build_observers(const ObserverWeights<T>& all) {
  const std::size_t observers = problem_.observers.size();
  listening_.resize(matrices_.blocks());
  for (const std::size_t b : matrices_.own_blocks()) {
    const Range slices = matrices_.structure().clusters[b];
    Listening& l = listening_[b];
    l.start.push_back(0);
    for (std::size_t o = 0; o < observers; ++o)
      for (std::int32_t j = slices.begin; j < slices.end; ++j) {
        const std::size_t x = o * static_cast<std::size_t>(unknowns_) + static_cast<std::size_t>(j);
        l.first.push_back(all.first[x]);
        l.weight.insert(l.weight.end(), all.weight.begin() + static_cast<std::ptrdiff_t>(all.start[x]),
                        all.weight.begin() + static_cast<std::ptrdiff_t>(all.start[x + 1]));
        l.start.push_back(l.weight.size());
      }
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const std::size_t elements = static_cast<std::size_t>(waves_) * observers * static_cast<std::size_t>(method_.group);
    pressure_memory_[s] = HostBuffer<T>(elements);
    pressure_[s] = Handle::temporary(pressure_memory_[s].data(), elements, sizeof(T), fmt::format("pressure_{}", s));
  }
  for (const std::size_t b : matrices_.own_blocks()) {
    Listening& l = listening_[b];
    l.start_handle =
        Handle::temporary(l.start.data(), l.start.size(), sizeof(l.start[0]), fmt::format("heard_start_{}", b));
    l.first_handle =
        Handle::temporary(l.first.data(), l.first.size(), sizeof(l.first[0]), fmt::format("heard_first_{}", b));
    l.weight_handle = Handle::temporary(l.weight.data(), l.weight.size(), sizeof(T), fmt::format("heard_weight_{}", b));
    l.heard = Handle::temporary(nullptr,
                                static_cast<std::size_t>(waves_) * observers * static_cast<std::size_t>(method_.group),
                                sizeof(T), fmt::format("heard_{}", b))
                  .kept_in_memory();
  }
}

template <class T>
std::vector<double> Simulation<T>::product_seconds() {
  std::vector<double> seconds;
  for (Busy& busy : busy_) seconds.push_back(static_cast<double>(busy.nanoseconds.exchange(0)) * 1e-9);
  if (!cores_.empty()) seconds[0] /= static_cast<double>(std::max<std::size_t>(core_partials_, 1));
  return seconds;
}

template <class T>
std::vector<double> Simulation<T>::solution(std::int64_t step, std::int32_t wave) {
  const std::int64_t first = steps_ - method_.group;
  if (step < first || step >= steps_) failed("step {} is not among the last {}", step, method_.group);
  const starpu_data_handle_t handle = solutions(steps_ / method_.group - 1);
  const Acquired held(handle, STARPU_R);
  const auto* values =
      static_cast<const T*>(starpu_data_get_local_ptr(handle)) + (wave * method_.group + (step - first)) * unknowns_;
  return {values, values + unknowns_};
}

template <class T>
SolveTally Simulation<T>::tally() {
  const Acquired held(tally_, STARPU_R);
  return *static_cast<const SolveTally*>(starpu_data_get_local_ptr(tally_));
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem
