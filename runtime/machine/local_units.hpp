// SPDX-License-Identifier: Apache-2.0
// Cores and GPUs of a machine on which several ranks run: each takes a part of those that their launcher gave to all of
// them. What a launcher, or the user, dealt out is left as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace asterism {

/// Consecutive units.
struct UnitRange {
  int first = 0;
  int count = 0;
  friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

/// What the one with number `index` of `sharers` takes of `units`: as many as the others, or one more or less. Where
/// there are fewer units than sharers, several neighbours take the same one.
UnitRange share_of(int units, int index, int sharers);

/// Ranks that would use the same units as this one, itself included, and its number among them.
struct Sharing {
  int index = 0;
  int sharers = 1;
};
/// Those on this machine whose `units` reads the same. Ranks together.
Sharing sharing(const std::string& units);

/// Lets this thread run on all cores of the machine where Open MPI has bound it to one by its default for two
/// `processes` and one; binding that was asked for stays. OpenMP starts as many threads, unless OMP_NUM_THREADS says
/// how many. Returns whether it did.
bool undo_default_binding(int processes);

/// While it lives, the calling thread, and those that it starts, may run on a part of the cores only that this rank has
/// in common with others, and OpenMP starts no more threads, unless OMP_NUM_THREADS says how many. Does nothing where
/// StarPU was told where its workers run (STARPU_WORKERS_CPUID, _COREID, _NOBIND, _GETBIND). Ranks together.
class OwnCores {
 public:
  OwnCores();
  ~OwnCores();
  OwnCores(const OwnCores&) = delete;
  OwnCores& operator=(const OwnCores&) = delete;

  /// Cores of this rank: its part of those that it shares, or all that it was started on (mpirun binds two ranks to one
  /// core each, unless it is told otherwise).
  [[nodiscard]] int count() const noexcept { return count_; }
  /// There are more ranks than cores: none is bound to any, nor should its workers be.
  [[nodiscard]] bool crowded() const noexcept { return crowded_; }
  /// StarPU was told where its workers run.
  [[nodiscard]] bool told() const noexcept { return told_; }

 private:
  struct Before;
  std::unique_ptr<Before> before_;
  int count_ = 1;
  bool crowded_ = false;
  bool told_ = false;
};

/// Numbers of the GPUs for this rank, of `visible` ones that it sees: its part, or as many as `wanted`, from its part's
/// first on. None: it has all that it sees, or those of STARPU_WORKERS_CUDAID. Ranks together.
std::vector<int> own_gpus(int visible, const std::optional<int>& wanted);

}  // namespace asterism
