// SPDX-License-Identifier: Apache-2.0
// What every program of Asterism does the same way: errors to exit status, progress, JSON records, tables.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/session.hpp"

namespace asterism::apps {

/// Runs `body` and turns what it throws into one line on stderr and the exit status: 0 right, 1 failed or
/// wrong, 2 bad usage or input.
int run(const char* program, const std::function<int()>& body);

/// Whether run() came to its end: a simulator gives up a program all of whose threads wait, and says nothing about it.
bool has_ended();

/// Parses the command line; returns an exit status when the program is to end here (--help, --version, or a
/// wrong option: one line on stderr, status 2).
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// Throws Error (bad_input) over several processes: what `option` asks for works in one only.
void refuse_over_ranks(bool wanted, const char* option);
/// What each rank has submitted and sent, and its `seconds`, for the record of a run. All ranks have to call it.
nlohmann::json ranks_record(double seconds);
/// A row of the table about it.
std::pair<std::string, std::string> ranks_row(const nlohmann::json& record);

/// Writes through a temporary file in the same folder, so that no partial file is ever seen. Rank 0 alone does.
void write_json(const std::filesystem::path& path, const nlohmann::json& record);
/// Fails early when a result could not be written at the end. Throws Error (bad_input).
void require_writable(const std::string& option, const std::filesystem::path& path);

/// For records: files are named without their folders, which mean nothing elsewhere.
std::string command_line(const char* program, int argc, char** argv);
/// Version, machine and StarPU's version: the beginning of every record.
nlohmann::json record_header(const char* program, const std::string& command);
/// Version, machine, StarPU's configuration and the command line, of a program that runs tasks.
nlohmann::json record_header(const char* program, int argc, char** argv, const Session& session);

/// The session of --calibrate: every codelet on every kind of unit in turn, recorded into the folder "calibration" of
/// that of --trace, unless there is none.
SessionOptions calibration(SessionOptions of_run, const std::string& trace);

/// How far a long run is, on stderr (of rank 0): on a terminal a line that rewrites itself, at most ten times a second;
/// elsewhere a line every 15 seconds.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// fraction in [0, 1]
  void show(double fraction, const std::string& text);

 private:
  bool enabled_;
  bool terminal_;
  bool shown_ = false;
};

/// Long work whose parts cannot be counted: its name and the seconds that it has taken, on stderr (of rank 0), each
/// second on a terminal, each 15 seconds elsewhere. Nothing is shown while a ProgressLine within it is.
class WaitingLine {
 public:
  WaitingLine(bool enabled, std::string text);
  WaitingLine(bool enabled, std::string text, std::chrono::duration<double> interval);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

 private:
  void watch(const std::stop_token& stop, std::chrono::duration<double> interval);

  std::string text_;
  bool terminal_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

/// Two columns on stdout, of rank 0.
void print_table(const std::vector<std::pair<std::string, std::string>>& rows);

double median(std::vector<double> values);

}  // namespace asterism::apps
