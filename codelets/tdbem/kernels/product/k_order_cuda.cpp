// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/k_order_cuda.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/on_demand.hpp"

namespace asterism::tdbem::cuda {
namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + ASTERISM_CUSPARSE(cusparseGetErrorString)(status));
}
#define CHECK(call) check((call), #call)

template <class T>
constexpr cudaDataType real = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
template <class T>
constexpr T one = 1;

}  // namespace

template <class T>
KOrderProduct<T>::KOrderProduct(const KOrder<T>& k_order, const KOrderArrays<T>& arrays, T* past, T* s,
                                cudaStream_t stream) {
  try {
    CHECK(ASTERISM_CUSPARSE(cusparseCreate)(&handle_));
    CHECK(ASTERISM_CUSPARSE(cusparseSetStream)(handle_, stream));
    CHECK(ASTERISM_CUSPARSE(cusparseCreateDnVec)(&s_, k_order.rows, s, real<T>));
    for (std::int32_t k = 1; k <= k_order.lags; ++k) {
      const std::int64_t begin = k_order.matrix_begin[static_cast<std::size_t>(k - 1)];
      const std::int64_t entries = k_order.matrix_begin[static_cast<std::size_t>(k)] - begin;
      if (entries == 0) continue;
      Matrix& m = matrices_.emplace_back();
      CHECK(ASTERISM_CUSPARSE(cusparseCreateCsr)(
          &m.matrix, k_order.rows, k_order.slices, entries,
          arrays.row_start + static_cast<std::int64_t>(k - 1) * (k_order.rows + 1), arrays.column + begin,
          arrays.values + begin, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real<T>));
      CHECK(ASTERISM_CUSPARSE(cusparseCreateDnVec)(&m.past, k_order.slices,
                                                   past + static_cast<std::int64_t>(k - 1) * k_order.slices, real<T>));
      std::size_t bytes = 0;
      CHECK(ASTERISM_CUSPARSE(cusparseSpMV_bufferSize)(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one<T>, m.matrix,
                                                       m.past, &one<T>, s_, real<T>, CUSPARSE_SPMV_CSR_ALG2, &bytes));
      scratch_bytes_ = std::max(scratch_bytes_, bytes);
    }
  } catch (...) {
    destroy();
    throw;
  }
}

template <class T>
KOrderProduct<T>::~KOrderProduct() {
  destroy();
}

template <class T>
void KOrderProduct<T>::destroy() {
  for (const Matrix& m : matrices_) {
    if (m.matrix != nullptr) ASTERISM_CUSPARSE(cusparseDestroySpMat)(m.matrix);
    if (m.past != nullptr) ASTERISM_CUSPARSE(cusparseDestroyDnVec)(m.past);
  }
  if (s_ != nullptr) ASTERISM_CUSPARSE(cusparseDestroyDnVec)(s_);
  if (handle_ != nullptr) ASTERISM_CUSPARSE(cusparseDestroy)(handle_);
}

template <class T>
void KOrderProduct<T>::run(void* scratch) const {
  for (const Matrix& m : matrices_)
    CHECK(ASTERISM_CUSPARSE(cusparseSpMV)(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one<T>, m.matrix, m.past, &one<T>,
                                          s_, real<T>, CUSPARSE_SPMV_CSR_ALG2, scratch));
}

template class KOrderProduct<double>;
template class KOrderProduct<float>;

}  // namespace asterism::tdbem::cuda
