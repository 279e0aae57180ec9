// SPDX-License-Identifier: Apache-2.0
// What the buckets of "hprio" cost without StarPU: tasks of several codelets are pushed by one thread, then popped by
// some threads together. Prints JSON: nanoseconds of processor time per task, the least and the median of the
// repetitions, which other load on the machine disturbs less than the wall clock.
//
//   bench_hprio 2 > bench-hprio.json      # threads
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "schedulers/hprio/pool.hpp"

namespace {

using namespace asterism::schedulers::hprio;

constexpr int codelets = 8;
constexpr int tasks = 200000;
constexpr int repeats = 15;

double processor_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

nlohmann::json summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {{"median", values[values.size() / 2]}, {"min", values.front()}};
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
  std::vector<double> pushed;
  std::vector<double> popped;
  for (int r = 0; r < repeats; ++r) {
    Pool pool(true, 0, {}, true);
    std::vector<Bucket*> buckets;
    for (int c = 0; c < codelets; ++c) buckets.push_back(&pool.add(std::to_string(c), Bucket::Within::priority));
    pool.set_orders({buckets, std::vector<Bucket*>{}});
    double start = processor_nanoseconds();
    for (int t = 0; t < tasks; ++t) {
      Entry entry;
      entry.task = &entry;
      entry.able = {static_cast<unsigned>(threads), 0};
      entry.priority = t % codelets;
      entry.bucket = buckets[static_cast<std::size_t>(t % codelets)];
      entry.bucket->push(entry);
    }
    pushed.push_back((processor_nanoseconds() - start) / tasks);
    std::atomic<int> ready{0};
    std::atomic<double> sum{0};
    std::atomic<int> found{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (++ready; ready.load() < threads;) std::this_thread::yield();
        const double begin = processor_nanoseconds();
        int count = 0;
        while (pool.pop({static_cast<unsigned>(t), Kind::cpu})) ++count;
        sum.fetch_add(processor_nanoseconds() - begin);
        found += count;
      });
    for (std::thread& thread : all) thread.join();
    if (found.load() != tasks) return std::fprintf(stderr, "bench_hprio: %d of %d tasks\n", found.load(), tasks), 1;
    popped.push_back(sum.load() / tasks);
  }
  std::printf("%s\n", nlohmann::json{{"program", "bench_hprio"},
                                     {"cores", std::thread::hardware_concurrency()},
                                     {"threads", threads},
                                     {"codelets", codelets},
                                     {"tasks", tasks},
                                     {"repeats", repeats},
                                     {"push_ns", summary(pushed)},
                                     {"pop_ns", summary(popped)}}
                          .dump(1)
                          .c_str());
  return 0;
}
