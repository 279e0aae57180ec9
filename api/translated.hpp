// SPDX-License-Identifier: Apache-2.0
// Errors of the house as those of the interface.
#pragma once

#include <asterism/error.hpp>
#include <new>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace asterism::v0 {

/// What `body` returns; an error of the house that it throws becomes one of the interface, with the same line. What a
/// callback of the caller throws is left as it is.
template <class Body>
decltype(auto) translated(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const asterism::Error& error) {
    throw Error(error.kind() == asterism::Error::Kind::bad_input ? Error::Kind::bad_input : Error::Kind::failed,
                error.what());
  } catch (const std::bad_alloc&) {
    throw Error(Error::Kind::failed, "out of memory");
  }
}

}  // namespace asterism::v0
