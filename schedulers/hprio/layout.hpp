// SPDX-License-Identifier: Apache-2.0
// Which bucket a task of "hprio" goes to, and the order of the buckets: as a table says, or found from speedups.
// Nothing here knows StarPU.
#pragma once

#include "schedulers/hprio/pool.hpp"

namespace asterism::schedulers::hprio {

class Layout;

/// The tasks of one codelet, and how long they take.
class Class {
 public:
  Class(std::string symbol, std::string name) : symbol_(std::move(symbol)), name_(std::move(name)) {}
  [[nodiscard]] const std::string& symbol() const { return symbol_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// A task ran on a unit of this kind for so long. `flops`: its size, 0 when unknown.
  void measured(Kind kind, double microseconds, double flops = 0);
  /// Enough is known: only some tasks need to be measured from now on.
  [[nodiscard]] bool well_measured(Kind kind) const { return measured_[at(kind)].count.load() >= 100; }
  /// Durations of a task that performance models predict.
  void predicted(double on_cpu, double on_gpu);
  /// In microseconds; 0: unknown.
  /// How long a task of this size may be expected to take there, in microseconds: in proportion to its flops where
  /// those are known, else the mean; 0: never measured.
  [[nodiscard]] double expected(Kind kind, double flops) const {
    const Sum& sum = measured_[at(kind)];
    const std::uint64_t count = sum.count.load();
    if (count == 0) return 0;
    const double all = sum.flops.load();
    return flops > 0 && all > 0 ? sum.time.load() / all * flops : sum.time.load() / static_cast<double>(count);
  }
  /// Mean duration on a CPU over that on a GPU, as measured; as predicted if anything was, else as measured. 0:
  /// unknown.
  [[nodiscard]] double measured_speedup() const { return ratio(measured_); }
  [[nodiscard]] double speedup() const;
  /// Tasks came that can run on both kinds of unit, or on one alone.
  void came(bool on_cpu, bool on_gpu);
  [[nodiscard]] bool runs_on_both() const { return runs_on_[0].load() && runs_on_[1].load(); }
  [[nodiscard]] Speed speed() const { return {{runs_on_[0].load(), runs_on_[1].load()}, speedup()}; }

 private:
  friend class Layout;
  struct Sum {
    std::atomic<double> time{0};
    std::atomic<double> flops{0};
    std::atomic<std::uint64_t> count{0};
  };
  static double ratio(const std::array<Sum, 2>& sums);

  /// What a layout knows about the class.
  struct Choice {
    const Layout* layout;
    std::vector<std::size_t> lines;  ///< of the table, that name this codelet
    Bucket* bucket;                  ///< without a table
  };
  std::string symbol_;
  std::string name_;
  std::array<Sum, 2> measured_;
  std::array<Sum, 2> predicted_;
  std::array<std::atomic<bool>, 2> runs_on_{};
  std::atomic<const Choice*> choice_{nullptr};
  std::atomic<double> ordered_by_{0};  ///< speedup when the buckets were last ordered
};

class Layout {
 public:
  /// `table`: none for buckets per codelet, ordered by speedup.
  Layout(Pool& pool, const Rules& rules, std::optional<Table> table);

  /// Sets the bucket of a task. `size` is asked for only when the bucket is split.
  void place(Entry& entry, Class& of, const std::function<double()>& size);
  /// The kinds that have units in the context.
  void set_units(bool cpus, bool gpus);
  /// To be called when durations became known: orders anew if the class's speedup moved by more than a tenth.
  void learn(Class& of);

 private:
  struct Place {
    Bucket* bucket;
    Ranks ranks;
  };
  struct Split {
    std::size_t large;
    std::size_t small;
    std::unique_ptr<Halves> halves;  ///< none: not split
  };
  const Class::Choice& choice_of(Class& of);
  void order();

  Pool& pool_;
  const Rules rules_;
  const std::optional<Table> table_;
  std::mutex mutex_;
  std::vector<Place> places_;
  std::vector<Split> splits_;    ///< of the table's lines; places in places_
  Bucket* rest_ = nullptr;       ///< of tasks that no line names or that no unit would take
  std::vector<Class*> classes_;  ///< without a table: of the buckets
  std::vector<std::unique_ptr<const Class::Choice>> choices_;
  std::array<bool, 2> units_{true, true};
};

}  // namespace asterism::schedulers::hprio
