// SPDX-License-Identifier: Apache-2.0
// What --verify finds: how far an answer is from an independent one.
#pragma once

#include <string>

namespace asterism {

struct Verdict {
  std::string against;  ///< what the answer was compared with, and how
  double error = 0;     ///< distance between the two
  double allowed = 0;   ///< largest error of a right answer
  std::string complaint =
      {};  ///< why the answer is wrong whatever the error is (not converged); empty: the error decides

  [[nodiscard]] bool right() const { return complaint.empty() && error <= allowed; }  ///< false for NaN
};

}  // namespace asterism
