// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/distributed_direct.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "runtime/program_library.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::tdbem {
namespace {

constexpr const char* library_file = "libasterism-mumps.so";

template <class T>
DistributedFactorise<T>* factorise() {
  const std::string path = library_beside_program(library_file);
  if (path.empty())
    bad_input("--solver mumps over several processes: there is no {} beside the program (MUMPS with MPI)",
              library_file);
  // never closed: MPI, which it uses, ends with the process
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) failed("{}", dlerror());
  const char* const name = std::is_same_v<T, double> ? "asterism_mumps_double" : "asterism_mumps_float";
  void* const function = dlsym(library, name);
  if (function == nullptr) failed("{}: has no {}", path, name);
  return reinterpret_cast<DistributedFactorise<T>*>(function);
}

}  // namespace

template <class T>
DistributedDirectSolver<T>::DistributedDirectSolver(const CsrView<T>& matrix) {
  const std::int64_t ranks = rank_group().ranks();
  const auto first_row = [&](std::int64_t rank) { return static_cast<std::int32_t>(matrix.rows * rank / ranks); };
  factors_.reset(factorise<T>()(matrix, first_row(rank_group().rank()), first_row(rank_group().rank() + 1),
                                communicator_.number()));
}

template <class T>
void DistributedDirectSolver<T>::solve(std::span<T> right_hand_side) {
  factors_->solve(right_hand_side.data());
  communicator_.broadcast(right_hand_side.data(), right_hand_side.size_bytes());
}

template class DistributedDirectSolver<double>;
template class DistributedDirectSolver<float>;

}  // namespace asterism::tdbem
