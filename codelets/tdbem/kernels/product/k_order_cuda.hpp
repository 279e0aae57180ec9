// SPDX-License-Identifier: Apache-2.0
// Summation in k-order on a GPU: one product of cuSPARSE after the other, on the caller's stream.
#pragma once

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <vector>

#include "codelets/tdbem/kernels/product/k_order.hpp"

namespace asterism::tdbem::cuda {

/// The arrays of matrices in k-order in device memory.
template <class T>
struct KOrderArrays {
  std::int32_t* row_start = nullptr;
  std::int32_t* column = nullptr;
  T* values = nullptr;
};

/// cuSPARSE's view of the matrices and vectors, which stay where they are as long as it lives. Calls throw
/// std::runtime_error when cuSPARSE refuses.
template <class T>
class KOrderProduct {
 public:
  /// `past` and `s` as for cpu::k_order_product, in device memory. `k_order` is read here only.
  KOrderProduct(const KOrder<T>& k_order, const KOrderArrays<T>& arrays, T* past, T* s, cudaStream_t stream);
  ~KOrderProduct();
  KOrderProduct(const KOrderProduct&) = delete;
  KOrderProduct& operator=(const KOrderProduct&) = delete;

  /// Bytes of scratch memory that run() needs.
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// s += sum of M^k a^(n-k). Asynchronous; `scratch` in device memory.
  void run(void* scratch) const;

 private:
  struct Matrix {
    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnVecDescr_t past = nullptr;
  };
  void destroy();

  cusparseHandle_t handle_ = nullptr;
  std::vector<Matrix> matrices_;
  cusparseDnVecDescr_t s_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace asterism::tdbem::cuda
