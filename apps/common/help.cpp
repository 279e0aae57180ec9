// SPDX-License-Identifier: Apache-2.0
#include "apps/common/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <regex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace asterism::apps {
namespace {

/// What CLI11 says of a value's type and range, in words: "INT:INT in [1 - 1099511627776]" is "INT from 1".
std::string in_words(std::string text) {
  static const std::regex range(R"((?:TEXT:)?(\w+)(?::INT|:UINT|:FLOAT)? in \[([-0-9.e+]+) - ([-0-9.e+]+)\])");
  static const std::regex size(R"(UINT:SIZE \[[^\]]*\])");
  constexpr double unlimited = 1e6;
  text = std::regex_replace(text, size, "BYTES");
  std::smatch match;
  while (std::regex_search(text, match, range)) {
    const bool open = std::stod(match[3]) >= unlimited;
    const std::string words = open ? fmt::format("{} from {}", match[1].str(), match[2].str())
                                   : fmt::format("{} from {} to {}", match[1].str(), match[2].str(), match[3].str());
    text = match.prefix().str() + words + match.suffix().str();
  }
  return text;
}

class Help : public CLI::Formatter {
 public:
  explicit Help(std::vector<std::string> first) : first_(std::move(first)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::All || first_.empty() || app->get_parent() != nullptr)
      return CLI::Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
    std::string text = make_description(app) + make_usage(app, std::move(name)) + "\nOptions that matter first:\n";
    for (const std::string& wanted : first_)
      if (const CLI::Option* option = app->get_option_no_throw(wanted))
        text += make_option(option, option->get_positional());
    return text + "\nAll options: --help-all\n";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return in_words(CLI::Formatter::make_option_opts(option));
  }

 private:
  std::vector<std::string> first_;
};

/// All names of the options of `app` and its groups, "--name".
void collect_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; }))
    if (group->get_name().empty()) collect_names(*group, names);
}

}  // namespace

void add_help(CLI::App& app, std::vector<std::string> first) {
  constexpr std::size_t option_column = 44;  // characters
  if (!first.empty()) app.set_help_all_flag("--help-all", "Print all options and exit");
  app.formatter(std::make_shared<Help>(std::move(first)));
  app.get_formatter()->column_width(option_column);
}

void add_config(CLI::App& app) {
  app.set_config("--config", "", "Read options from a TOML file (option names without the dashes)");
  app.allow_config_extras(CLI::config_extras_mode::error);
}

void check_config(int argc, const char* const* argv) {
  constexpr std::uintmax_t most_bytes = 16 << 20;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;  // what follows is another program's
    std::string file;
    if (argument == "--config" && i + 1 < argc) file = argv[i + 1];
    if (argument.starts_with("--config=")) file = argument.substr(9);
    std::error_code ignored;
    if (file.empty() || !std::filesystem::exists(file, ignored)) continue;
    if (!std::filesystem::is_regular_file(file, ignored))
      bad_input("--config {}: is not a regular file; expected a TOML file", file);
    if (std::filesystem::file_size(file, ignored) > most_bytes)
      bad_input("--config {}: has more than {} MiB; expected options in a TOML file", file, most_bytes >> 20);
  }
}

std::string nearest_option(const CLI::App& app, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  std::vector<std::string> names;
  collect_names(app, names);
  const std::string found = nearest(name, names);
  const std::size_t allowed = std::max<std::size_t>(2, name.size() / 3);
  return found.empty() || edit_distance(name, found) > allowed ? "" : fmt::format("; the nearest is {}", found);
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  for (const std::string& given : app.remaining(true))
    if (given.starts_with("--")) return fmt::format("{}: there is no such option{}", given, nearest_option(app, given));
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ConfigError*>(&error) == nullptr) return what;
  const std::string key = what.substr(what.rfind(' ') + 1);  // "INI was not able to parse KEY"
  const CLI::Option* const config = app.get_config_ptr();
  const std::string file = config == nullptr || config->results().empty() ? "" : " " + config->results().front();
  return fmt::format("--config{}: {}: there is no such option{}", file, key, nearest_option(app, "--" + key));
}

}  // namespace asterism::apps
