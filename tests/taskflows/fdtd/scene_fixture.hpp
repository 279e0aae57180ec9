// SPDX-License-Identifier: Apache-2.0
// What the tests of scenes share.
#pragma once

#include <string>

#include "taskflows/fdtd/scene/scene.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fdtd::scene {

class SceneTests : public FileTests {
 protected:
  Scene read(const std::string& text) const { return read_scene(file("scene.toml", text)); }

  /// A grid and a number of steps, and more.
  static std::string with(const std::string& more, const std::string& cells = "[20, 16, 12]",
                          const std::string& spacing = "[0.1, 0.2, 0.25]") {
    return "steps = 5\nbackground = \"vacuum\"\n[grid]\ncells = " + cells + "\nspacing = " + spacing + "\n" + more;
  }
};

}  // namespace asterism::fdtd::scene
