// SPDX-License-Identifier: Apache-2.0
// Tables 2 and 3 of the TD-BEM paper: rates of its two ways of blocking, measured on this machine's cores and GPU.
// Rates of other processors are not the paper's: what can be compared is how they depend on the blocks' shape.
#include <fmt/format.h>

#include <functional>
#include <map>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"
#include "apps/reproduce/tdbem/kernel_rates.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr std::int32_t widths[] = {16, 32, 64, 128};  // b_c
constexpr std::int32_t heights[] = {32, 64, 128};     // b_r

using Rate = std::optional<double>;
/// By the blocks' name in the tables.
using Rates = std::map<std::string, Rate>;

/// What a table measures of one kind of unit.
struct Measured {
  std::string unit;  ///< as sections say it
  Rates single_precision, double_precision;
};

class KernelTable : public Experiment {
 public:
  using Experiment::Experiment;

  void add_options(CLI::App& app) override {
    app.add_option("--rows", slices_.rows, "Rows of a slice, a multiple of 128")
        ->check(CLI::Range(128, 1 << 16))
        ->capture_default_str();
    app.add_option("--slices", slices_.slices, "Number of slices")
        ->check(CLI::Range(1, 1 << 12))
        ->capture_default_str();
    app.add_option("--repetitions", slices_.repetitions, "Repetitions of each measurement, of which the fastest counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper& /*paper*/) const override {
    Outcome outcome;
    outcome.settings = {
        {"rows", slices_.rows}, {"slices", slices_.slices}, {"repetitions", slices_.repetitions}, {"measured", true}};
    const double peaks[] = {peak_rate<float>(), peak_rate<double>()};
    outcome.settings["peak_of_a_core"] = {{"single", peaks[0]}, {"double", peaks[1]}};
    for (const Measured& m : {measure_core(slices_), measure_gpu(slices_)}) {
      add_rates(m.unit + ", single", m.single_precision, outcome.figures);
      add_rates(m.unit + ", double", m.double_precision, outcome.figures);
      if (m.unit != "core") continue;
      add_share("single", m.single_precision, peaks[0], outcome.figures);
      add_share("double", m.double_precision, peaks[1], outcome.figures);
    }
    return outcome;
  }

 private:
  [[nodiscard]] virtual Measured measure_core(const DenseSlices& slices) const = 0;
  [[nodiscard]] virtual Measured measure_gpu(const DenseSlices& slices) const = 0;
  /// Blocks that all others are compared with, and that the paper gives the share of the peak for.
  [[nodiscard]] virtual std::string reference() const = 0;

  void add_rates(const std::string& of, const Rates& rates, OurFigures& figures) const {
    const Rate whole = rates.at(reference());
    for (const auto& [blocks, rate] : rates) {
      figures[{"GFlop/s here: " + of, blocks}] = {rate ? Rate(*rate * 1e-9) : std::nullopt};
      if (blocks == reference() || of.starts_with("GPU")) continue;  // an M2070's: tdbem-gpu-rates
      figures[{fmt::format("Rate by that of {}: {}", reference(), of), blocks}] = {rate && whole ? Rate(*rate / *whole)
                                                                                                 : std::nullopt};
    }
  }
  void add_share(const std::string& precision, const Rates& rates, double peak, OurFigures& figures) const {
    figures[{"Share of a core's peak, " + reference(), precision}] = {percent * rates.at(reference()).value() / peak};
  }

  DenseSlices slices_;
};

class Table2 final : public KernelTable {
 public:
  Table2() : KernelTable("tdbem-table2", "TD-BEM paper, Table 2: rates of Full-Blocking by the blocks' shape") {}

 private:
  template <class T, class RateOf>
  static Rates rates(const RateOf& rate) {
    Rates all;
    for (const std::int32_t rows : heights)
      for (const std::int32_t columns : widths)
        all[fmt::format("{} x {}", rows, columns)] = rate(tdbem::BlockShape{rows, columns}, T());
    return all;
  }
  [[nodiscard]] Measured measure_core(const DenseSlices& slices) const override {
    const auto rate = [&](const tdbem::BlockShape& shape, auto number) {
      return full_blocking_rate<decltype(number)>(slices, shape);
    };
    return {"core", rates<float>(rate), rates<double>(rate)};
  }
  [[nodiscard]] Measured measure_gpu(const DenseSlices& slices) const override {
    const auto rate = [&](const tdbem::BlockShape& shape, auto number) {
      return full_blocking_rate_of_gpu<decltype(number)>(slices, shape);
    };
    return {"GPU", rates<float>(rate), rates<double>(rate)};
  }
  [[nodiscard]] std::string reference() const override { return "128 x 128"; }
};

class Table3 final : public KernelTable {
 public:
  Table3() : KernelTable("tdbem-table3", "TD-BEM paper, Table 3: rates of Contiguous-Blocking by the blocks' width") {}

 private:
  template <class T, class RateOf>
  static Rates rates(const RateOf& rate) {
    Rates all;
    for (const std::int32_t columns : widths) all[std::to_string(columns)] = rate(columns, T());
    return all;
  }
  [[nodiscard]] Measured measure_core(const DenseSlices& slices) const override {
    const auto rate = [&](std::int32_t columns, auto number) {
      return contiguous_blocking_rate<decltype(number)>(slices, columns);
    };
    return {"core", rates<float>(rate), rates<double>(rate)};
  }
  [[nodiscard]] Measured measure_gpu(const DenseSlices& slices) const override {
    const auto rate = [&](std::int32_t columns, auto number) {
      return contiguous_blocking_rate_of_gpu<decltype(number)>(slices, columns);
    };
    return {"GPU", rates<float>(rate), rates<double>(rate)};
  }
  [[nodiscard]] std::string reference() const override { return "128"; }
};

}  // namespace

std::unique_ptr<Experiment> tdbem_table2() {
  return std::make_unique<Table2>();
}
std::unique_ptr<Experiment> tdbem_table3() {
  return std::make_unique<Table3>();
}

}  // namespace asterism::apps::reproduce
