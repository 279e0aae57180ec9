// SPDX-License-Identifier: Apache-2.0
// bench_library_calls cg|fmm FOLDER CORES: the library, called with arrays that bench_library.py wrote into the
// folder; prints as JSON the seconds of each call, and the peak of memory before it had any array.
#include <sys/resource.h>

#include <asterism/cg.hpp>
#include <asterism/fmm.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

template <class T>
std::vector<T> read(const std::filesystem::path& file) {
  std::vector<T> values(std::filesystem::file_size(file) / sizeof(T));
  std::ifstream(file, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

nlohmann::json solve(asterism::Session& session, const std::filesystem::path& folder) {
  const auto row_begin = read<std::int32_t>(folder / "indptr");
  const auto column = read<std::int32_t>(folder / "indices");
  const auto value = read<double>(folder / "data");
  const std::vector<double> b(row_begin.size() - 1, 1);
  std::vector<double> x(b.size());
  asterism::cg::Solver solver(session, {row_begin, column, value},
                              {.preconditioner = asterism::cg::Preconditioner::none});
  const asterism::cg::Result result = solver.solve(b, x);
  return {{"seconds", {result.seconds}}, {"iterations", result.iterations}};
}

nlohmann::json evaluate(asterism::Session& session, const std::filesystem::path& folder) {
  const auto points = read<double>(folder / "points");
  const auto charge = read<double>(folder / "charge");
  const std::span<const double> all(points);
  const std::size_t n = charge.size();
  asterism::fmm::Evaluator evaluator(session, {all.first(n), all.subspan(n, n), all.last(n)},
                                     {.height = 5, .group_size = 64});
  std::vector<double> potential(n), x(n), y(n), z(n);
  nlohmann::json seconds;
  for (int call = 0; call < 3; ++call) seconds.push_back(evaluator.evaluate(charge, {potential, x, y, z}).seconds);
  return {{"seconds", seconds}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string method = argv[1];
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  asterism::Session session({.cpus = std::stoi(argv[3]), .gpus = 0});
  nlohmann::json found = method == "cg" ? solve(session, argv[2]) : evaluate(session, argv[2]);
  found["before_bytes"] = usage.ru_maxrss * 1024;
  std::puts(found.dump().c_str());
  return 0;
}
