// SPDX-License-Identifier: Apache-2.0
// Codelets: a stable name, a CPU function, a CUDA function, a performance model and a cost. A Codelet is a global
// object of codelets/METHOD/codelets.cpp; it registers its name when the program is loaded, so that files which speak
// of codelets (machines to simulate) can be checked, and makes StarPU's structure when a task is submitted first.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.hpp"
#include "runtime/ranks/rank_exchange.hpp"

namespace asterism {

/// Floating-point operations of a task, from its arguments and data.
using TaskFlops = double (*)(const void* arguments, std::span<const Access> accesses);

/// What a codelet says about itself; the rest of starpu_codelet keeps its defaults.
struct CodeletSpec {
  const char* name;           ///< of its tasks, in traces and machines: METHOD_OPERATION ("cg_axpy")
  const char* variant;        ///< precision, or kernel and precision; the performance model is NAME_VARIANT, or NAME
  starpu_cpu_func_t cpu;      ///< null: not on CPUs
  starpu_cuda_func_t cuda;    ///< null: not on GPUs; asynchronous on StarPU's stream
  TaskFlops flops = nullptr;  ///< null: TaskOptions::flops says it
  /// The class of a task in the performance model; null: by the sizes of its data, as StarPU has it.
  std::uint32_t (*footprint)(starpu_task*) = nullptr;
  /// A number that machines may tell tasks of this codelet by, NAME/NUMBER in their files, from a task's arguments;
  /// null: there is none.
  std::int64_t (*number)(const void* arguments) = nullptr;
  /// Contiguous pieces of memory that a task copies or reads, for machines where each costs something; null: none.
  double (*chunks)(const void* arguments) = nullptr;
  /// Fixed access modes, for StarPU's reductions; empty: given by each task, for any number of data.
  std::vector<starpu_data_access_mode> modes = {};
  /// Programs may bring further variants of this codelet, whose names files may speak of.
  bool open_variants = false;
  /// Buffers [first, last) stay in main memory, also for a GPU, which reads and writes them there: right for a few
  /// scalars that several units exchange, whose copies would take longer than the access. Such data must lie in
  /// pinned memory (HostBuffer).
  int main_memory_first = 0;
  int main_memory_last = 0;
};

/// Most buffers that a task of a codelet with buffers in main memory may have.
inline constexpr int max_buffers = 4096;

class Codelet {
 public:
  /// Registers its name. To be constructed before main(), or to live as long as StarPU does.
  explicit Codelet(CodeletSpec spec);
  ~Codelet();
  Codelet(const Codelet&) = delete;
  Codelet& operator=(const Codelet&) = delete;

  /// StarPU's structure, made at the first call. Not to be called by several threads at once.
  [[nodiscard]] starpu_codelet& starpu();
  /// Whether this is the codelet of that structure.
  [[nodiscard]] bool is(const starpu_codelet* codelet) const { return codelet_.get() == codelet; }
  [[nodiscard]] const CodeletSpec& spec() const { return spec_; }
  /// Name of the performance model.
  [[nodiscard]] const std::string& symbol() const { return symbol_; }

 private:
  /// That of the first codelet with this symbol: of several models with one name StarPU would keep only the last.
  starpu_perfmodel& shared_model();

  CodeletSpec spec_;
  std::string symbol_;
  starpu_perfmodel model_{};
  std::unique_ptr<starpu_codelet> codelet_;
  std::vector<int> nodes_;  ///< of buffers that stay in main memory
};

/// A codelet that exists for float and for double, and for half precision where a method stores in it.
class PrecisionCodelet {
 public:
  /// `single_precision` and `double_precision` differ in their functions only; their variants are "float" and "double".
  PrecisionCodelet(CodeletSpec single_precision, CodeletSpec double_precision);
  /// The variant of `half_precision` is "half".
  PrecisionCodelet(CodeletSpec half_precision, CodeletSpec single_precision, CodeletSpec double_precision);
  template <class T>
  [[nodiscard]] Codelet& of() {
    return of(precision_of<T>);
  }
  [[nodiscard]] Codelet& of(Precision precision) {
    return precision == Precision::half_precision && half_           ? *half_
           : arithmetic_of(precision) == Precision::single_precision ? single_
                                                                     : double_;
  }

 private:
  std::unique_ptr<Codelet> half_;
  Codelet single_;
  Codelet double_;
};

/// The number that machines tell the task by (CodeletSpec::number); 0: none.
std::int64_t number_of(const starpu_task& task);

/// The contiguous pieces that the task copies (CodeletSpec::chunks); 0: none.
double chunks_of(const starpu_task& task);

/// Whether `name` is a name, or that of a performance model, of a codelet of this program, or NAME/NUMBER.
bool is_own_codelet(std::string_view name);

/// As is_own_codelet(), but names of methods that this program does not have are taken as they are: nothing is known
/// about them here.
bool is_codelet(std::string_view name);

/// The registered name from which `name` differs by the fewest changed, added or missing letters.
std::string nearest_codelet(std::string_view name);

}  // namespace asterism
