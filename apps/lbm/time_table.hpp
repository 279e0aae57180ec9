// SPDX-License-Identifier: Apache-2.0
// A CSV file with a row for some of the steps, which a resumed run continues.
#pragma once

#include <string>
#include <vector>

namespace asterism::apps::lbm {

class TimeTable {
 public:
  /// `header`: first line, without its end. `every`: steps from row to row; the last step of a run has one, too.
  TimeTable(std::string path, std::string header, long every, long steps);

  /// Rows of a file that a run before has left, up to step `from`, which this run resumes from; without a row that is
  /// there only because that run ended. No file: none. Throws Error (bad input) for a file with another header.
  [[nodiscard]] std::vector<std::string> rows_before(const std::string& option, long from) const;

  [[nodiscard]] bool due(long step) const { return step == steps_ || step % every_ == 0; }
  /// The first step after `step` that is due.
  [[nodiscard]] long next_due(long step) const;
  void add(const std::string& row);
  /// A row of the run before.
  void keep(const std::string& row);
  /// Whether it has grown by a tenth since it was written: files are written whole, so that none is seen half.
  [[nodiscard]] bool grown() const { return rows_ >= 50 + written_ + written_ / 10; }
  /// Collective over ranks; the root writes.
  void write();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string header_;
  long every_;
  long steps_;
  std::string text_;
  std::size_t rows_ = 0;     ///< of this run: the same number on all ranks
  std::size_t written_ = 0;  ///< of them in the file
};

}  // namespace asterism::apps::lbm
