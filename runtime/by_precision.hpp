// Codelets that exist for float and for double, whose tasks are priced by their cells.
#pragma once

#include "runtime/buffers.hpp"
#include "runtime/submit.hpp"

namespace asterism {

template <class T>
constexpr bool is_double = sizeof(T) == 8;

}  // namespace asterism

/// Defines `template <class T> starpu_codelet& name()` with the names and the performance models that begin with
/// `method`. To be used where `bodies::name<Cpu, T>` is the function of CPUs and `gpu::functions<T>().name` that of
/// GPUs.
#define ASTERISM_CODELET(method, name)                                                                      \
  template <class T>                                                                                        \
  starpu_codelet& name() {                                                                                  \
    static starpu_perfmodel m =                                                                             \
        model_by_cells(is_double<T> ? #method "_" #name "_double" : #method "_" #name "_float");            \
    static starpu_codelet codelet = make_codelet(                                                           \
        {#method "_" #name, bodies::name<Cpu, T>, #method "_" #name "_cpu", gpu::functions<T>().name, &m}); \
    return codelet;                                                                                         \
  }                                                                                                         \
  template starpu_codelet& name<float>();                                                                   \
  template starpu_codelet& name<double>();
