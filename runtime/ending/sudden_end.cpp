// SPDX-License-Identifier: Apache-2.0
#include "runtime/ending/sudden_end.hpp"

#include <fmt/format.h>
#include <starpu.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <string>

#include "io/temporary_files.hpp"
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

namespace asterism {
namespace {

const char* program_name = "asterism";
std::atomic_flag ending = ATOMIC_FLAG_INIT;

/// "CUDA 0.0: " in a task or the driver of a unit, else nothing.
std::string unit() {
  char name[128] = "";
  if (const int worker = starpu_worker_get_id(); worker >= 0) starpu_worker_get_name(worker, name, sizeof name);
  const std::string text = name;  // "CUDA 0.0 (NVIDIA H200 ...)"
  return text.empty() ? "" : text.substr(0, text.find(" (")) + ": ";
}

[[noreturn]] void end_of_error(const std::string& what) noexcept {
  std::string line = "error: " + unit() + what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  end_suddenly(1, line.c_str());
}

[[noreturn]] void end_of_exception() noexcept {
  std::string what = "ended by an exception of unknown kind";
  if (const std::exception_ptr exception = std::current_exception()) try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
      what = "out of memory";
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
  end_of_error(what);
}

}  // namespace

void end_in_one_line(const char* program) noexcept {
  program_name = program;
  std::set_terminate(end_of_exception);
}

void end_suddenly(int status, const char* what) noexcept {
  if (ending.test_and_set())
    sleep(1);  // the first has something to say; this may be a signal that interrupted it
  else if (what != nullptr) {
    const std::array<const char*, 4> parts{program_name, ": ", what, "\n"};
    std::array<iovec, 4> line{};
    for (std::size_t i = 0; i < parts.size(); ++i) line[i] = {const_cast<char*>(parts[i]), std::strlen(parts[i])};
    [[maybe_unused]] const auto written = writev(STDERR_FILENO, line.data(), line.size());
  }
  remove_temporary_files();
  _exit(status);
}

}  // namespace asterism

#ifdef ASTERISM_CUDA
/// In place of StarPU's own, which prints several lines and aborts.
extern "C" void starpu_cuda_report_error(const char* function, const char* /*file*/, int /*line*/, cudaError_t status) {
  asterism::end_of_error(fmt::format("{} (met in {})", cudaGetErrorString(status), function));
}
#endif
