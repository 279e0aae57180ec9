// The tasks of a group of time steps. Steps n to n + n_g - 1:
//   sums      s_i^(n+g) = sum_j sum_k M^k(i, j) a_j^(n+g-k) over what is known, a^m with m < n   by slices
//             over several ranks: added up on the way to the rank of their rows, and gathered at once or step by step
//   per step  M^0 a^(n+g) = l^(n+g) - s^(n+g)
//             s^(n+h) += M^(h-g) a^(n+g), h > g                                                 radiation
//   windows   move on by n_g steps
#include <starpu.h>
#include <starpu_profiling.h>

#include <algorithm>
#include <memory>

#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {
namespace {

/// What the others wait for comes first.
enum Priority : int { products = 0, windows = 1, solutions_first = 2 };

/// Adds the time of the task that has ended.
void add_time(void* argument) {
  auto* const nanoseconds = static_cast<std::atomic<std::int64_t>*>(argument);
  const starpu_task* const task = starpu_task_get_current();
  if (task == nullptr || task->profiling_info == nullptr) return;
  nanoseconds->fetch_add(static_cast<std::int64_t>(
      1e3 * starpu_timing_timespec_delay_us(&task->profiling_info->start_time, &task->profiling_info->end_time)));
}

}  // namespace

template <class T>
TaskOptions Simulation<T>::home(double flops, int priority) const {
  TaskOptions options;
  options.flops = flops;
  options.priority = priority;
  options.worker = home_;
  return options;
}

/// Is there light in the steps of the group that begins with `step`?
template <class T>
bool Simulation<T>::lit(std::int64_t step) const {
  const double begin = static_cast<double>(problem_.first_step + step) * problem_.dt;
  return begin + method_.group * problem_.dt > passage_.begin && begin < passage_.end;
}

template <class T>
void Simulation<T>::submit_product(Range blocks, std::size_t partial, std::atomic<std::int64_t>* busy) {
  Partial& to = partials_[partial];
  codelets::ProductArgs args;
  args.shape = shape_;
  if (method_.ahead) args.shape.reach += method_.group;  // to a group further on; this one's values are still zero
  args.waves = waves_;
  args.row_begin = to.row_begin;
  args.rows = to.rows;
  args.clear = to.used ? 0 : 1;
  TaskOptions options;
  std::vector<Access> accesses;
  double bytes = 0, values = 0;
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    const auto block = static_cast<std::size_t>(b);
    args.place[args.blocks++] = matrices_.place(block, to.first, to.end);
    bytes += static_cast<double>(matrices_.block_bytes(block));
    values += static_cast<double>(matrices_.values(block));
    accesses.push_back({matrices_.block(block), STARPU_R});
    accesses.push_back({windows_[block], STARPU_R});
  }
  const double share = static_cast<double>(to.rows) / unknowns_;
  args.work.cells = static_cast<std::int64_t>(share * bytes);
  args.work.variant = method_.group;
  options.flops = 2.0 * values * share * method_.group * waves_;
  options.priority = products;
  options.worker = to.worker;
  options.done = add_time;
  options.done_argument = busy;
  accesses.push_back({to.sums, args.clear != 0 ? STARPU_W : STARPU_RW});
  if (partial >= core_partials_) accesses.push_back({product_scratch_, STARPU_SCRATCH});
  to.used = true;
  submit(codelets::product<T>(), args, accesses, options);
  ++tasks_;
}

template <class T>
void Simulation<T>::submit_products() {
  if (sharing_ == Sharing::scheduler) {
    for (std::int32_t b = matrices_.own().begin; b < matrices_.own().end; ++b)
      submit_product({b, b + 1}, static_cast<std::size_t>(b - matrices_.own().begin) % partials_.size(),
                     &busy_[0].nanoseconds);
    return;
  }
  // Forwards and backwards in turn, so that a group begins with the blocks that the last one ended with: where not all
  // fit into memory, those are still there. (Least recently used ones go first, and in a circle each would be gone.)
  const bool backwards = steps_ / method_.group % 2 != 0;
  std::int32_t begin = matrices_.own().begin;
  for (std::size_t w = 0; w < shares_.size(); ++w) {
    const bool cores = w == 0 && !cores_.empty();
    const std::size_t first = cores ? 0 : core_partials_ + w - (cores_.empty() ? 0 : 1);
    const std::size_t end = cores ? core_partials_ : first + 1;
    const std::int32_t share_end = begin + static_cast<std::int32_t>(shares_[w]);
    std::vector<Range> batches;
    for (std::int32_t b = begin; b < share_end; b = batches.back().end)
      batches.push_back({b, cores ? b + 1 : end_of_batch(b, share_end)});
    if (backwards) std::reverse(batches.begin(), batches.end());
    for (const Range& batch : batches)
      for (std::size_t p = first; p < end; ++p) submit_product(batch, p, &busy_[w].nanoseconds);
    begin = share_end;
  }
}

/// Blocks from `first` on that a GPU takes together, up to `end`.
template <class T>
std::int32_t Simulation<T>::end_of_batch(std::int32_t first, std::int32_t end) const {
  std::int64_t bytes = 0;
  std::int32_t b = first;
  do bytes += matrices_.block_bytes(static_cast<std::size_t>(b++));
  while (b < end && b < first + most_blocks_at_once &&
         bytes + matrices_.block_bytes(static_cast<std::size_t>(b)) <= batch_bytes_);
  return b;
}

template <class T>
void Simulation<T>::submit_combine() {
  std::vector<Addend> addends;
  for (const Partial& p : partials_)
    if (p.used) addends.push_back({p.sums, {p.row_begin, p.rows, Arrangement::by_wave, 0}});
  const TaskOptions options = home(0, solutions_first);
  if (of_ranks_) {
    tasks_ += of_ranks_->submit_sums(addends, options);
    addends = of_ranks_->sums();
  }
  for (const Part& part : parts_)
    tasks_ += submit_sum<T>(part.totals, {part.row_begin, part.rows, method_.group, width_, waves_},
                            method_.ahead ? Begun::next : Begun::nothing, addends, options);
}

template <class T>
void Simulation<T>::submit_light(std::int32_t row_begin, std::int32_t rows, const std::vector<Handle>& light) {
  for (std::int32_t w = 0; w < waves_; ++w) {
    codelets::IlluminateArgs args;
    args.light = illumination(problem_.boundary, problem_.waves[static_cast<std::size_t>(w)],
                              triangle_rule(problem_.rules.far_points));
    args.steps = {problem_.dt, problem_.first_step + steps_, method_.group};
    args.row_begin = row_begin;
    args.rows = rows;
    args.vertices = unknowns_;
    args.triangles = static_cast<std::int32_t>(problem_.surface.triangles.size());
    args.work.cells = rows;
    args.work.variant = method_.group;
    std::vector<Access> accesses = {{light[static_cast<std::size_t>(w)], STARPU_W}};
    for (const Handle& h : surface_) accesses.push_back({h, STARPU_R});
    submit(codelets::illuminate<T>(), args, accesses, home(0, solutions_first));
    ++tasks_;
  }
}

/// Over several ranks each has the light of its own rows, which then is subtracted from the sums.
template <class T>
void Simulation<T>::submit_illuminate() {
  if (!of_ranks_) {
    for (const Part& part : parts_) submit_light(part.row_begin, part.rows, part.light);
    return;
  }
  const TaskOptions options = home(0, solutions_first);
  for (const auto& piece : of_ranks_->pieces()) submit_light(piece.row_begin, piece.rows, piece.light);
  tasks_ += of_ranks_->submit_light(options);
  for (const Part& part : parts_)
    tasks_ += submit_sum<T>(part.totals, {part.row_begin, part.rows, method_.group, width_, waves_}, Begun::present,
                            of_ranks_->light(), options);
}

template <class T>
void Simulation<T>::submit_solve(std::int32_t g, std::int32_t wave) {
  const std::int64_t number = steps_ / method_.group;
  codelets::SolveArgs args;
  args.work.cells = unknowns_;
  args.rows = unknowns_;
  args.group = method_.group;
  args.width = width_;
  args.waves = waves_;
  args.g = g;
  args.wave = wave;
  args.totals_g = g;
  args.totals_wave = wave;
  args.step = steps_ + g;
  args.limits = problem_.limits;
  args.lit = lit(steps_) && !of_ranks_ ? 1 : 0;
  std::vector<std::pair<std::int32_t, starpu_data_handle_t>> totals;
  for (const Part& part : parts_) totals.emplace_back(part.rows, part.totals);
  if (of_ranks_ && of_ranks_->own_rows()) {
    std::vector<starpu_data_handle_t> own;
    for (const Part& part : parts_) own.push_back(part.totals);
    tasks_ += of_ranks_->submit_step(own, width_, g, wave, home(0, solutions_first));
    totals = {{unknowns_, of_ranks_->step(wave)}};
    args.width = 1;
    args.totals_g = args.totals_wave = 0;
  }
  args.parts = static_cast<std::int32_t>(totals.size());
  std::vector<Access> accesses;
  for (const Handle& h : m0_) accesses.push_back({h, STARPU_R});
  accesses.push_back({solutions(number), STARPU_RW});
  accesses.push_back({solutions(number + 1), STARPU_R});
  accesses.push_back({tally_, STARPU_RW});
  accesses.push_back({solve_scratch_, STARPU_SCRATCH});
  for (std::size_t p = 0; p < totals.size(); ++p) {
    args.part_rows[p] = totals[p].first;
    accesses.push_back({totals[p].second, STARPU_R});
    if (args.lit != 0) accesses.push_back({parts_[p].light[static_cast<std::size_t>(wave)], STARPU_R});
  }
  TaskOptions options = home(0, solutions_first);
  const bool directly = problem_.solver == Solver::factorisation;
  if (directly) {
    args.direct = &solve_directly_;
    options.worker = -1;
  }
  submit(directly ? codelets::solve_directly<T>() : codelets::solve<T>(), args, accesses, options);
  ++tasks_;
}

template <class T>
void Simulation<T>::submit_radiate(Part& part, std::int32_t g) {
  codelets::RadiateArgs args = part.radiate;
  args.g0 = g;
  args.work.variant = width_ - 1 - g;
  submit(codelets::radiate<T>(), args,
         {{part.near, STARPU_R}, {solutions(steps_ / method_.group), STARPU_R}, {part.totals, STARPU_RW}},
         home(radiation_flops(args.work.cells, width_ - 1 - g) * waves_, solutions_first));
  ++tasks_;
}

template <class T>
void Simulation<T>::submit_move_on(Range blocks) {
  codelets::MoveOnArgs args;
  args.shape = shape_;
  args.unknowns = unknowns_;
  args.waves = waves_;
  std::vector<Access> accesses;
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    const Range slices = matrices_.structure().clusters[static_cast<std::size_t>(b)];
    args.slices[args.blocks++] = {slices.begin, slices.size()};
    args.work.cells += slices.size() * shape_.stride;
    accesses.push_back({windows_[static_cast<std::size_t>(b)], STARPU_RW});
  }
  args.work.variant = args.blocks;
  accesses.push_back({solutions(steps_ / method_.group), STARPU_R});
  TaskOptions options;
  options.priority = windows;
  options.worker = owner(static_cast<std::size_t>(blocks.begin));
  submit(codelets::move_on<T>(), args, accesses, options);
  ++tasks_;
}

/// Windows of a GPU move on together.
template <class T>
void Simulation<T>::submit_moves() {
  const std::int32_t blocks = matrices_.own().end;
  for (std::int32_t b = matrices_.own().begin, next = 0; b < blocks; b = next) {
    const int unit = owner(static_cast<std::size_t>(b));
    const bool gpu = std::find(gpus_.begin(), gpus_.end(), unit) != gpus_.end();
    const std::int32_t most = gpu ? std::min(blocks, b + most_blocks_at_once) : b + 1;
    next = b + 1;
    while (next < most && owner(static_cast<std::size_t>(next)) == unit) ++next;
    submit_move_on({b, next});
  }
}

/// Where the windows of a block are needed next: on its GPU, or on some core.
template <class T>
int Simulation<T>::owner(std::size_t block) const {
  if (sharing_ == Sharing::scheduler) return -1;
  std::int64_t b = static_cast<std::int64_t>(block) - matrices_.own().begin;
  for (std::size_t w = 0; w < shares_.size(); ++w) {
    if (b >= shares_[w]) {
      b -= shares_[w];
      continue;
    }
    const bool cores = w == 0 && !cores_.empty();
    return cores ? cores_[block % cores_.size()] : gpus_[w - (cores_.empty() ? 0 : 1)];
  }
  return -1;
}

template <class T>
void Simulation<T>::submit_observe() {
  const std::int64_t number = steps_ / method_.group;
  const auto observers = static_cast<std::int32_t>(problem_.observers.size());
  const Handle& pressure = pressure_[static_cast<std::size_t>(number % 2)];
  std::vector<Addend> heard;
  for (const std::size_t b : matrices_.own_blocks()) {
    const Listening& l = listening_[b];
    codelets::ObserveArgs args;
    args.shape = shape_;
    args.observers = observers;
    args.slices = matrices_.structure().clusters[b].size();
    args.waves = waves_;
    args.work.cells = static_cast<std::int64_t>(l.weight.size());
    TaskOptions options;
    options.flops = observe_flops_per_weight * static_cast<double>(l.weight.size()) * method_.group * waves_;
    options.worker = owner(b);
    submit(codelets::observe<T>(), args,
           {{l.start_handle, STARPU_R},
            {l.first_handle, STARPU_R},
            {l.weight_handle, STARPU_R},
            {windows_[b], STARPU_R},
            {l.heard, STARPU_W}},
           options);
    heard.push_back({l.heard, {0, observers, Arrangement::by_wave, 0}});
    ++tasks_;
  }
  tasks_ += submit_sum<T>(pressure, {0, observers, method_.group, method_.group, waves_}, Begun::nothing, heard,
                          home(0, windows));
  struct Kept {
    starpu_data_handle_t handle;
    double* record;
    std::int64_t stride;
    std::int64_t lines;
    std::int64_t group;
  };
  auto* const kept = new Kept{pressure, record_.data() + steps_, record_stride_,
                              static_cast<std::int64_t>(waves_) * observers, method_.group};
  starpu_data_acquire_cb(
      pressure, STARPU_R,
      [](void* argument) {
        const std::unique_ptr<Kept> k(static_cast<Kept*>(argument));
        // not the local pointer: a GPU's thread may be the one that gets here
        const auto* const values = static_cast<const T*>(starpu_data_handle_to_pointer(k->handle, STARPU_MAIN_RAM));
        for (std::int64_t line = 0; line < k->lines; ++line)
          std::copy_n(values + line * k->group, k->group, k->record + line * k->stride);
        starpu_data_release(k->handle);
      },
      kept);
}

template <class T>
void Simulation<T>::begin_group() {
  if (begun_) return;
  if (!method_.ahead) submit_products();
  submit_combine();
  for (Partial& p : partials_) p.used = false;
  begun_ = true;
}

template <class T>
void Simulation<T>::advance() {
  reserve(steps_ + method_.group);
  starpu_iteration_push(static_cast<unsigned long>(steps_ / method_.group));
  begin_group();
  if (lit(steps_)) submit_illuminate();
  if (method_.ahead) submit_products();
  for (std::int32_t g = 0; g < method_.group; ++g) {
    for (std::int32_t wave = 0; wave < waves_; ++wave) submit_solve(g, wave);
    if (g + 1 < width_)
      for (Part& part : parts_) submit_radiate(part, g);
  }
  submit_moves();
  if (!listening_.empty()) submit_observe();
  steps_ += method_.group;
  begun_ = false;
  starpu_iteration_pop();
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem
