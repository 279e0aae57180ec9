// SPDX-License-Identifier: Apache-2.0
// docs/new-method.md shows what turns the skeleton of scripts/new-method into examples/heat: all of it, and nothing
// else.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path source = ASTERISM_SOURCE_DIR;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

struct Block {
  std::string file, code;
};

/// The blocks that begin with ```LANGUAGE FILE.
std::vector<Block> blocks(const std::string& page) {
  std::vector<Block> result;
  bool inside = false;
  for (const std::string& line : lines(page)) {
    if (!line.starts_with("```")) {
      if (inside) result.back().code += line + "\n";
    } else if (inside) {
      inside = false;
    } else {
      const std::size_t space = line.find(' ');
      inside = space != std::string::npos;
      if (inside) result.push_back({line.substr(space + 1), ""});
    }
  }
  return result;
}

/// Relative paths of all files in a folder.
std::set<std::string> files(const fs::path& folder) {
  std::set<std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) result.insert(fs::relative(entry.path(), folder).string());
  return result;
}

class Tutorial : public testing::Test {
 protected:
  Tutorial() { fs::remove_all(folder_); }
  ~Tutorial() override { fs::remove_all(folder_); }

  int new_method(const std::string& arguments) {
    return std::system(
        ("'" + (source / "scripts/new-method").string() + "' " + arguments + " > /dev/null 2>&1").c_str());
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("new-method-" + std::to_string(getpid()));
};

TEST_F(Tutorial, ShowsPartsOfFiles) {
  const std::vector<Block> all = blocks(contents(source / "docs/new-method.md"));
  EXPECT_GT(all.size(), 20U);
  for (const Block& block : all) {
    EXPECT_TRUE(block.file.starts_with("examples/heat/")) << block.file;
    EXPECT_NE(contents(source / block.file).find(block.code), std::string::npos)
        << "docs/new-method.md: is not in " << block.file << ":\n"
        << block.code;
  }
}

TEST_F(Tutorial, ShowsAllThatIsNotInTheSkeleton) {
  ASSERT_EQ(new_method("heat '" + folder_.string() + "'"), 0);
  std::map<std::string, std::string> shown;
  for (const Block& block : blocks(contents(source / "docs/new-method.md"))) shown[block.file] += block.code;
  int changed = 0;
  for (const std::string& file : files(source / "examples/heat")) {
    const std::vector<std::string> skeleton = lines(contents(folder_ / file));
    const std::vector<std::string> tutorial = lines(shown["examples/heat/" + file]);
    std::set<std::string> known(skeleton.begin(), skeleton.end());
    known.insert(tutorial.begin(), tutorial.end());
    const std::set<std::string> old(skeleton.begin(), skeleton.end());
    for (const std::string& line : lines(contents(source / "examples/heat" / file))) {
      EXPECT_TRUE(known.contains(line)) << "examples/heat/" << file << " has, and docs/new-method.md has not: " << line;
      changed += old.contains(line) ? 0 : 1;
    }
  }
  EXPECT_LE(changed, 300) << "lines to write";
  for (const std::string& file : files(folder_))
    EXPECT_TRUE(fs::exists(source / "examples/heat" / file)) << "the skeleton has " << file;
}

TEST_F(Tutorial, TheSkeletonHasItsOwnNameEverywhere) {
  ASSERT_EQ(new_method("waves '" + folder_.string() + "'"), 0);
  EXPECT_TRUE(fs::exists(folder_ / "taskflows/waves/flow.cpp"));
  EXPECT_EQ(files(folder_).size(), files(source / "examples/decay").size());
  for (const std::string& file : files(folder_)) {
    EXPECT_EQ(file.find("decay"), std::string::npos) << file;
    const std::string text = contents(folder_ / file);
    for (const char* old : {"decay", "Decay"}) EXPECT_EQ(text.find(old), std::string::npos) << file;
  }
}

TEST_F(Tutorial, BadNamesAreRefused) {
  for (const char* name : {"Heat", "2d", "fdtd", "heat", "a-b", ""})
    EXPECT_EQ(WEXITSTATUS(new_method(name)), 2) << name;
  fs::create_directories(folder_);
  EXPECT_EQ(WEXITSTATUS(new_method("waves '" + folder_.string() + "'")), 2);
}

}  // namespace
