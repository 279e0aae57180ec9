// SPDX-License-Identifier: Apache-2.0
// Cores of one machine that are not alike.
#pragma once

#include "runtime/session.hpp"

struct hwloc_topology;

namespace asterism {

/// Numbers of the kinds of cores (hwloc: by efficiency) of a session's CPU workers; all 0 where they are alike, and on
/// a simulated machine.
class CoreKinds {
 public:
  CoreKinds();
  ~CoreKinds();
  CoreKinds(const CoreKinds&) = delete;
  CoreKinds& operator=(const CoreKinds&) = delete;
  [[nodiscard]] int of(const Unit& unit) const;
  [[nodiscard]] int count() const;

 private:
  hwloc_topology* topology_ = nullptr;
};

}  // namespace asterism
