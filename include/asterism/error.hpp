// SPDX-License-Identifier: Apache-2.0
// The one exception of Asterism.
#pragma once

#include <asterism/export.hpp>
#include <stdexcept>
#include <string>

namespace asterism {
ASTERISM_BEGIN_INTERFACE

/// What went wrong: what() is a single line that names the argument, what was found and what was expected. A session, a
/// solver or an evaluator that threw it can be used again.
class ASTERISM_EXPORT Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,  ///< an argument or the data are wrong
    failed,     ///< the computation failed
  };

  Error(Kind kind, const std::string& message);
  ~Error() override;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

ASTERISM_END_INTERFACE
}  // namespace asterism
