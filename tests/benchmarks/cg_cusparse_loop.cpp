// SPDX-License-Identifier: Apache-2.0
// The rival of asterism-cg on one GPU: conjugate gradient as it is commonly written with NVIDIA's libraries, cuSPARSE
// for the product (CSR) and cuBLAS for the vectors, with all scalars on the device, an iteration being a CUDA graph
// that is captured once and replayed. With --program, asterism-cg solves the same system in the same run, in turn with
// it.
//
//   bench_cg_cusparse --stencil 11pts-128,11pts-256 --program build/bin/asterism-cg --json cg-cusparse.json
#include <cublas_v2.h>
#include <cusparse.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "codelets/cg/kernels/costs.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "taskflows/cg/matrix/stencil.hpp"
#include "tests/benchmarks/device_clock.hpp"

namespace asterism::cg {
namespace {

using bench::Clock;
using bench::median;
using bench::Memory;
using nlohmann::ordered_json;

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}
void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

template <class T>
void copy_to(const Memory& memory, const std::vector<T>& values) {
  ASTERISM_CHECK_CUDA(cudaMemcpy(memory.as<void>(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// A x = b with b = 1 and x0 = 0.
class Loop {
 public:
  explicit Loop(const CsrMatrix& a)
      : n_(a.n),
        row_begin_((static_cast<std::size_t>(a.n) + 1) * sizeof(std::int32_t)),
        column_(static_cast<std::size_t>(a.nnz()) * sizeof(std::int32_t)),
        value_(static_cast<std::size_t>(a.nnz()) * sizeof(double)) {
    copy_to(row_begin_, std::vector<std::int32_t>(a.row_begin.begin(), a.row_begin.end()));
    copy_to(column_, std::vector<std::int32_t>(a.column.begin(), a.column.end()));
    copy_to(value_, std::vector<double>(a.value.begin(), a.value.end()));
    copy_to(constants_, std::vector<double>{0, 1});
    check(cublasCreate(&cublas_));
    check(cublasSetStream(cublas_, clock_.stream));
    check(cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE));
    check(cusparseCreate(&cusparse_));
    check(cusparseSetStream(cusparse_, clock_.stream));
    check(cusparseSetPointerMode(cusparse_, CUSPARSE_POINTER_MODE_DEVICE));
    check(cusparseCreateCsr(&matrix_, n_, n_, a.nnz(), row_begin_.as<void>(), column_.as<void>(), value_.as<void>(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check(cusparseCreateDnVec(&p_view_, n_, p_.as<void>(), CUDA_R_64F));
    check(cusparseCreateDnVec(&q_view_, n_, q_.as<void>(), CUDA_R_64F));
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(cusparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, p_view_, zero(), q_view_,
                                  CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    buffer_ = std::make_unique<Memory>(std::max<std::size_t>(bytes, 1));
    check(cusparseSpMV_preprocess(cusparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, p_view_, zero(), q_view_,
                                  CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer_->as<void>()));
    start();
    iteration();  // what the libraries allocate on first use must not be captured
    cudaGraph_t graph = nullptr;
    ASTERISM_CHECK_CUDA(cudaStreamBeginCapture(clock_.stream, cudaStreamCaptureModeThreadLocal));
    iteration();
    ASTERISM_CHECK_CUDA(cudaStreamEndCapture(clock_.stream, &graph));
    ASTERISM_CHECK_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
    ASTERISM_CHECK_CUDA(cudaGraphDestroy(graph));
  }
  ~Loop() {
    cudaGraphExecDestroy(exec_);
    cusparseDestroyDnVec(p_view_);
    cusparseDestroyDnVec(q_view_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(cusparse_);
    cublasDestroy(cublas_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Seconds of an iteration, the mean of `iterations` from the start.
  double run(int iterations) {
    start();
    return clock_.seconds([&] {
      for (int k = 0; k < iterations; ++k) ASTERISM_CHECK_CUDA(cudaGraphLaunch(exec_, clock_.stream));
    }) / iterations;
  }
  /// ||r|| / ||b||
  [[nodiscard]] double residual() const {
    State state;
    ASTERISM_CHECK_CUDA(cudaMemcpy(&state, state_.as<State>(), sizeof state, cudaMemcpyDeviceToHost));
    return std::sqrt(state.rr / static_cast<double>(n_));
  }

 private:
  [[nodiscard]] const double* zero() const { return constants_.as<double>(); }
  [[nodiscard]] const double* one() const { return constants_.as<double>() + 1; }
  [[nodiscard]] int size() const { return static_cast<int>(n_); }

  void start() {
    const std::vector<double> ones(static_cast<std::size_t>(n_), 1.0);
    ASTERISM_CHECK_CUDA(cudaMemset(x_.as<void>(), 0, ones.size() * sizeof(double)));
    copy_to(r_, ones);
    copy_to(p_, ones);
    copy_to(state_, std::vector<State>{State{}});
    dot_of_residual();
    cuda::begin(state_.as<State>(), all_dots(), clock_.stream);
    ASTERISM_CHECK_CUDA(cudaStreamSynchronize(clock_.stream));
  }
  [[nodiscard]] cuda::Partials<Dots> all_dots() const {
    cuda::Partials<Dots> dots;
    dots.at[0] = dots_.as<Dots>();
    dots.count = 1;
    return dots;
  }
  /// r.r, which without preconditioner is r.z as well; the trailing parts of both sums stay zero
  void dot_of_residual() {
    check(cublasDdot(cublas_, size(), r_.as<double>(), 1, r_.as<double>(), 1, &dots_.as<Dots>()->rr.hi));
    ASTERISM_CHECK_CUDA(cudaMemcpyAsync(&dots_.as<Dots>()->rz, &dots_.as<Dots>()->rr, sizeof(Sum),
                                        cudaMemcpyDeviceToDevice, clock_.stream));
  }
  void iteration() {
    State* const state = state_.as<State>();
    auto* const p = p_.as<double>();
    auto* const q = q_.as<double>();
    auto* const r = r_.as<double>();
    // q = A p;  alpha = r.r / p.q
    check(cusparseSpMV(cusparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, p_view_, zero(), q_view_,
                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer_->as<void>()));
    check(cublasDdot(cublas_, size(), p, 1, q, 1, &sum_.as<Sum>()->hi));
    cuda::Partials<Sum> sums;
    sums.at[0] = sum_.as<Sum>();
    sums.count = 1;
    cuda::alpha_step(state, sums, clock_.stream);
    // x += alpha p;  r -= alpha q;  beta
    check(cublasDaxpy(cublas_, size(), &state->alpha, p, 1, x_.as<double>(), 1));
    check(cublasDaxpy(cublas_, size(), &state->minus_alpha, q, 1, r, 1));
    dot_of_residual();
    cuda::beta_step(state, all_dots(), nullptr, clock_.stream);
    // p = r + beta p
    check(cublasDscal(cublas_, size(), &state->beta, p, 1));
    check(cublasDaxpy(cublas_, size(), one(), r, 1, p, 1));
  }

  std::int64_t n_;
  Clock clock_;
  Memory row_begin_, column_, value_;
  Memory x_{vector()}, r_{vector()}, p_{vector()}, q_{vector()};
  Memory constants_{2 * sizeof(double)}, state_{sizeof(State)}, sum_{sizeof(Sum)}, dots_{sizeof(Dots)};
  std::unique_ptr<Memory> buffer_;
  cublasHandle_t cublas_ = nullptr;
  cusparseHandle_t cusparse_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t p_view_ = nullptr;
  cusparseDnVecDescr_t q_view_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;

  [[nodiscard]] std::size_t vector() const { return static_cast<std::size_t>(n_) * sizeof(double); }
};

/// The record of asterism-cg on the same system.
ordered_json program_run(const std::string& program, const std::string& stencil, int iterations) {
  const std::filesystem::path record = std::filesystem::temp_directory_path() / "bench_cg_cusparse.json";
  const std::string command = fmt::format("'{}' --stencil {} --iterations {} --gpus 1 --quiet --json '{}' >/dev/null",
                                          program, stencil, iterations, record.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  ordered_json json = ordered_json::parse(std::ifstream(record));
  std::filesystem::remove(record);
  return json;
}

ordered_json measure(const std::string& stencil, const std::string& program, int iterations, int rounds) {
  const CsrMatrix a = assemble_stencil(parse_stencil(stencil));
  std::vector<double> loop_ms;
  std::vector<double> program_ms;
  std::vector<double> bound_ms;
  double residual = 0;
  for (int round = 0; round < rounds; ++round) {
    {
      Loop loop(a);  // its memory is freed before the program starts
      loop.run(iterations);
      loop_ms.push_back(loop.run(iterations) * 1e3);
      residual = loop.residual();
    }
    if (program.empty()) continue;
    const ordered_json run = program_run(program, stencil, iterations);
    program_ms.push_back(run["ms_per_iteration"]);
    bound_ms.push_back(run["bound_ms"]);
  }
  ordered_json result{
      {"stencil", stencil},
      {"rows", a.n},
      {"nonzeros", a.nnz()},
      {"bytes_per_iteration",
       iteration_bytes(Iteration::fused, static_cast<double>(a.nnz()), static_cast<double>(a.n))},
      {"loop", {{"ms_per_iteration", loop_ms}, {"median_ms", median(loop_ms)}, {"residual", residual}}}};
  if (!program.empty())
    result["asterism_cg"] = {{"ms_per_iteration", program_ms},
                             {"median_ms", median(program_ms)},
                             {"bound_ms", median(bound_ms)},
                             {"ratio_to_bound", median(program_ms) / median(bound_ms)},
                             {"ratio_to_loop", median(program_ms) / median(loop_ms)}};
  return result;
}

}  // namespace
}  // namespace asterism::cg

int main(int argc, char** argv) {
  using namespace asterism::cg;
  std::vector<std::string> stencils{"11pts-128", "11pts-256"};
  std::string program;
  std::string json;
  int iterations = 300;
  int rounds = 5;
  CLI::App app("Conjugate gradient with cuSPARSE and cuBLAS as a CUDA graph, and asterism-cg beside it");
  app.add_option("--stencil", stencils, "As asterism-cg --stencil")->delimiter(',')->capture_default_str();
  app.add_option("--program", program, "asterism-cg, to run in turn with the loop");
  app.add_option("--iterations", iterations)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--rounds", rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--json", json, "The record (default: standard output)");
  CLI11_PARSE(app, argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fmt::print(stderr, "bench_cg_cusparse: no GPU\n");
    return 1;
  }
  try {
    cudaDeviceProp properties{};
    ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
    nlohmann::ordered_json record{{"program", "bench_cg_cusparse"},
                                  {"gpu", properties.name},
                                  {"iterations", iterations},
                                  {"systems", nlohmann::ordered_json::array()}};
    for (const std::string& stencil : stencils)
      record["systems"].push_back(measure(stencil, program, iterations, rounds));
    if (json.empty())
      fmt::print("{}\n", record.dump(1));
    else if (!(std::ofstream(json) << record.dump(1) << "\n").flush())
      throw std::runtime_error("cannot write " + json);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cg_cusparse: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
