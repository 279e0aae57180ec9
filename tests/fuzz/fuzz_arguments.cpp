// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "apps/cg/arguments.hpp"
#include "apps/fdtd/arguments.hpp"
#include "apps/fmm/arguments.hpp"
#include "apps/lbm/arguments.hpp"
#include "apps/tdbem/arguments.hpp"

namespace asterism::tests {
namespace {

struct CommandLine {
  std::size_t program = 0;
  std::vector<std::string> arguments{"fuzz"};
};

/// Names stay within the working folder.
CommandLine read(const std::filesystem::path& path) {
  const std::filesystem::path config = path.parent_path() / "config.toml";
  CommandLine line;
  std::ifstream in(path, std::ios::binary);
  std::ofstream options(config, std::ios::trunc);
  std::string text;
  if (std::getline(in, text) && !text.empty()) line.program = static_cast<unsigned char>(text[0]) % 5;
  bool configured = false;
  while (std::getline(in, text)) {
    std::replace(text.begin(), text.end(), '/', '_');
    std::replace(text.begin(), text.end(), '\0', '0');  // no argument has any
    if (text.starts_with("config:")) {
      options << text.substr(7) << '\n';
      configured = true;
    } else {
      line.arguments.push_back(text);
    }
  }
  if (configured) line.arguments.insert(line.arguments.end(), {"--config", config.string()});
  return line;
}

template <class Arguments>
std::optional<int> parse(std::vector<char*>& argv) {
  Arguments arguments;
  return parse_arguments(static_cast<int>(argv.size()) - 1, argv.data(), arguments);
}

std::optional<int> parse(std::size_t program, std::vector<char*>& argv) {
  switch (program) {
    case 0:
      return parse<apps::cg::Arguments>(argv);
    case 1:
      return parse<apps::fmm::Arguments>(argv);
    case 2:
      return parse<apps::lbm::Arguments>(argv);
    case 3:
      return parse<apps::fdtd::Arguments>(argv);
    default:
      return parse<apps::tdbem::Arguments>(argv);
  }
}

/// What is printed to stderr while this lives.
class Captured {
 public:
  Captured() { stderr = open_memstream(&text_, &size_); }
  ~Captured() {
    std::fclose(stderr);
    stderr = saved_;
    std::free(text_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  [[nodiscard]] std::string text() const {
    std::fflush(stderr);
    return {text_, size_};
  }

 private:
  FILE* saved_ = stderr;
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

void parse_command_line(const std::filesystem::path& path) {
  CommandLine line = read(path);
  std::vector<char*> argv;
  for (std::string& argument : line.arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const Captured captured;
  const std::optional<int> status = parse(line.program, argv);
  const std::string said = captured.text();
  const auto lines = std::count(said.begin(), said.end(), '\n');
  if (lines != (status == 2 ? 1 : 0) || (status && *status != 0 && *status != 2)) std::abort();
}

}  // namespace asterism::tests
