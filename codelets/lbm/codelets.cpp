#include "codelets/lbm/codelets.hpp"

#include <algorithm>

#include "codelets/lbm/codelets_cuda.hpp"
#include "codelets/lbm/kernels/copy.hpp"
#include "codelets/lbm/task_functions.hpp"
#include "runtime/by_precision.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#endif

namespace asterism::lbm::codelets {
namespace {

/// Pressure walls come first in lists of walls.
std::int32_t outlets(std::int32_t count, const Wall* walls) {
  return static_cast<std::int32_t>(
      std::find_if(walls, walls + count, [](const Wall& w) { return w.kind != Wall::Kind::pressure; }) - walls);
}

struct Cpu {
  template <class T>
  void unpack(const Brick& brick, std::int32_t count, const Transfer* transfers, const T* const* arrays, T* f) const {
    cpu::unpack(brick, transfers, count, arrays, f);
  }
  template <class T>
  void pack(const Brick& brick, std::int32_t count, const Transfer* transfers, const T* f, T* const* arrays) const {
    cpu::pack(brick, transfers, count, f, arrays);
  }
  template <class T>
  void reflect(Half last, const Brick& brick, std::int32_t count, const Wall* walls, T* f) const {
    cpu::reflect(last, brick, walls, count, brick.interior(), f);
  }
  template <class T>
  void reflect_pressure(Half last, const Brick& brick, std::int32_t count, const Wall* walls, T* f) const {
    cpu::reflect(last, brick, walls, outlets(count, walls), brick.interior(), f);
  }
  template <class T>
  void reflect(Half last, const Links& links, T* f) const {
    cpu::reflect(last, links, f);
  }
  template <class T>
  void update(Half half, const Brick& brick, std::int32_t count, const Box* boxes, const Collision& collision,
              const std::uint8_t* solid, std::int32_t walls, const Wall* wall, T* f) const {
    const std::int32_t done = outlets(walls, wall);
    for (std::int32_t i = 0; i < count; ++i) cpu::reflect(other(half), brick, wall + done, walls - done, boxes[i], f);
    for (std::int32_t i = 0; i < count; ++i) cpu::update(half, brick, boxes[i], collision, solid, f);
  }
  void clear(double* values, int count) const { std::fill_n(values, count, 0.0); }
  template <class T>
  void force(Half last, const Links& links, const T* f, double* force) const {
    cpu::force(last, links, f, force);
  }
  template <class T>
  void observe(bool settled, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
               const T* f, T* out) const {
    cpu::observe(settled, brick, box, collision, solid, f, out);
  }
  template <class T>
  void total(bool settled, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Totals* totals, void* /*scratch*/) const {
    *totals = cpu::total(settled, brick, box, collision, solid, f);
  }
  template <class T>
  void store(const Brick& brick, const Box& box, const T* f, T* array) const {
    cpu::store(brick, box, f, array);
  }
  template <class T>
  void load(const Brick& brick, const Box& box, const T* array, T* f) const {
    cpu::load(brick, box, array, f);
  }
};

}  // namespace

ASTERISM_CODELET(lbm, advance)
ASTERISM_CODELET(lbm, forward)
ASTERISM_CODELET(lbm, complete)
ASTERISM_CODELET(lbm, observe)
ASTERISM_CODELET(lbm, total)
ASTERISM_CODELET(lbm, store)
ASTERISM_CODELET(lbm, load)

std::size_t total_scratch_bytes() {
#ifdef ASTERISM_CUDA
  return cuda::total_scratch_bytes();
#else
  return 1;
#endif
}

}  // namespace asterism::lbm::codelets
