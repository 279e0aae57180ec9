// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 of two GPUs: the first has drawn 100 W since some time in the past, or the millijoules in the
// file that FAKE_NVML names; the second does not tell.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static char devices[2];
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(void* /*device*/, char* name, unsigned length) {
  std::strncpy(name, "Fake GPU", length);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  void* first = nullptr;
  nvmlDeviceGetHandleByIndex_v2(0, &first);
  constexpr int not_supported = 3;
  if (device != first) return not_supported;
  if (const char* const file = std::getenv("FAKE_NVML")) return std::ifstream(file) >> *millijoules ? 0 : not_supported;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now().time_since_epoch();
  *millijoules = static_cast<unsigned long long>(1e5 * time.count());
  return 0;
}
}
