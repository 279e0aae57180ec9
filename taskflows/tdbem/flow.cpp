// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/flow.hpp"

#include <starpu.h>
#include <starpu_profiling.h>

#include <algorithm>
#include <memory>

#include "codelets/tdbem/kernels/march/group_march.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Widens the time span of a worker's products by the task that has ended.
void add_span(void* argument) {
  const starpu_task* const task = starpu_task_get_current();
  if (task == nullptr || task->profiling_info == nullptr) return;
  static_cast<ProductSpan*>(argument)->add(nanoseconds(task->profiling_info->submit_time),
                                           nanoseconds(task->profiling_info->end_time));
}

}  // namespace

/// Does an incident wave pass the bodies in the steps of the group that begins with `step`?
template <class T>
bool Simulation<T>::illuminated(std::int64_t step) const {
  const double begin = static_cast<double>(problem_.first_step + step) * problem_.dt;
  return begin + method_.group * problem_.dt > passage_.begin && begin < passage_.end;
}

template <class T>
TaskOptions Simulation<T>::on_solving_unit(Priority priority) const {
  TaskOptions options;
  options.priority = priority;
  options.worker = solving_unit_;
  return options;
}

/// What ranks exchange of the next group travels while the solving unit is busy with this one.
template <class T>
TaskOptions Simulation<T>::on_exchanging_unit() const {
  TaskOptions options = on_solving_unit(solution_priority);
  if (method_.ahead && !gpus_.empty()) options.worker = gpus_.front();
  return options;
}

// Summation stage.

/// The datum of a block of slices that products read, and its size.
template <class T>
starpu_data_handle_t Simulation<T>::product_block(std::size_t b) const {
  return full_blocks_ ? full_blocks_->block(b) : matrices_.block(b);
}
template <class T>
std::int64_t Simulation<T>::product_bytes_of(std::size_t b) const {
  return full_blocks_ ? full_blocks_->block_bytes(b) : matrices_.block_bytes(b);
}

/// Values that the operations of a product are counted by: with the zeros that fill blocks for the paper's two ways of
/// blocking, as its rates are (tables 2 and 3).
template <class T>
double Simulation<T>::counted_values(std::size_t b) const {
  if (full_blocks_) return static_cast<double>(full_blocks_->values(b));
  return static_cast<double>(method_.kernel == Kernel::contiguous_blocking ? matrices_.padded_values(b)
                                                                           : matrices_.values(b));
}

template <class T>
Codelet& Simulation<T>::product_codelet() const {
  switch (method_.kernel) {
    case Kernel::full_blocking:
      return codelets::full_blocks_product.of<T>();
    case Kernel::scalar:
      return codelets::scalar_products.of<T>();
    case Kernel::matrix_vector:
      return codelets::matrix_vector_products.of<T>();
    default:
      return codelets::product.of<T>();
  }
}

template <class T>
void Simulation<T>::submit_product(Range blocks, std::size_t partial, ProductSpan* span) {
  Partial& to = partials_[partial];
  codelets::ProductArgs args;
  args.shape = shape_;
  if (method_.ahead) args.shape.reach += method_.group;  // to a group further on; this one's values are still zero
  args.waves = waves_;
  args.row_begin = to.row_begin;
  args.rows = to.rows;
  args.clear = !to.used;
  TaskOptions options;
  std::vector<Access> accesses;
  double bytes = 0, values = 0;
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    const auto block = static_cast<std::size_t>(b);
    if (full_blocks_) args.full_blocks[args.blocks] = full_blocks_->places(block);
    args.place[args.blocks++] = matrices_.place(block, to.first, to.end);
    bytes += static_cast<double>(product_bytes_of(block));
    values += counted_values(block);
    accesses.push_back({product_block(block), STARPU_R});
    accesses.push_back({windows_[block], STARPU_R});
  }
  const double share = static_cast<double>(to.rows) / unknowns_;
  args.values = values * share;
  args.shape_of_full_blocks = method_.shape_of_full_blocks;
  args.work.cells = static_cast<std::int64_t>(share * bytes);
  args.work.variant = method_.group;
  options.priority = summation_priority;
  options.worker = to.worker;
  options.done = add_span;
  options.done_argument = span;
  accesses.push_back({to.sums, args.clear ? STARPU_W : STARPU_RW});
  if (partial >= core_partials_) accesses.push_back({product_scratch_, STARPU_SCRATCH});
  to.used = true;
  // s_i^(n+g) += sum_j sum_(k>g) M^k(i, j) a_j^(n+g-k), j in the slices of these blocks
  submit(product_codelet(), args, accesses, options);
  ++tasks_;
}

template <class T>
void Simulation<T>::submit_products() {
  if (sharing_ == Sharing::scheduler) {
    for (std::int32_t b = matrices_.own().begin; b < matrices_.own().end; ++b)
      submit_product({b, b + 1}, static_cast<std::size_t>(b - matrices_.own().begin) % partials_.size(), &spans_[0]);
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
      for (std::size_t p = first; p < end; ++p) submit_product(batch, p, &spans_[w]);
    begin = share_end;
  }
}

/// Blocks from `first` on that a GPU takes together, up to `end`.
template <class T>
std::int32_t Simulation<T>::end_of_batch(std::int32_t first, std::int32_t end) const {
  std::int64_t bytes = 0;
  std::int32_t b = first;
  do bytes += product_bytes_of(static_cast<std::size_t>(b++));
  while (b < end && b < first + most_blocks_at_once &&
         bytes + product_bytes_of(static_cast<std::size_t>(b)) <= batch_bytes_);
  return b;
}

template <class T>
void Simulation<T>::submit_combine() {
  std::vector<Addend> addends;
  for (const Partial& p : partials_)
    if (p.used) addends.push_back({p.sums, {p.row_begin, p.rows, Arrangement::by_wave, 0}});
  const TaskOptions options = on_solving_unit(solution_priority);
  // over several ranks: sum of those of all ranks
  if (distributed_sums_) {
    tasks_ += distributed_sums_->submit_sums(addends, on_exchanging_unit());
    addends = distributed_sums_->sums();
  }
  // s = (what the group before radiated into this one) + sum of the partial sums of all units
  for (const Part& part : parts_)
    tasks_ += submit_sum<T>(part.totals, {part.row_begin, part.rows, method_.group, width_, waves_},
                            method_.ahead ? Begun::next : Begun::nothing, addends, options);
}

// Right-hand sides of the incident wave.

template <class T>
void Simulation<T>::submit_incident(std::int32_t row_begin, std::int32_t rows, const std::vector<Handle>& incident,
                                    const TaskOptions& options) {
  for (std::int32_t w = 0; w < waves_; ++w) {
    codelets::IlluminateArgs args;
    args.incident = illumination(problem_.boundary, problem_.waves[static_cast<std::size_t>(w)],
                                 triangle_rule(problem_.rules.far_points));
    args.steps = {problem_.dt, problem_.first_step + steps_, method_.group};
    args.row_begin = row_begin;
    args.rows = rows;
    args.vertices = unknowns_;
    args.triangles = static_cast<std::int32_t>(problem_.surface.triangles.size());
    args.work.cells = rows;
    args.work.variant = method_.group;
    std::vector<Access> accesses = {{incident[static_cast<std::size_t>(w)], STARPU_W}};
    for (const Handle& h : surface_) accesses.push_back({h, STARPU_R});
    // l^(n+g) = what the incident wave does to the rows in the steps of the group (illumination.hpp)
    submit(codelets::illuminate.of<T>(), args, accesses, options);
    ++tasks_;
  }
}

/// Over several ranks each computes l of its own rows, which then is subtracted from the sums.
template <class T>
void Simulation<T>::submit_illuminate() {
  const TaskOptions options = on_solving_unit(solution_priority);
  if (!distributed_sums_) {
    for (const Part& part : parts_) submit_incident(part.row_begin, part.rows, part.incident, options);
    return;
  }
  for (const auto& piece : distributed_sums_->pieces())
    submit_incident(piece.row_begin, piece.rows, piece.incident, on_exchanging_unit());
  tasks_ += distributed_sums_->submit_incident(on_exchanging_unit());
  // s -= l
  for (const Part& part : parts_)
    tasks_ += submit_sum<T>(part.totals, {part.row_begin, part.rows, method_.group, width_, waves_}, Begun::present,
                            distributed_sums_->incident(), options);
}

// Solution.

template <class T>
codelets::SolveArgs Simulation<T>::solve_args(std::int32_t g, std::int32_t wave) const {
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
  args.illuminated = illuminated(steps_) && !distributed_sums_;
  return args;
}

/// M^0 and what solutions work with.
template <class T>
std::vector<Access> Simulation<T>::solve_accesses() const {
  const std::int64_t number = steps_ / method_.group;
  std::vector<Access> accesses;
  for (const Handle& h : m0_) accesses.push_back({h, STARPU_R});
  accesses.push_back({solutions(number), STARPU_RW});
  accesses.push_back({solutions(number + 1), STARPU_R});
  accesses.push_back({tally_, STARPU_RW});
  accesses.push_back({solve_scratch_, STARPU_SCRATCH});
  return accesses;
}

template <class T>
void Simulation<T>::submit_solve(std::int32_t g, std::int32_t wave) {
  codelets::SolveArgs args = solve_args(g, wave);
  std::vector<std::pair<std::int32_t, starpu_data_handle_t>> totals;
  for (const Part& part : parts_) totals.emplace_back(part.rows, part.totals);
  if (distributed_sums_ && distributed_sums_->own_rows()) {
    std::vector<starpu_data_handle_t> own;
    for (const Part& part : parts_) own.push_back(part.totals);
    tasks_ += distributed_sums_->submit_step(own, width_, g, wave, on_solving_unit(solution_priority));
    totals = {{unknowns_, distributed_sums_->step(wave)}};
    args.width = 1;
    args.totals_g = args.totals_wave = 0;
  }
  args.parts = static_cast<std::int32_t>(totals.size());
  std::vector<Access> accesses = solve_accesses();
  for (std::size_t p = 0; p < totals.size(); ++p) {
    args.part_rows[p] = totals[p].first;
    accesses.push_back({totals[p].second, STARPU_R});
    if (args.illuminated) accesses.push_back({parts_[p].incident[static_cast<std::size_t>(wave)], STARPU_R});
  }
  TaskOptions options = on_solving_unit(solution_priority);
  const bool directly = problem_.solver == Solver::factorisation;
  if (directly) {
    args.direct = &solve_directly_;
    options.worker = any_worker;
  }
  // M^0 a^(n+g) = l^(n+g) - s^(n+g)
  submit(directly ? codelets::solve_directly.of<T>() : codelets::solve.of<T>(), args, accesses, options);
  ++tasks_;
}

// Radiation stage.

template <class T>
void Simulation<T>::submit_radiate(Part& part, std::int32_t g) {
  codelets::RadiateArgs args = part.radiate;
  args.g0 = g;
  args.work.variant = width_ - 1 - g;
  // s^(n+h) += M^(h-g) a^(n+g), g < h < width
  submit(codelets::radiate.of<T>(), args,
         {{part.near, STARPU_R}, {solutions(steps_ / method_.group), STARPU_R}, {part.totals, STARPU_RW}},
         on_solving_unit(solution_priority));
  ++tasks_;
}

/// Solutions and radiations of a group in one task: where one unit does them one after the other. (A simulated machine
/// may not say how long that takes.)
template <class T>
bool Simulation<T>::marches() const {
  const Platform* const platform = simulated_platform();
  const bool known = platform == nullptr || platform->codelets.contains(codelets::march.of<T>().symbol());
  return known && parts_.size() == 1 && parts_[0].rows == unknowns_ && waves_ <= most_lit_waves &&
         problem_.solver != Solver::factorisation;
}

template <class T>
void Simulation<T>::submit_march() {
  const Part& part = parts_[0];
  codelets::MarchArgs args;
  args.solve = solve_args(0, 0);
  args.radiate = part.radiate;
  args.work.cells = unknowns_;
  args.work.variant = width_;
  std::vector<Access> accesses = solve_accesses();
  accesses.push_back({part.totals, STARPU_RW});
  for (const Handle& incident : part.incident)
    if (args.solve.illuminated) accesses.push_back({incident, STARPU_R});
  if (width_ > 1) accesses.push_back({part.near, STARPU_R});
  // for each g: M^0 a^(n+g) = l^(n+g) - s^(n+g); s^(n+h) += M^(h-g) a^(n+g), g < h < width
  submit(codelets::march.of<T>(), args, accesses, on_solving_unit(solution_priority));
  ++tasks_;
}

// The stages in their order (flow.hpp).

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
  // summation stage: s^(n+g) of what is known, for the g < n_g of this group, and of the next one if `ahead`
  begin_group();
  // l^(n+g)
  if (illuminated(steps_)) submit_illuminate();
  if (method_.ahead) submit_products();
  if (marches_) submit_march();
  for (std::int32_t g = 0; g < method_.group && !marches_; ++g) {
    // solution: M^0 a^(n+g) = l^(n+g) - s^(n+g)
    for (std::int32_t wave = 0; wave < waves_; ++wave) submit_solve(g, wave);
    // radiation stage: s^(n+h) += M^(h-g) a^(n+g), g < h < width
    if (g + 1 < width_)
      for (Part& part : parts_) submit_radiate(part, g);
  }
  // windows of past values: n becomes n + n_g
  submit_moves();
  // p_o^(n+g) = sum_j sum_k w_oj^k a_j^(n+g-k)
  if (!observed_blocks_.empty()) submit_observe();
  steps_ += method_.group;
  begun_ = false;
  starpu_iteration_pop();
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem
