#include "codelets/fdtd/codelets.hpp"

#include <algorithm>

#include "codelets/fdtd/codelets_cuda.hpp"
#include "codelets/fdtd/task_functions.hpp"
#include "runtime/by_precision.hpp"

namespace asterism::fdtd::codelets {
namespace {

struct Cpu {
  static constexpr bool whole_waves = false;
  static constexpr std::int32_t wave(std::int32_t /*of_gpus*/) { return cpu::steps_at_once; }

  template <class T>
  void update(Field field, const Scheme& s, const Box& cells, const Media<T>& media, const T* from, T* to) const {
    cpu::update(field, s.grid, cells, s.factors[bodies::number(field)], media, from, to);
  }
  template <class T>
  void update_both(const Scheme& s, const Box (&cells)[2], const std::array<Media<T>, 2>& media,
                   T* const (&field)[2]) const {
    cpu::update_both(s.grid, cells[1], cells[0], s.factors[1], s.factors[0], media[1], media[0], field[1], field[0]);
  }
  template <class T>
  void update_steps(const Scheme& s, std::int32_t steps, const std::array<Media<T>, 2>& media,
                    const std::vector<Source<T>>& sources, T* const (&field)[2], T* const (&)[2]) const {
    cpu::update_steps(s.grid, steps, s.factors[1], s.factors[0], media[1], media[0], sources.data(),
                      static_cast<std::int32_t>(sources.size()), field[1], field[0]);
  }
  void extend(const Extension& kernel, const Updated& box) const { kernel.apply(box); }
  template <class T>
  void pack(const Grid& grid, const Layer& layer, const T* field, T* array) const {
    cpu::pack(grid, layer, field, array);
  }
  template <class T>
  void unpack(const Grid& grid, const Layer& layer, const T* array, T* field) const {
    cpu::unpack(grid, layer, array, field);
  }
  template <class T>
  void wrap(const Grid& grid, Field field, int axis, T* values) const {
    cpu::wrap(grid, field, axis, values);
  }
  template <class T>
  void reflect(const Grid& grid, T* h) const {
    cpu::reflect(grid, h);
  }
  template <class T>
  void add(const Grid& grid, const PointSource& s, T value, T* e) const {
    cpu::add(grid, s.component, s.i, s.j, s.k, value, e);
  }
  template <class T>
  void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row) const {
    cpu::record(count, places, e, h, row);
  }
  template <class T>
  void clear(std::int64_t count, T* values) const {
    std::fill_n(values, count, T{0});
  }
  template <class T>
  void sum(Field field, const Grid& grid, int component, const T* values, double* planes) const {
    cpu::sum(field, grid, grid.cells(), component, values, planes);
  }
  template <class T>
  void energy(const Scheme& s, const std::array<Media<T>, 2>& media, const Densities& densities, const T* h, const T* e,
              Energy* planes) const {
    cpu::energy(s.grid, s.grid.cells(), s.factors[1], media[1], media[0], densities, h, e, planes);
  }
};

}  // namespace

ASTERISM_CODELET(fdtd, advance)
ASTERISM_CODELET(fdtd, clear)
ASTERISM_CODELET(fdtd, domain)
ASTERISM_CODELET(fdtd, store)
ASTERISM_CODELET(fdtd, load)
ASTERISM_CODELET(fdtd, sum)
ASTERISM_CODELET(fdtd, energy)

}  // namespace asterism::fdtd::codelets
