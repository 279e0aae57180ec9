// The names by which files may speak of codelets: those of their performance models, and the tasks' own. Of methods
// whose codelets do not register themselves yet (runtime/codelet.hpp); names of the others are accepted here.
#pragma once

#include <string>
#include <string_view>

namespace asterism {

/// Whether a codelet of some method has this performance model ("lbm_advance_double") or name ("lbm_advance").
bool is_listed_codelet(std::string_view name);

/// The one of these names that fewest letters have to be changed, added or left out for.
std::string nearest_listed_codelet(std::string_view name);

}  // namespace asterism
