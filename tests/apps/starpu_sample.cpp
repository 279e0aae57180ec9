// SPDX-License-Identifier: Apache-2.0
// A StarPU program that knows nothing of Asterism, for the tests of asterism-compare: rounds of a tile product on a
// few tiles and a sum over them. starpu_sample [ROUNDS] [BEHAVIOUR], where BEHAVIOUR is one of
//   run               (default) prints "elapsed = SECONDS s" and a line of JSON
//   fail-with:NAME    exit status 3 after complaining when STARPU_SCHED is NAME
//   crash-with:NAME   the same with a signal
//   hang-with:NAME    the same, never ending
//   file:PATH         writes its JSON to PATH too
#include <starpu.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int tiles = 4;
constexpr int size = 48;

void multiply(void* buffers[], void*) {
  const auto* a = reinterpret_cast<const double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  auto* c = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[1]));
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < size; ++k)
      for (int j = 0; j < size; ++j) c[i * size + j] += 1e-3 * a[i * size + k] * a[k * size + j];
}

void add(void* buffers[], void*) {
  const auto* c = reinterpret_cast<const double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  auto* sum = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[1]));
  for (int i = 0; i < size * size; ++i) *sum += c[i];
}

starpu_perfmodel model_of(const char* name) {
  starpu_perfmodel model = {};
  model.type = STARPU_HISTORY_BASED;
  model.symbol = name;
  return model;
}

starpu_perfmodel multiply_model = model_of("sample_multiply");
starpu_perfmodel add_model = model_of("sample_add");

void submit(starpu_codelet& codelet, starpu_data_handle_t from, starpu_data_handle_t to) {
  if (starpu_task_insert(&codelet, STARPU_R, from, STARPU_RW, to, 0) != 0) std::exit(4);
}

bool chosen(const std::string& behaviour, const char* what) {
  const char* scheduler = std::getenv("STARPU_SCHED");
  return behaviour == std::string(what) + ":" + (scheduler != nullptr ? scheduler : "");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  const std::string behaviour = argc > 2 ? argv[2] : "run";
  if (chosen(behaviour, "fail-with")) {
    std::fprintf(stderr, "first line\nthe sample does not like %s\n", std::getenv("STARPU_SCHED"));
    return 3;
  }
  if (chosen(behaviour, "crash-with")) std::abort();
  while (chosen(behaviour, "hang-with")) sleep(1);
  if (starpu_init(nullptr) != 0) return 77;

  starpu_codelet multiply_codelet = {};
  multiply_codelet.cpu_funcs[0] = multiply;
  multiply_codelet.nbuffers = 2;
  multiply_codelet.modes[0] = STARPU_R;
  multiply_codelet.modes[1] = STARPU_RW;
  multiply_codelet.name = "multiply";
  multiply_codelet.model = &multiply_model;
  starpu_codelet add_codelet = multiply_codelet;
  add_codelet.cpu_funcs[0] = add;
  add_codelet.name = "add";
  add_codelet.model = &add_model;

  std::vector<double> a(size * size, 1.0);
  std::vector<std::vector<double>> c(tiles, std::vector<double>(size * size, 0.0));
  double sum = 0;
  const auto add_vector = [](starpu_data_handle_t& handle, double* data, unsigned count, const char* name) {
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(data), count, sizeof(double));
    starpu_data_set_name(handle, name);
  };
  starpu_data_handle_t a_handle = nullptr;
  starpu_data_handle_t sum_handle = nullptr;
  std::vector<starpu_data_handle_t> c_handle(tiles);
  add_vector(a_handle, a.data(), size * size, "a");
  add_vector(sum_handle, &sum, 1, "sum");
  for (int t = 0; t < tiles; ++t) add_vector(c_handle[t], c[t].data(), size * size, "c");

  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    for (int t = 0; t < tiles; ++t) submit(multiply_codelet, a_handle, c_handle[t]);
    for (int t = 0; t < tiles; ++t) submit(add_codelet, c_handle[t], sum_handle);
  }
  starpu_task_wait_for_all();
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  starpu_data_unregister(a_handle);
  starpu_data_unregister(sum_handle);
  for (starpu_data_handle_t handle : c_handle) starpu_data_unregister(handle);
  starpu_shutdown();
  std::printf("elapsed = %.9f s\n{\"sum\": %.17g, \"time\": {\"seconds\": %.9f}}\n", elapsed, sum, elapsed);
  if (behaviour.rfind("file:", 0) == 0) {
    std::FILE* file = std::fopen(behaviour.c_str() + 5, "w");
    if (file == nullptr) return 5;
    std::fprintf(file, "{\n \"steps\": [{\"seconds\": %.9f}]\n}\n", elapsed);
    std::fclose(file);
  }
  return 0;
}
