// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/classes.hpp"

namespace asterism::schedulers::hprio {

Class& Classes::of(const starpu_codelet& codelet) {
  const auto address = reinterpret_cast<std::uintptr_t>(&codelet);
  std::atomic<const Node*>& list = lists_[(address >> 4 ^ address >> 12) % heads];
  const auto find = [&]() -> Class* {
    for (const Node* node = list.load(); node != nullptr; node = node->next)
      if (node->codelet == &codelet && node->model == codelet.model && node->name == codelet.name) return node->of;
    return nullptr;
  };
  if (Class* const known = find()) return *known;

  const std::lock_guard lock(mutex_);
  if (Class* const known = find()) return *known;
  const bool has_symbol = codelet.model != nullptr && codelet.model->symbol != nullptr;
  const std::string symbol = has_symbol ? codelet.model->symbol : "";
  const std::string name = codelet.name != nullptr ? codelet.name : "";
  const std::string key = has_symbol ? symbol : (name.empty() ? "codelet at " + std::to_string(address) : name);
  std::unique_ptr<Class>& of = classes_[key];
  if (of == nullptr) of = std::make_unique<Class>(symbol, name.empty() ? key : name);
  nodes_.push_back(std::make_unique<const Node>(Node{&codelet, codelet.model, codelet.name, of.get(), list.load()}));
  list.store(nodes_.back().get());
  return *of;
}

}  // namespace asterism::schedulers::hprio
