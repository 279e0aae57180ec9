#include "codelets/lbm/codelets.hpp"

#include "codelets/lbm/buffers.hpp"
#include "codelets/lbm/codelets_cuda.hpp"
#include "codelets/lbm/copy.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/lbm/kernels_cuda.hpp"
#endif
#include "taskflows/runtime/submit.hpp"

namespace asterism::lbm::codelets {
namespace {

template <class T>
void finish(const Completion& c, const Brick& brick, const Obstacle& obstacle, const T* const* received, T* f) {
  if (c.pending == 0) return;
  cpu::unpack(brick, c.receive, c.received, received, f);
  cpu::reflect(c.last, brick, c.wall, c.walls, f);
  if (obstacle.solid != nullptr) cpu::reflect(c.last, obstacle.links, f);
}

template <class T>
void advance_cpu(void** b, void* arguments) {
  const auto& a = as<AdvanceArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.completion.received, received);
  buffers.take(a.sent, sent);
  finish(a.completion, a.place.brick, obstacle, received, f);
  for (std::int32_t i = 0; i < a.boxes; ++i)
    cpu::update(a.half, a.place.brick, a.box[i], a.collision, obstacle.solid, f);
  cpu::pack(a.place.brick, a.send, a.sent, f, sent);
}

template <class T>
void forward_cpu(void** b, void* arguments) {
  const auto& a = as<ForwardArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.received, received);
  buffers.take(a.sent, sent);
  cpu::unpack(a.brick, a.receive, a.received, received, f);
  cpu::pack(a.brick, a.send, a.sent, f, sent);
}

template <class T>
void complete_cpu(void** b, void* arguments) {
  const auto& a = as<CompleteArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  const T* received[2]{};
  buffers.take(a.completion.received, received);
  if (a.measure_force != 0) {
    auto* const force = buffers.take<double>();
    force[0] = force[1] = force[2] = 0;
    if (obstacle.solid != nullptr) cpu::force(a.completion.last, obstacle.links, f, force);
  }
  finish(a.completion, a.place.brick, obstacle, received, f);
}

template <class T>
void observe_cpu(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  cpu::observe(a.settled != 0, a.place.brick, a.box, a.collision, obstacle.solid, f, buffers.take<T>());
}

template <class T>
void total_cpu(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  *buffers.take<Totals>() = cpu::total(a.settled != 0, a.place.brick, a.box, a.collision, obstacle.solid, f);
}

template <class T>
void store_cpu(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  cpu::store(a.brick, a.box, f, buffers.take<T>());
}

template <class T>
void load_cpu(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  cpu::load(a.brick, a.box, buffers.take<const T>(), f);
}

std::uint32_t footprint(starpu_task* task) {
  const auto cells = static_cast<std::uint64_t>(static_cast<const Work*>(task->cl_arg)->cells);
  return static_cast<std::uint32_t>(cells ^ cells >> 32);
}

starpu_perfmodel model(const char* symbol) {
  starpu_perfmodel m{};
  m.type = STARPU_HISTORY_BASED;
  m.symbol = symbol;
  m.footprint = footprint;
  return m;
}

template <class T>
constexpr bool is_double = sizeof(T) == 8;

}  // namespace

#define ASTERISM_CODELET(name)                                                                        \
  template <class T>                                                                                  \
  starpu_codelet& name() {                                                                            \
    static starpu_perfmodel m = model(is_double<T> ? "lbm_" #name "_double" : "lbm_" #name "_float"); \
    static starpu_codelet codelet =                                                                   \
        make_codelet({"lbm_" #name, name##_cpu<T>, "lbm_" #name "_cpu", gpu::name<T>, &m});           \
    return codelet;                                                                                   \
  }                                                                                                   \
  template starpu_codelet& name<float>();                                                             \
  template starpu_codelet& name<double>();
ASTERISM_CODELET(advance)
ASTERISM_CODELET(forward)
ASTERISM_CODELET(complete)
ASTERISM_CODELET(observe)
ASTERISM_CODELET(total)
ASTERISM_CODELET(store)
ASTERISM_CODELET(load)
#undef ASTERISM_CODELET

std::size_t total_scratch_bytes() {
#ifdef ASTERISM_CUDA
  return cuda::total_scratch_bytes();
#else
  return 1;
#endif
}

}  // namespace asterism::lbm::codelets
