// SPDX-License-Identifier: Apache-2.0
#include "api/agreed.hpp"

#include <asterism/error.hpp>
#include <exception>
#include <string_view>

#include "runtime/ranks/collective_try.hpp"

namespace asterism::v0 {
namespace {

[[noreturn]] void throw_with_rank(asterism::Error::Kind kind, std::string_view what) {
  throw asterism::Error(kind, fmt::format("process {}: {}", rank_group().rank(), what.substr(0, what.find('\n'))));
}

}  // namespace

void agreed(const std::function<void()>& body) {
  if (!rank_group().distributed()) return body();
  std::exception_ptr mine;
  const auto named = [&] {
    try {
      body();
    } catch (const asterism::Error& error) {
      mine = std::current_exception();
      throw_with_rank(error.kind(), error.what());
    } catch (const Error& error) {  // of a function of the caller
      mine = std::current_exception();
      throw_with_rank(
          error.kind() == Error::Kind::bad_input ? asterism::Error::Kind::bad_input : asterism::Error::Kind::failed,
          error.what());
    } catch (const std::exception& error) {
      mine = std::current_exception();
      throw_with_rank(asterism::Error::Kind::failed, error.what());
    } catch (...) {
      mine = std::current_exception();
      throw_with_rank(asterism::Error::Kind::failed, "an exception");
    }
  };
  try {
    collective_try(named);
  } catch (const asterism::Error&) {
    if (mine) std::rethrow_exception(mine);
    throw;
  }
}

}  // namespace asterism::v0
