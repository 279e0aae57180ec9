// SPDX-License-Identifier: Apache-2.0
// A reader of PNG files for tests: libpng's simple one.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace asterism {

using Pixel = std::array<std::uint8_t, 3>;

struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<Pixel> pixels;  ///< from the top
  [[nodiscard]] Pixel at(std::size_t x, std::size_t y) const { return pixels.at(y * width + x); }
};

inline Picture read_png(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
  Picture picture{image.width, image.height, std::vector<Pixel>(std::size_t{image.width} * image.height)};
  image.format = PNG_FORMAT_RGB;
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0) << image.message;
  return picture;
}

}  // namespace asterism
