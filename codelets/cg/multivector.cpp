// SPDX-License-Identifier: Apache-2.0
#include "codelets/cg/multivector.hpp"

#include <algorithm>

namespace asterism::cg::codelets {
namespace {

template <class T>
T* values(void* buffer) {
  return reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(buffer));
}

const MultiArgs& multi(void* arguments) {
  return *static_cast<const MultiArgs*>(arguments);
}

/// The caller's vectors from the first row of the block-row on.
template <class T>
struct FromRow {
  T* vector[cpu::most_vectors] = {};
  FromRow(const MultiArgs& a, T* const* all) {
    for (int v = 0; v < a.vectors; ++v) vector[v] = all[v] != nullptr ? all[v] + a.block->first : nullptr;
  }
};

void load_cpu(void**, void* arguments) {
  const MultiArgs& a = multi(arguments);
  cpu::interleave(a.vectors, a.block->rows, FromRow<const double>(a, a.from).vector, a.block->x);
}
void load_right_cpu(void**, void* arguments) {
  const MultiArgs& a = multi(arguments);
  cpu::interleave(a.vectors, a.block->rows, FromRow<const double>(a, a.from).vector, a.block->r);
}
void store_cpu(void**, void* arguments) {
  const MultiArgs& a = multi(arguments);
  cpu::take_apart(a.vectors, a.block->rows, a.block->x, FromRow<double>(a, a.to).vector);
}
void copy_cpu(void**, void* arguments) {
  const MultiArgs& a = multi(arguments);
  std::copy_n(a.block->x, a.block->rows * a.vectors, a.block->p);
}

void gather_halo(const MultiArgs& a) {
  double* to = a.block->p + a.block->rows * a.vectors;
  for (std::int64_t k = 0; k < a.block->halo; ++k, to += a.vectors) std::copy_n(a.block->halo_from[k], a.vectors, to);
}

void product_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  gather_halo(a);
  cpu::multi_product(a.vectors, a.block->layout.sell(values<char>(b[0])), a.block->window, a.block->q, a.block->p,
                     nullptr);
}
void product_dot_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  gather_halo(a);
  cpu::multi_product(a.vectors, a.block->layout.sell(values<char>(b[0])), a.block->window, a.block->q, a.block->p,
                     values<Sum>(b[2]));
}

/// alpha and beta of each vector.
struct Factors {
  double alpha[cpu::most_vectors];
  double beta[cpu::most_vectors];
  Factors(int vectors, const State* state) {
    for (int v = 0; v < vectors; ++v) {
      alpha[v] = state[v].alpha;
      beta[v] = state[v].beta;
    }
  }
};

void residual_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  const Factors f(a.vectors, values<State>(b[0]));
  cpu::multi_update_residual(a.vectors, a.block->rows, f.alpha, a.block->q, a.block->r, a.block->m, a.block->z,
                             values<Dots>(b[2]));
}
void direction_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  const Factors f(a.vectors, values<State>(b[0]));
  cpu::multi_update_direction(a.vectors, a.block->rows, f.alpha, f.beta, a.block->z, a.block->x, a.block->p);
}
void first_direction_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  const Factors f(a.vectors, values<State>(b[0]));
  cpu::multi_first_direction(a.vectors, a.block->rows, f.beta, a.block->z, a.block->p);
}

Dots total_dots(void** b, const MultiArgs& a, int v) {
  Dots all;
  for (int k = 0; k < a.partials; ++k) {
    add(all.rr, values<Dots>(b[1 + k])[v].rr);
    add(all.rz, values<Dots>(b[1 + k])[v].rz);
  }
  return all;
}

void begin_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  for (int v = 0; v < a.vectors; ++v) cg::begin(values<State>(b[0])[v], total_dots(b, a, v));
}
void alpha_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  for (int v = 0; v < a.vectors; ++v) {
    Sum all;
    for (int k = 0; k < a.partials; ++k) add(all, values<Sum>(b[1 + k])[v]);
    cg::alpha_step(values<State>(b[0])[v], all);
  }
}
void beta_cpu(void** b, void* arguments) {
  const MultiArgs& a = multi(arguments);
  for (int v = 0; v < a.vectors; ++v) {
    State& state = values<State>(b[0])[v];
    cg::beta_step(state, total_dots(b, a, v));
    values<HistoryEntry>(b[1 + a.partials])[a.slot * a.vectors + v] = history_entry(state);
  }
}

CodeletSpec spec(const char* name, starpu_cpu_func_t function) {
  return {.name = name, .variant = "double", .cpu = function, .cuda = nullptr};
}

}  // namespace

Codelet multi_load(spec("cg_multi_load", load_cpu));
Codelet multi_load_right(spec("cg_multi_load_right", load_right_cpu));
Codelet multi_store(spec("cg_multi_store", store_cpu));
Codelet multi_copy(spec("cg_multi_copy", copy_cpu));
Codelet multi_product(spec("cg_multi_product", product_cpu));
Codelet multi_product_dot(spec("cg_multi_product_dot", product_dot_cpu));
Codelet multi_residual(spec("cg_multi_residual", residual_cpu));
Codelet multi_direction(spec("cg_multi_direction", direction_cpu));
Codelet multi_first_direction(spec("cg_multi_first_direction", first_direction_cpu));
Codelet multi_begin(spec("cg_multi_begin", begin_cpu));
Codelet multi_alpha(spec("cg_multi_alpha", alpha_cpu));
Codelet multi_beta(spec("cg_multi_beta", beta_cpu));

}  // namespace asterism::cg::codelets
