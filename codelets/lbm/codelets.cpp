// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/codelets.hpp"

#include <algorithm>

#include "codelets/lbm/codelets_cuda.hpp"
#include "codelets/lbm/kernels/copy.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "codelets/lbm/task_functions.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#endif

namespace asterism::lbm::codelets {
namespace {

/// Velocity walls come last in lists of walls.
std::int32_t before_velocity_walls(std::int32_t count, const Wall* walls) {
  return static_cast<std::int32_t>(
      std::find_if(walls, walls + count, [](const Wall& w) { return w.kind == Wall::Kind::velocity; }) - walls);
}

struct Cpu {
  static constexpr bool returns_at_once = false;
  template <class T>
  void unpack(const Brick& brick, std::int32_t count, const Transfer* transfers, const T* const* arrays, T* f) const {
    cpu::unpack(brick, transfers, count, arrays, f);
  }
  template <class T>
  void pack(const Brick& brick, std::int32_t count, const Transfer* transfers, const T* f, T* const* arrays) const {
    cpu::pack(brick, transfers, count, f, arrays);
  }
  template <class T>
  void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f) const {
    cpu::wrap(last, brick, wraps, f);
  }
  template <class T>
  void reflect(Half last, const Brick& brick, std::int32_t count, const Wall* walls, T* f) const {
    cpu::reflect(last, brick, walls, count, brick.interior(), f);
  }
  template <class T>
  void reflect_before_update(Half last, const Brick& brick, std::int32_t count, const Wall* walls, bool /*returned*/,
                             T* f) const {
    cpu::reflect(last, brick, walls, before_velocity_walls(count, walls), brick.interior(), f);
  }
  template <class T>
  void reflect(Half last, const Brick& brick, const Links& links, T* f) const {
    cpu::reflect(last, brick, links, f);
  }
  template <class T>
  void update(Half half, const Brick& brick, std::int32_t count, const Box* boxes, const Collision& collision,
              const std::uint8_t* solid, std::int32_t walls, std::int32_t /*at_once*/, const Wall* wall, T* f) const {
    const std::int32_t done = before_velocity_walls(walls, wall);
    for (std::int32_t i = 0; i < count; ++i)
      cpu::update(half, brick, boxes[i], collision, solid, f, wall + done, walls - done);
  }
  void clear(ForceSums* sums) const { *sums = {}; }
  template <class T>
  void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f,
             ForceSums* sums) const {
    cpu::force(last, brick, origin, links, f, *sums);
  }
  template <class T>
  void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
               const T* f, Arithmetic<T>* out) const {
    cpu::observe(next, brick, box, collision, solid, f, out);
  }
  template <class T>
  void total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Totals* totals, void* /*scratch*/) const {
    *totals = cpu::total(next, brick, box, collision, solid, f);
  }
  template <class T>
  void store(const Brick& brick, const Box& box, const T* f, T* array) const {
    cpu::store(brick, box, f, array);
  }
  template <class T>
  void load(const Brick& brick, const Box& box, bool /*fresh*/, const T* array, T* f) const {
    cpu::load(brick, box, array, f);
  }
};

double advance_flops(const void* arguments, std::span<const Access> /*accesses*/) {
  const auto& a = *static_cast<const AdvanceArgs*>(arguments);
  return static_cast<double>(a.work.cells) * task_flops(a.collision);
}

double chunks(std::int32_t count, const Transfer* transfers) {
  double sum = 0;
  for (std::int32_t t = 0; t < count; ++t) sum += static_cast<double>(transfers[t].chunks());
  return sum;
}
double advance_chunks(const void* arguments) {
  const auto& a = *static_cast<const AdvanceArgs*>(arguments);
  return chunks(a.completion.received, a.completion.receive) + chunks(a.sent, a.send);
}
double forward_chunks(const void* arguments) {
  const auto& a = *static_cast<const ForwardArgs*>(arguments);
  return chunks(a.received, a.receive) + chunks(a.sent, a.send);
}
double complete_chunks(const void* arguments) {
  const auto& a = *static_cast<const CompleteArgs*>(arguments);
  return chunks(a.completion.received, a.completion.receive);
}

/// The variant is filled in by PrecisionCodelet.
CodeletSpec spec(const char* name, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda, TaskFlops flops = nullptr) {
  return {.name = name, .variant = "", .cpu = cpu, .cuda = cuda, .flops = flops, .footprint = footprint_by_cells};
}
CodeletSpec with_chunks(CodeletSpec spec, double (*chunks_of_task)(const void* arguments)) {
  spec.chunks = chunks_of_task;
  return spec;
}

template <class T>
CodeletSpec advance_spec() {
  return with_chunks(spec("lbm_advance", task_functions::advance<Cpu, T>, gpu::functions<T>().advance, advance_flops),
                     advance_chunks);
}
template <class T>
CodeletSpec forward_spec() {
  return with_chunks(spec("lbm_forward", task_functions::forward<Cpu, T>, gpu::functions<T>().forward), forward_chunks);
}
template <class T>
CodeletSpec complete_spec() {
  return with_chunks(spec("lbm_complete", task_functions::complete<Cpu, T>, gpu::functions<T>().complete),
                     complete_chunks);
}
template <class T>
CodeletSpec observe_spec() {
  return spec("lbm_observe", task_functions::observe<Cpu, T>, gpu::functions<T>().observe);
}
template <class T>
CodeletSpec total_spec() {
  return spec("lbm_total", task_functions::total<Cpu, T>, gpu::functions<T>().total);
}
template <class T>
CodeletSpec store_spec() {
  return spec("lbm_store", task_functions::store<Cpu, T>, gpu::functions<T>().store);
}
template <class T>
CodeletSpec load_spec() {
  return spec("lbm_load", task_functions::load<Cpu, T>, gpu::functions<T>().load);
}

}  // namespace

PrecisionCodelet advance(advance_spec<Float16>(), advance_spec<float>(), advance_spec<double>());
PrecisionCodelet forward(forward_spec<Float16>(), forward_spec<float>(), forward_spec<double>());
PrecisionCodelet complete(complete_spec<Float16>(), complete_spec<float>(), complete_spec<double>());
PrecisionCodelet observe(observe_spec<Float16>(), observe_spec<float>(), observe_spec<double>());
PrecisionCodelet total(total_spec<Float16>(), total_spec<float>(), total_spec<double>());
PrecisionCodelet store(store_spec<Float16>(), store_spec<float>(), store_spec<double>());
PrecisionCodelet load(load_spec<Float16>(), load_spec<float>(), load_spec<double>());

std::size_t total_scratch_bytes() {
#ifdef ASTERISM_CUDA
  return cuda::total_scratch_bytes();
#else
  return 1;
#endif
}

}  // namespace asterism::lbm::codelets
