// SPDX-License-Identifier: Apache-2.0
// PETSc's conjugate gradients on the 11-point stencil, for comparison: the same system, right-hand side and
// number of iterations as `asterism-cg --stencil 11pts-N`. One JSON object on standard output.
#include <petscksp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Options {
  PetscInt n = 128;          ///< side of the cube; n^3 unknowns
  PetscInt iterations = 50;  ///< exactly that many, or at most that many with a tolerance
  int repeats = 5;
  PetscReal tolerance = 0;  ///< on ||r|| / ||b||; 0: none
};

constexpr const char* usage =
    "usage: petsc_cg [--n 128] [--iterations 50] [--repeats 5] [--tolerance 0]\n"
    "  with a tolerance (relative residual), --iterations is the most that are done\n";

/// False, with a line on standard error, when the command line makes no sense.
bool parse(int argc, char** argv, Options& options) {
  for (int a = 1; a < argc; a += 2) {
    const std::string name = argv[a];
    if (a + 1 == argc) return std::fprintf(stderr, "petsc_cg: error: %s: a value is missing\n", argv[a]), false;
    char* end = nullptr;
    const double value = std::strtod(argv[a + 1], &end);
    const bool number = end != argv[a + 1] && *end == '\0';
    const bool whole = number && value >= 1 && value < 1e9 && value == static_cast<double>(static_cast<long>(value));
    if (name == "--n" && whole && value <= 500)
      options.n = static_cast<PetscInt>(value);  // 32-bit indices
    else if (name == "--iterations" && whole)
      options.iterations = static_cast<PetscInt>(value);
    else if (name == "--repeats" && whole)
      options.repeats = static_cast<int>(value);
    else if (name == "--tolerance" && number && value >= 0 && value < 1)
      options.tolerance = value;
    else
      return std::fprintf(stderr, "petsc_cg: error: '%s %s': not an option or out of range\n", argv[a], argv[a + 1]),
             false;
  }
  return true;
}

/// Calls entry(column, value) for the entries of a row, columns rising. Unknown (x, y, z) is (z n + y) n + x.
/// In each xy plane (1/6) [-1 -4 -1; -4 20 -4; -1 -4 -1], along z [-1 2 -1]; cut off at the boundary.
template <class Entry>
void for_row(PetscInt n, PetscInt row, Entry entry) {
  const PetscInt x = row % n;
  const PetscInt y = row / n % n;
  const PetscInt z = row / (n * n);
  constexpr PetscScalar by_distance[] = {20. / 6 + 2, -4. / 6, -1. / 6};
  if (z > 0) entry(row - n * n, -1.0);
  for (PetscInt dy = -1; dy <= 1; ++dy)
    for (PetscInt dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n)
        entry(row + dy * n + dx, by_distance[std::abs(dx) + std::abs(dy)]);
  if (z + 1 < n) entry(row + n * n, -1.0);
}

PetscErrorCode assemble(PetscInt n, Mat* matrix) {
  PetscFunctionBeginUser;
  const PetscInt rows = n * n * n;
  PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
  PetscCall(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetType(*matrix, MATAIJ));
  PetscCall(MatSetUp(*matrix));  // for the ownership range
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscCall(MatGetOwnershipRange(*matrix, &begin, &end));
  std::vector<PetscInt> own(static_cast<std::size_t>(end - begin));
  std::vector<PetscInt> others(own.size());
  for (PetscInt row = begin; row < end; ++row)
    for_row(n, row, [&](PetscInt column, PetscScalar) {
      ++(column >= begin && column < end ? own : others)[static_cast<std::size_t>(row - begin)];
    });
  PetscCall(MatSeqAIJSetPreallocation(*matrix, 0, own.data()));
  PetscCall(MatMPIAIJSetPreallocation(*matrix, 0, own.data(), 0, others.data()));
  PetscCall(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt column[11];
    PetscScalar value[11];
    PetscInt count = 0;
    for_row(n, row, [&](PetscInt c, PetscScalar v) {
      column[count] = c;
      value[count++] = v;
    });
    PetscCall(MatSetValues(*matrix, 1, &row, count, column, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*matrix, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}

PetscErrorCode create_solver(const Options& options, Mat matrix, KSP* solver) {
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, solver));
  PetscCall(KSPSetOperators(*solver, matrix, matrix));
  PetscCall(KSPSetType(*solver, KSPCG));
  PC none = nullptr;
  PetscCall(KSPGetPC(*solver, &none));
  PetscCall(PCSetType(none, PCNONE));
  // sqrt(r . z), which the recurrence needs anyway: no reduction of its own; ||r|| without preconditioner
  PetscCall(KSPSetNormType(*solver, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(*solver, options.tolerance, 0, PETSC_MAX_REAL, options.iterations));
  if (options.tolerance == 0) PetscCall(KSPSetConvergenceTest(*solver, KSPConvergedSkip, nullptr, nullptr));
  PetscCall(KSPSetInitialGuessNonzero(*solver, PETSC_FALSE));
  PetscCall(KSPSetUp(*solver));
  PetscFunctionReturn(0);
}

/// ||b - A x|| / ||b||
PetscErrorCode true_residual(Mat matrix, Vec b, Vec x, PetscReal* residual) {
  PetscFunctionBeginUser;
  Vec r = nullptr;
  PetscReal norm_of_b = 0;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(matrix, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &norm_of_b));
  PetscCall(VecDestroy(&r));
  *residual /= norm_of_b;
  PetscFunctionReturn(0);
}

PetscErrorCode run(const Options& options, bool* right) {
  PetscFunctionBeginUser;
  Mat matrix = nullptr;
  KSP solver = nullptr;
  Vec x = nullptr;
  Vec b = nullptr;
  PetscCall(assemble(options.n, &matrix));
  PetscCall(MatCreateVecs(matrix, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(create_solver(options, matrix, &solver));

  std::vector<double> ms_per_iteration;
  PetscInt iterations = 0;
  for (int repeat = -1; repeat < options.repeats; ++repeat) {  // the first does not count
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    const double start = MPI_Wtime();
    PetscCall(KSPSolve(solver, b, x));
    double seconds = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    PetscCall(KSPGetIterationNumber(solver, &iterations));
    if (repeat >= 0) ms_per_iteration.push_back(1e3 * seconds / std::max<double>(1, iterations));
  }

  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal residual = 0;
  MatInfo info;
  int ranks = 0;
  PetscInt version[3] = {};
  PetscCall(KSPGetConvergedReason(solver, &reason));
  PetscCall(true_residual(matrix, b, x, &residual));
  PetscCall(MatGetInfo(matrix, MAT_GLOBAL_SUM, &info));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscGetVersionNumber(&version[0], &version[1], &version[2], nullptr));
  *right = reason > 0 && (options.tolerance > 0 || iterations == options.iterations);

  std::string times;
  for (const double ms : ms_per_iteration) times += (times.empty() ? "" : ", ") + std::to_string(ms);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "{\"program\": \"petsc\", \"version\": \"%d.%d.%d\", \"ranks\": %d, \"n\": %d, \"nnz\": %.0f, "
                        "\"iterations\": %d, \"ms_per_iteration\": [%s], \"residual\": %.6e}\n",
                        static_cast<int>(version[0]), static_cast<int>(version[1]), static_cast<int>(version[2]), ranks,
                        static_cast<int>(options.n), info.nz_used, static_cast<int>(iterations), times.c_str(),
                        static_cast<double>(residual)));
  if (!*right)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "petsc_cg: error: %s after %d iterations\n",
                           KSPConvergedReasons[reason], static_cast<int>(iterations)));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&matrix));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0))
    return std::fputs(usage, stdout), 0;
  if (!parse(argc, argv, options)) return std::fputs(usage, stderr), 2;
  PetscCall(PetscInitialize(nullptr, nullptr, nullptr, nullptr));  // PETSC_OPTIONS still counts: -log_view
  bool right = false;
  PetscCall(run(options, &right));
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
