// SPDX-License-Identifier: Apache-2.0
// Which bucket a task of "hprio" goes to, and the order of the buckets: as a table says, or found from speedups.
// Nothing here knows StarPU.
#pragma once

#include <algorithm>

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
  /// Durations of a task that performance models predict; 0: of kinds that cannot run it.
  void predicted(const PerKind<double>& lengths);
  /// How long a task of this size may be expected to take there, in microseconds: in proportion to its flops where
  /// those are known, else the mean; 0: never measured.
  [[nodiscard]] double expected(Kind kind, double flops) const {
    const Sum& sum = measured_[at(kind)];
    const std::uint64_t count = sum.count.load();
    if (count == 0) return 0;
    const double all = sum.flops.load();
    return flops > 0 && all > 0 ? sum.time.load() / all * flops : sum.time.load() / static_cast<double>(count);
  }
  /// Tasks came that so many units of each kind can run.
  void came(const PerKind<unsigned>& able);
  [[nodiscard]] bool runs_on_several() const {
    return std::count_if(runs_on_.begin(), runs_on_.end(), [](const auto& runs) { return runs.load(); }) > 1;
  }
  /// Mean durations: as predicted on the kinds for which there is a prediction for two kinds at least, else as
  /// measured.
  [[nodiscard]] Speed speed() const;

 private:
  friend class Layout;
  struct Sum {
    std::atomic<double> time{0};
    std::atomic<double> flops{0};
    std::atomic<std::uint64_t> count{0};
  };
  static PerKind<double> means(const PerKind<Sum>& sums);

  /// What a layout knows about the class.
  struct Choice {
    const Layout* layout;
    std::vector<std::size_t> lines;  ///< of the table, that name this codelet
    Bucket* bucket;                  ///< without a table
  };
  std::string symbol_;
  std::string name_;
  PerKind<Sum> measured_;
  PerKind<Sum> predicted_;
  PerKind<std::atomic<bool>> runs_on_{};
  std::atomic<const Choice*> choice_{nullptr};
  PerKind<std::atomic<double>> ordered_by_{};  ///< speedups when the buckets were last ordered
};

class Layout {
 public:
  /// `table`: none for buckets per codelet, ordered by speedup.
  Layout(Pool& pool, const Rules& rules, std::optional<Table> table);

  /// Sets the bucket of a task. `size` is asked for only when the bucket is split.
  void place(Entry& entry, Class& of, const std::function<double()>& size);
  /// The kinds that have units in the context; the models of the kinds of GPUs, as far as they are known.
  void set_units(const PerKind<bool>& present, std::vector<std::string> models = {});
  /// To be called when durations became known: orders anew if a speedup of the class moved by more than a tenth.
  void learn(Class& of);

 private:
  struct Place {
    Bucket* bucket;
    Ranks ranks;  ///< by the columns of the table; without one by kind
    std::unique_ptr<PerKind<std::atomic<bool>>> takes = std::make_unique<PerKind<std::atomic<bool>>>();
  };
  struct Split {
    std::size_t large;
    std::size_t small;
    std::unique_ptr<Halves> halves;  ///< none: not split
  };
  const Class::Choice& choice_of(Class& of);
  void order();
  [[nodiscard]] Ranks ranks_of(const Place& place) const {
    return table_ ? ranks_of_kinds(place.ranks, table_->models, models_) : place.ranks;
  }

  Pool& pool_;
  const Rules rules_;
  const std::optional<Table> table_;
  std::mutex mutex_;
  std::vector<Place> places_;
  std::vector<Split> splits_;    ///< of the table's lines; places in places_
  Bucket* rest_ = nullptr;       ///< of tasks that no line names or that no unit would take
  std::vector<Class*> classes_;  ///< without a table: of the buckets
  std::vector<std::unique_ptr<const Class::Choice>> choices_;
  PerKind<bool> units_{true, true};
  std::vector<std::string> models_;
};

}  // namespace asterism::schedulers::hprio
