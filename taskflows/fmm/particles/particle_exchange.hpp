// SPDX-License-Identifier: Apache-2.0
// Particles on their way between the ranks that read or generated them, each a part in the user's order, and those that
// have the groups of their leaves; and results back.
#pragma once

#include <cstdint>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

class ParticleExchange {
 public:
  /// `sorted`: this rank's part by the leaves of the tree. All ranks call everything here together.
  ParticleExchange(const std::vector<Keyed>& sorted, const Tree& tree);

  /// The particles of own leaves in the order of the tree, where parts follow each other as their ranks do, and then
  /// those of tree.foreign_ghosts().
  [[nodiscard]] Particles bring(const Particles& part);
  /// Number of particles of own leaves.
  [[nodiscard]] std::size_t own() const noexcept { return own_; }
  /// Place of the first particle of a leaf, own or a foreign ghost, among those brought.
  [[nodiscard]] std::int64_t first_of(std::int32_t leaf) const;
  /// Sends the results of the particles of own leaves to the ranks that have them in their parts; after bring().
  void give_back(const Result& own, Result& part) const;

 private:
  const Tree& tree_;
  Range leaves_;                      ///< own
  std::vector<std::uint32_t> index_;  ///< of the part's particles in the order of the tree
  std::vector<std::size_t> to_;       ///< [rank]: first in index_ that it gets, and the end
  std::size_t own_ = 0;
  std::vector<std::int64_t> ghost_begin_;           ///< of each foreign ghost among those brought
  std::vector<std::vector<std::uint32_t>> places_;  ///< [rank]: of its particles among own ones, as it sends them
};

}  // namespace asterism::fmm
