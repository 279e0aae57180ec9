// SPDX-License-Identifier: Apache-2.0
#include "runtime/codelet.hpp"

#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/performance_model.hpp"

namespace asterism {
namespace {

/// All codelets of this program.
std::vector<Codelet*>& registered() {
  static std::vector<Codelet*> codelets;
  return codelets;
}

/// The part of a name before the first underscore.
std::string_view method_of(std::string_view name) {
  return name.substr(0, name.find('_'));
}

/// Machines may say of a codelet that it does not run on a kind of unit.
bool runs_on(const Codelet& codelet, UnitKind kind) {
  const Platform* const platform = simulated_platform();
  return platform == nullptr || platform->cost(codelet.symbol(), codelet.spec().name, kind) != nullptr;
}

CodeletSpec with_variant(CodeletSpec spec, const char* variant) {
  spec.variant = variant;
  return spec;
}

/// NAME/NUMBER of a codelet whose tasks have one.
bool is_numbered(std::string_view name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string_view number = name.substr(std::min(slash + 1, name.size()));
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos &&
         std::any_of(registered().begin(), registered().end(), [&](const Codelet* codelet) {
           return codelet->spec().number != nullptr && name.substr(0, slash) == codelet->spec().name;
         });
}

std::string symbol_of(const CodeletSpec& spec) {
  const std::string variant = spec.variant;
  return variant.empty() ? spec.name : spec.name + ("_" + variant);
}

}  // namespace

Codelet::Codelet(CodeletSpec spec) : spec_(std::move(spec)), symbol_(symbol_of(spec_)) {
  registered().push_back(this);
}

Codelet::~Codelet() {
  std::erase(registered(), this);
}

starpu_codelet& Codelet::starpu() {
  if (codelet_) return *codelet_;
  codelet_ = std::make_unique<starpu_codelet>();
  starpu_codelet& codelet = *codelet_;
  starpu_codelet_init(&codelet);
  codelet.name = spec_.name;
  codelet.model = &shared_model();
  codelet.nbuffers = spec_.modes.empty() ? STARPU_VARIABLE_NBUFFERS : static_cast<int>(spec_.modes.size());
  std::copy(spec_.modes.begin(), spec_.modes.end(), codelet.modes);
  if (spec_.cpu != nullptr && runs_on(*this, UnitKind::cpu)) {
    codelet.where |= STARPU_CPU;
    codelet.cpu_funcs[0] = spec_.cpu;
    codelet.cpu_funcs_name[0] = spec_.name;
  }
  if (spec_.cuda != nullptr && runs_on(*this, UnitKind::gpu)) {
    codelet.where |= STARPU_CUDA;
    codelet.cuda_funcs[0] = spec_.cuda;
    codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
  }
  if (spec_.main_memory_last > spec_.main_memory_first) {
    nodes_.assign(max_buffers, STARPU_SPECIFIC_NODE_LOCAL);
    std::fill(nodes_.begin() + spec_.main_memory_first, nodes_.begin() + spec_.main_memory_last,
              STARPU_SPECIFIC_NODE_CPU);
    codelet.specific_nodes = 1;
    codelet.dyn_nodes = nodes_.data();
  }
  return codelet;
}

starpu_perfmodel& Codelet::shared_model() {
  Codelet& first = **std::find_if(registered().begin(), registered().end(),
                                  [this](const Codelet* codelet) { return codelet->symbol() == symbol_; });
  if (first.model_.symbol == nullptr) first.model_ = performance_model(first.symbol_.c_str(), spec_.footprint);
  return first.model_;
}

PrecisionCodelet::PrecisionCodelet(CodeletSpec single_precision, CodeletSpec double_precision)
    : single_(with_variant(std::move(single_precision), "float")),
      double_(with_variant(std::move(double_precision), "double")) {}

PrecisionCodelet::PrecisionCodelet(CodeletSpec half_precision, CodeletSpec single_precision,
                                   CodeletSpec double_precision)
    : half_(std::make_unique<Codelet>(with_variant(std::move(half_precision), "half"))),
      single_(with_variant(std::move(single_precision), "float")),
      double_(with_variant(std::move(double_precision), "double")) {}

std::int64_t number_of(const starpu_task& task) {
  for (const Codelet* const codelet : registered())
    if (codelet->is(task.cl)) return codelet->spec().number == nullptr ? 0 : codelet->spec().number(task.cl_arg);
  return 0;
}

double chunks_of(const starpu_task& task) {
  for (const Codelet* const codelet : registered())
    if (codelet->is(task.cl)) return codelet->spec().chunks == nullptr ? 0 : codelet->spec().chunks(task.cl_arg);
  return 0;
}

bool is_own_codelet(std::string_view name) {
  if (is_numbered(name)) return true;
  return std::any_of(registered().begin(), registered().end(), [&](const Codelet* codelet) {
    const std::string_view known = codelet->spec().name;
    if (name == known || name == codelet->symbol()) return true;
    return codelet->spec().open_variants && name.starts_with(known) && name.size() > known.size() &&
           name[known.size()] == '_' && (name.ends_with("_double") || name.ends_with("_float"));
  });
}

bool is_codelet(std::string_view name) {
  if (is_own_codelet(name)) return true;
  return std::none_of(registered().begin(), registered().end(),
                      [&](const Codelet* codelet) { return method_of(name) == method_of(codelet->spec().name); });
}

std::string nearest_codelet(std::string_view name) {
  std::vector<std::string> known;
  for (const Codelet* const codelet : registered()) {
    known.emplace_back(codelet->spec().name);
    known.push_back(codelet->symbol());
  }
  return nearest(name, known);
}

}  // namespace asterism
