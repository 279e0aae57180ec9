// SPDX-License-Identifier: Apache-2.0
// What a scene may say: every table, its keys, and examples. A test holds this to what the readers ask for.
#pragma once

#include <string>
#include <vector>

namespace asterism::fdtd::scene {

struct Key {
  const char* name;
  const char* value;     ///< its type, and unit
  const char* fallback;  ///< what is taken without it; "needed"
  const char* meaning;
};

struct Section {
  std::string title;  ///< "[grid]", "waveform" of a table that is a value
  const char* meaning;
  std::vector<Key> keys;              ///< by name
  std::vector<std::string> examples;  ///< together they show all keys that are known in one way or the other
};

/// In the order of a scene.
const std::vector<Section>& sections();

/// All of it as text, with an example that is a whole scene.
std::string scene_help();

}  // namespace asterism::fdtd::scene
