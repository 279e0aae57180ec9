// The whole domain in one array of main memory, and back; over several ranks, what rank 0 writes.
#pragma once

#include <cstddef>
#include <vector>

#include "taskflows/lbm/simulation.hpp"
#include "taskflows/runtime/array.hpp"

namespace asterism::lbm {

/// Nineteen slots of all cells, slot by slot, x fastest, float or double: see Simulation::get.
Array<char> gather_state(Simulation& simulation, const Problem& problem);
void scatter_state(Simulation& simulation, const Problem& problem, long time, const char* state);
/// rho, u, v, w of all cells. Over several ranks: of the whole domain on rank 0, nothing on the others.
Array<char> gather_fields(Simulation& simulation, const Problem& problem);

/// The state of this rank's bricks, box by box: slot by slot, x fastest.
class OwnState {
 public:
  OwnState(Simulation& simulation, const Problem& problem);

  /// On rank 0: the populations of `slot` in `box` from all ranks, x fastest. The others give theirs, and may pass
  /// null.
  void collect(int slot, const DomainBox& box, char* values) const;

 private:
  struct Part {
    DomainBox box;
    Array<char> slots;
  };
  /// What lies in `common`, from an array of one box to that of another.
  void copy_rows(const DomainBox& from_box, const char* from, const DomainBox& to_box, char* to,
                 const DomainBox& common) const;

  std::size_t element_;
  std::vector<Part> parts_;
};

}  // namespace asterism::lbm
