// SPDX-License-Identifier: Apache-2.0
// What asterism-fdtd --scene-help shows is what the readers of a scene ask for.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "taskflows/fdtd/scene/keys.hpp"
#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

const char* const unknown = "nonsense = 1";

class SceneKeys : public SceneTests {
 protected:
  /// An example with all that it needs around it.
  static std::string whole(const Section& section, const std::string& example) {
    const bool has_grid = section.title == "[grid]" || section.title == "x";
    const bool has_faces = section.title == "[faces]" || section.title == "[cpml]";
    return "steps = 5\n" +
           std::string(has_grid ? "" : "[grid]\nsize = [0.2, 0.1, 0.1]\nspacing = 5e-3\norigin = [-0.1, 0, 0]\n") +
           (has_faces ? "" : "[faces]\nall = \"pec\"\n") + example;
  }
  /// The same with a key that nobody knows, in the section's own table.
  static std::string with_unknown(const Section& section, const std::string& example) {
    if (section.title == "the scene") return unknown + ("\n" + whole(section, example));
    const std::string text = whole(section, example);
    if (section.title[0] == '[') return text + unknown + "\n";
    const std::string start = section.title == "numbers" ? "frequencies = { " : section.title + " = { ";
    const std::size_t at = text.rfind(start);
    return at == std::string::npos ? text
                                   : text.substr(0, at) + start + unknown + ", " + text.substr(at + start.size());
  }
  /// The keys that the complaint about a key that nobody knows names.
  std::set<std::string> expected_keys(const std::string& text) const {
    try {
      read(text);
    } catch (const Error& e) {
      const std::string what = e.what();
      const std::string start = "found an unknown key; expected one of ";
      const std::size_t at = what.find(start);
      if (at == std::string::npos) ADD_FAILURE() << what;
      std::set<std::string> keys;
      std::string key;
      for (const char c : what.substr(at + start.size()) + ",") {
        if (c == ';') break;
        if (c != ',' && c != ' ') key += c;
        if (c == ',') keys.insert(std::exchange(key, ""));
      }
      if (!key.empty()) keys.insert(key);
      return keys;
    }
    ADD_FAILURE() << "taken: " << text;
    return {};
  }
};

TEST_F(SceneKeys, ExamplesAreScenes) {
  for (const Section& section : sections())
    for (const std::string& example : section.examples) {
      SCOPED_TRACE(example);
      EXPECT_NO_THROW(read(whole(section, example)));
    }
}

TEST_F(SceneKeys, AreThoseThatAreAskedFor) {
  std::set<std::string> tables;
  for (const Section& section : sections())
    if (section.title[0] == '[') {
      const std::size_t first = section.title.find_first_not_of('[');
      tables.insert(section.title.substr(first, section.title.find_first_of("].") - first));
    }
  for (const Section& section : sections()) {
    SCOPED_TRACE(section.title);
    std::set<std::string> shown, asked;
    for (const Key& key : section.keys) shown.insert(key.name);
    EXPECT_TRUE(std::is_sorted(section.keys.begin(), section.keys.end(),
                               [](const Key& a, const Key& b) { return std::string(a.name) < b.name; }));
    for (const std::string& example : section.examples) asked.merge(expected_keys(with_unknown(section, example)));
    if (section.title == "the scene") shown.insert(tables.begin(), tables.end());
    EXPECT_EQ(shown, asked);
  }
}

TEST_F(SceneKeys, NeededOnesAreMissed) {
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      if (std::string(key.fallback) != "needed") continue;
      for (const std::string& example : section.examples) {
        std::string text = whole(section, example);
        const std::string start = std::string(key.name) + " = ";
        const std::size_t at = text.rfind(start);
        if (at == std::string::npos || (at > 0 && text[at - 1] != '\n' && text[at - 1] != ' ')) continue;
        SCOPED_TRACE(section.title + ": " + key.name);
        text.insert(at, "x");  // a key that nobody knows
        expect_bad_input([&] { read(text); }, {"expected " + std::string(key.name) + ", "});
      }
    }
}

TEST_F(SceneKeys, HelpHasThemAll) {
  const std::string help = scene_help();
  for (const Section& section : sections()) {
    EXPECT_NE(help.find("\n" + section.title), std::string::npos) << section.title;
    for (const Key& key : section.keys) EXPECT_NE(help.find("\n  " + std::string(key.name) + " "), std::string::npos);
  }
}

TEST_F(SceneKeys, LossTangentIsAConductivity) {
  const Scene scene =
      read(with("[materials.board]\neps_r = 4.4\nsigma = 1e-3\nloss_tangent = { value = 0.02, frequency = 2.4e9 }\n"));
  // sigma = 2 pi f eps_0 eps_r tan(delta), by hand
  EXPECT_NEAR(scene.materials[2].constants.sigma, 1e-3 + 0.01174958, 1e-7);
  expect_bad_input([&] { read(with("[materials.board]\nloss_tangent = { value = -1, frequency = 1 }\n")); },
                   {"materials.board.loss_tangent.value: found -1"});
  expect_bad_input([&] { read(with("[materials.board]\nloss_tangent = { value = 0.1 }\n")); },
                   {"loss_tangent.frequency: found none"});
}

}  // namespace
}  // namespace asterism::fdtd::scene
