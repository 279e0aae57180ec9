// SPDX-License-Identifier: Apache-2.0
// Prints the memory ceilings of this machine as JSON. STARPU_NCPU and STARPU_NCUDA choose the workers.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/session.hpp"

int main() {
  try {
    const asterism::Session session({});
    const asterism::Bandwidth b = asterism::measure_bandwidth();
    fmt::print(R"({{"program": "bandwidth", "cpus": {}, "gpus": {}, )", session.cpus(), session.gpus());
    fmt::print(R"("cpu_read": {:.4g}, "cpu_copy": {:.4g}, "gpu_copy": {:.4g}, "gpu_read": {:.4g}}})", b.cpu_read,
               b.cpu_copy, b.gpu_copy, b.gpu_read);
    fmt::print("\n");
    return 0;
  } catch (const asterism::Error& e) {
    fmt::print(stderr, "bench_bandwidth: error: {}\n", e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_bandwidth: error: {}\n", e.what());
    return 1;
  }
}
