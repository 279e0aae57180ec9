// SPDX-License-Identifier: Apache-2.0
// What a scheduler costs: empty tasks of several codelets, without data, on CPU workers. While StarPU is paused all are
// pushed; then all are popped. Prints medians over interleaved repetitions as JSON, in tasks per second.
//
//   bench_scheduler --workers 64 --schedulers hprio,heteroprio,lws,eager,dmdas > bench-scheduler.json
//
// Asterism's schedulers: STARPU_SCHED_LIB. A task's priority is the number of its codelet, which StarPU's own
// heteroprio (told so through its interface, its automatic mode off) takes for its bucket.
#include <starpu.h>
#include <starpu_heteroprio.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

int codelet_count = 8;  // the callback below has no other way to know

void nothing(void** /*buffers*/, void* /*arguments*/) {}

void set_up_heteroprio(unsigned context) {
  starpu_heteroprio_set_use_locality(context, 0);
  starpu_heteroprio_set_nb_prios(context, STARPU_CPU_WORKER, static_cast<unsigned>(codelet_count));
  for (unsigned p = 0; p < static_cast<unsigned>(codelet_count); ++p) {
    starpu_heteroprio_set_mapping(context, STARPU_CPU_WORKER, p, p);
    starpu_heteroprio_set_faster_arch(context, STARPU_CPU_WORKER, p);
  }
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Rates {
  std::vector<double> pushed;
  std::vector<double> popped;
};

bool run(const std::string& scheduler, int workers, int tasks, Rates& rates) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.sched_policy_name = scheduler.c_str();
  conf.ncpus = workers;
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (scheduler == "heteroprio") conf.sched_policy_callback = set_up_heteroprio;
  if (starpu_init(&conf) != 0) return false;
  std::vector<starpu_codelet> codelets(static_cast<std::size_t>(codelet_count));
  std::vector<std::string> names(codelets.size());
  for (std::size_t c = 0; c < codelets.size(); ++c) {
    starpu_codelet_init(&codelets[c]);
    codelets[c].cpu_funcs[0] = nothing;
    names[c] = "empty_" + std::to_string(c);
    codelets[c].name = names[c].c_str();
  }
  std::vector<starpu_task*> all(static_cast<std::size_t>(tasks));
  for (std::size_t t = 0; t < all.size(); ++t) {
    all[t] = starpu_task_create();
    all[t]->cl = &codelets[t % codelets.size()];
    all[t]->priority = static_cast<int>(t % codelets.size());
  }
  starpu_pause();
  const double start = seconds();
  for (starpu_task* const task : all)
    if (starpu_task_submit(task) != 0) return false;
  const double between = seconds();
  starpu_resume();
  starpu_task_wait_for_all();
  const double end = seconds();
  starpu_shutdown();
  rates.pushed.push_back(tasks / (between - start));
  rates.popped.push_back(tasks / (end - between));
  return true;
}

nlohmann::json summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {{"median", values[values.size() / 2]}, {"min", values.front()}, {"max", values.back()}};
}

}  // namespace

int main(int argc, char** argv) {
  int workers = 4;
  int tasks = 10000;
  int repeats = 5;
  std::vector<std::string> schedulers{"hprio", "heteroprio", "lws", "eager", "dmdas"};
  CLI::App app("What a scheduler costs, in tasks pushed and popped per second");
  app.add_option("--workers", workers, "CPU workers (default: 4)")->check(CLI::PositiveNumber);
  app.add_option("--tasks", tasks, "Tasks per repetition (default: 10000; dmdas needs quadratic time to sort them)")
      ->check(CLI::PositiveNumber);
  app.add_option("--codelets", codelet_count, "Codelets, and priorities (default: 8)")->check(CLI::Range(1, 100));
  app.add_option("--repeat", repeats, "Repetitions, interleaved (default: 5)")->check(CLI::PositiveNumber);
  app.add_option("--schedulers", schedulers, "As STARPU_SCHED")->delimiter(',');
  CLI11_PARSE(app, argc, argv);

  setenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0", 1);
  std::map<std::string, Rates> rates;
  for (int r = 0; r < repeats; ++r)
    for (const std::string& scheduler : schedulers)
      if (!run(scheduler, workers, tasks, rates[scheduler])) {
        std::fprintf(stderr, "bench_scheduler: StarPU does not start with scheduler %s\n", scheduler.c_str());
        return 1;
      }
  nlohmann::json record{{"program", "bench_scheduler"},
                        {"workers", workers},
                        {"tasks", tasks},
                        {"codelets", codelet_count},
                        {"repeats", repeats}};
  for (const std::string& scheduler : schedulers)
    record["schedulers"][scheduler] = {{"pushed_per_second", summary(rates[scheduler].pushed)},
                                       {"popped_per_second", summary(rates[scheduler].popped)}};
  std::printf("%s\n", record.dump(1).c_str());
  return 0;
}
