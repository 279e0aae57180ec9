// SPDX-License-Identifier: Apache-2.0
// libasterism-mumps.so: MUMPS over MPI, for direct_of_ranks.hpp. Entries of M^0 come from the ranks that have them;
// right-hand sides and solutions are whole on rank 0.
#include "taskflows/tdbem/matrices/distributed_direct.hpp"
#include "taskflows/tdbem/matrices/mumps.hpp"

namespace asterism::tdbem {
namespace {

// numbers of the controls in MUMPS's guide, which count from 1
constexpr int where_entries_are = 18 - 1, kind_of_analysis = 28 - 1;
constexpr MUMPS_INT distributed = 3, on_one_process = 1;

template <class T>
class Factors : public DistributedFactors<T> {
 public:
  Factors(const CsrView<T>& matrix, std::int32_t begin, std::int32_t end, int communicator) : mumps_(communicator) {
    LowerEntries<T> lower(matrix, begin, end);
    auto& id = mumps_.id;
    id.n = matrix.rows;
    id.icntl[where_entries_are] = distributed;
    id.icntl[kind_of_analysis] = on_one_process;
    id.nnz_loc = static_cast<MUMPS_INT8>(lower.value.size());
    id.irn_loc = lower.row.data();
    id.jcn_loc = lower.column.data();
    id.a_loc = lower.value.data();
    mumps_.run(Mumps<T>::analyse_and_factorise, "factorisation");
    id.irn_loc = id.jcn_loc = nullptr;
    id.a_loc = nullptr;
    id.nrhs = 1;
    id.lrhs = matrix.rows;
  }
  void solve(T* right_hand_side) override {
    mumps_.id.rhs = right_hand_side;
    mumps_.run(Mumps<T>::solve_system, "solution");
  }

 private:
  Mumps<T> mumps_;
};

}  // namespace
}  // namespace asterism::tdbem

// names that dlsym() finds; what is thrown is the caller's to catch
#define ASTERISM_MUMPS(name, T)                                                                                     \
  extern "C" asterism::tdbem::DistributedFactors<T>* name(const asterism::tdbem::CsrView<T>& matrix,                \
                                                          std::int32_t begin, std::int32_t end, int communicator) { \
    return new asterism::tdbem::Factors<T>(matrix, begin, end, communicator);                                       \
  }
ASTERISM_MUMPS(asterism_mumps_double, double)
ASTERISM_MUMPS(asterism_mumps_float, float)
#undef ASTERISM_MUMPS
