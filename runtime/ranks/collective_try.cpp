// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/collective_try.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// An Error as it travels.
struct Told {
  Error::Kind kind;
  std::array<char, 2048> text;  ///< up to a zero
};

Told told(Error::Kind kind, std::string_view text) {
  Told error{kind, {}};
  text.copy(error.text.data(), error.text.size() - 1);
  return error;
}

std::optional<Told> error_of(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return told(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return told(Error::Kind::failed, "out of memory");
  } catch (const std::exception& error) {
    return told(Error::Kind::failed, error.what());
  }
}

}  // namespace

void collective_try(const std::function<void()>& body) {
  if (!rank_group().distributed()) return body();
  const std::optional<Told> mine = error_of(body);
  const std::vector<char> failed = rank_group().all_gather(static_cast<char>(mine ? 1 : 0));
  if (std::find(failed.begin(), failed.end(), 1) == failed.end()) return;
  const std::vector<std::vector<Told>> all =
      rank_group().all_gather(mine ? std::span<const Told>(&*mine, 1) : std::span<const Told>());
  for (const std::vector<Told>& of_rank : all)
    if (!of_rank.empty()) throw Error(of_rank.front().kind, of_rank.front().text.data());
}

}  // namespace asterism
