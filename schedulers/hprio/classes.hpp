// SPDX-License-Identifier: Apache-2.0
// The class (codelet) of every task of "hprio", found without a lock.
#pragma once

#include <starpu.h>

#include <memory>

#include "schedulers/hprio/layout.hpp"

namespace asterism::schedulers::hprio {

/// By the performance model's symbol, else by the codelet's name, else by its address.
class Classes {
 public:
  Class& of(const starpu_codelet& codelet);

 private:
  /// A codelet at an address; another one may come to live there, so its names are looked at too.
  struct Node {
    const starpu_codelet* codelet;
    const starpu_perfmodel* model;
    const char* name;
    Class* of;
    const Node* next;
  };
  static constexpr std::size_t heads = 256;

  std::array<std::atomic<const Node*>, heads> lists_{};
  std::mutex mutex_;  ///< of what follows
  std::vector<std::unique_ptr<const Node>> nodes_;
  std::map<std::string, std::unique_ptr<Class>> classes_;
};

}  // namespace asterism::schedulers::hprio
