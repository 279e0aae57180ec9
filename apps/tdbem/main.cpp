// asterism-tdbem: time-domain boundary elements as a task flow.
#include <fmt/format.h>
#include <starpu.h>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/tdbem/arguments.hpp"
#include "apps/tdbem/run.hpp"
#include "apps/tdbem/statistics.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::tdbem {
namespace {

int solve_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  refuse_over_ranks(args.calibrate, "--calibrate");
  refuse_over_ranks(!args.intervals.empty(), "--intervals");
  Case of = make_case(args);
  if (args.statistics) {
    if (rank_group().is_root()) print_statistics(args, of);
    return 0;
  }
  if (args.calibrate) args.single_precision ? calibrate<float>(args, of) : calibrate<double>(args, of);
  Report report = args.single_precision ? solve<float>(args, of, argc, argv) : solve<double>(args, of, argc, argv);
  if (!report.wrong.empty()) conclude_wrong(args.json, report.record, report.rows, report.wrong);
  conclude({args.json, args.trace, args.calibrate},
           fmt::format("asterism-tdbem {}, {}", of.describe, report.record["starpu"]["scheduler"].get<std::string>()),
           report.record, report.rows, report.written);
  return 0;
}

}  // namespace
}  // namespace asterism::apps::tdbem

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  return asterism::apps::run("asterism-tdbem", [&] { return asterism::apps::tdbem::solve_and_report(argc, argv); });
}
