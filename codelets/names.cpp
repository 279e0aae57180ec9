#include "codelets/names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

namespace asterism {
namespace {

// As codelets/METHOD/codelets.cpp has them.
constexpr std::array fdtd = {"advance", "clear", "domain", "energy", "load", "store", "sum"};
constexpr std::array fmm = {"l2l", "l2p", "m2l", "m2m", "p2m", "reduction"};
constexpr std::array lbm = {"advance", "complete", "forward", "load", "observe", "store", "total"};
constexpr std::array tdbem = {"assemble", "combine", "illuminate", "move_on", "observe",
                              "prepare",  "product", "radiate",    "solve",   "solve_directly"};
/// P2P has a model for each kernel, also for those of programs that bring their own.
constexpr std::string_view of_kernels = "fmm_p2p_";
/// Methods whose codelets register themselves.
constexpr std::array registered_methods = {"cg_"};

template <class Names>
void add_with_precisions(std::set<std::string, std::less<>>& all, const std::string& method, const Names& names,
                         std::initializer_list<const char*> precisions) {
  for (const char* name : names) {
    all.insert(method + name);
    for (const char* precision : precisions) all.insert(method + name + precision);
  }
}

const std::set<std::string, std::less<>>& all_names() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> all{"fmm_p2p", "fmm_p2p_laplace_double"};
    add_with_precisions(all, "fmm_", fmm, {"_double"});
    add_with_precisions(all, "fdtd_", fdtd, {"_float", "_double"});
    add_with_precisions(all, "lbm_", lbm, {"_float", "_double"});
    add_with_precisions(all, "tdbem_", tdbem, {"_float", "_double"});
    return all;
  }();
  return names;
}

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // of a's letters so far to b's first k
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t changed = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({changed, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool is_listed_codelet(std::string_view name) {
  if (std::any_of(registered_methods.begin(), registered_methods.end(),
                  [&](const char* method) { return name.starts_with(method); }))
    return true;
  return all_names().contains(name) || (name.starts_with(of_kernels) && name.ends_with("_double"));
}

std::string nearest_listed_codelet(std::string_view name) {
  const auto& all = all_names();
  return *std::min_element(all.begin(), all.end(), [&](const std::string& a, const std::string& b) {
    return distance(name, a) < distance(name, b);
  });
}

}  // namespace asterism
