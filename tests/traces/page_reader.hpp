// SPDX-License-Identifier: Apache-2.0
// Reads a page of the HTML report back: its columns by a decoder that shares no code with the writer.
#pragma once

#include <libdeflate.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace asterism::traces {

using nlohmann::json;
namespace fs = std::filesystem;

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t from = text.find(first);
  if (from == std::string::npos) return {};
  const std::size_t begin = from + first.size();
  return text.substr(begin, text.find(last, begin) - begin);
}

inline std::string decode_base64(const std::string& text) {
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<unsigned>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0' + 52);
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else
      break;
    bits = bits << 6 | digit;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 255);
    }
  }
  return out;
}

/// What a page says about one of its recordings.
class Page {
 public:
  explicit Page(const std::string& text, int view = 0)
      : header_(json::parse(between(text, R"(<script type="application/json" id="header">)", "</script>"))),
        view_(header_["views"][static_cast<std::size_t>(view)]) {
    std::size_t size = 0;
    for (const json& c : view_["columns"]) {
      columns_[c["name"]] = c;
      size = c["at"].get<std::size_t>() + c["bytes"].get<std::size_t>();
    }
    const std::string packed = decode_base64(between(
        text, "<script type=\"application/octet-stream\" id=\"view-" + std::to_string(view) + "\">", "</script>"));
    data_.resize(size);
    const auto inflater = std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)>(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    EXPECT_EQ(LIBDEFLATE_SUCCESS, libdeflate_zlib_decompress(inflater.get(), packed.data(), packed.size(), data_.data(),
                                                             data_.size(), nullptr));
  }

  const json& header() const { return header_; }
  const json& view() const { return view_; }

  /// NaN: missing
  std::vector<double> integers(const std::string& name) const {
    const json& c = columns_.at(name);
    std::vector<double> out;
    std::size_t at = c["at"];
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < c["count"]; ++i) {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(data_[at++]);
        value |= static_cast<std::uint64_t>(byte & 127) << shift;
        if (byte < 128) break;
      }
      if (value == 0) {
        out.push_back(std::nan(""));
        continue;
      }
      value -= 1;
      std::int64_t number = static_cast<std::int64_t>(value / 2);
      if (value % 2 == 1) number = -number - 1;
      if (c["type"] == "delta") number += previous;
      previous = number;
      out.push_back(static_cast<double>(number));
    }
    EXPECT_EQ(at, c["at"].get<std::size_t>() + c["bytes"].get<std::size_t>()) << name;
    return out;
  }

  std::string bytes(const std::string& name) const {
    const json& c = columns_.at(name);
    return data_.substr(c["at"], c["bytes"]);
  }

 private:
  json header_;
  json view_;
  std::map<std::string, json> columns_;
  std::string data_;
};

}  // namespace asterism::traces
