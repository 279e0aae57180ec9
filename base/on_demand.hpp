// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's libraries of mathematics, which are loaded when one of them is called first. A program that is
// linked with them spends half a second of a core and 100 MB before its main, for the kernels that they register.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace asterism {

/// The address of `function` in the shared library `library`, which is looked for as by the linker, then beside CUDA's
/// runtime. Throws std::runtime_error where there is none.
inline void* on_demand(const std::string& library, const char* function) {
  void* loaded = dlopen(library.c_str(), RTLD_NOW);
  Dl_info runtime{};
  if (loaded == nullptr && dladdr(reinterpret_cast<void*>(&cudaFree), &runtime) != 0) {
    const std::string path = runtime.dli_fname;
    loaded = dlopen((path.substr(0, path.rfind('/') + 1) + library).c_str(), RTLD_NOW);
  }
  void* const address = loaded == nullptr ? nullptr : dlsym(loaded, function);
  if (address == nullptr) {
    const char* const why = dlerror();
    throw std::runtime_error(std::string(function) + ": " + (why == nullptr ? "not in " + library : why));
  }
  return address;
}

}  // namespace asterism

#define ASTERISM_STRING_OF(number) #number
#define ASTERISM_ON_DEMAND(name, major, function)                                                             \
  (*reinterpret_cast<decltype(&function)>([] {                                                                \
    static void* const address = asterism::on_demand("lib" name ".so." ASTERISM_STRING_OF(major), #function); \
    return address;                                                                                           \
  }()))

/// cuBLAS's and cuSPARSE's `function`; their headers come first.
#define ASTERISM_CUBLAS(function) ASTERISM_ON_DEMAND("cublas", CUBLAS_VER_MAJOR, function)
#define ASTERISM_CUSPARSE(function) ASTERISM_ON_DEMAND("cusparse", CUSPARSE_VER_MAJOR, function)
