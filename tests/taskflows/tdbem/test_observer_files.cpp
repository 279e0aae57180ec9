// SPDX-License-Identifier: Apache-2.0
// The pressure at observers, as a table and as a chart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "taskflows/tdbem/results/observer_file.hpp"
#include "tests/io/picture_reader.hpp"
#include "tests/taskflows/tdbem/files_fixture.hpp"

namespace asterism::tdbem {
namespace {

using TdbemObservers = FileTests;

/// Scattered pressure that needs all digits.
struct Record {
  std::vector<std::vector<double>> lines;
  Record(const Problem& p, int steps) {
    for (std::size_t l = 0; l < p.waves.size() * p.observers.size(); ++l) {
      lines.emplace_back();
      for (int n = 0; n < steps; ++n) lines.back().push_back(std::sin(0.3 * n + static_cast<double>(l)) / 3);
    }
  }
  [[nodiscard]] ObservedPressure observed_pressure(const Problem& p) const {
    return [this, observers = p.observers.size()](std::int32_t w, std::int32_t o) {
      return lines.at(static_cast<std::size_t>(w) * observers + static_cast<std::size_t>(o)).data();
    };
  }
};

TEST_F(TdbemObservers, ObserversAreATable) {
  Problem p = files_problem(Boundary::soft);
  p.observers.push_back({0.1, -2.5, 1e-3});
  const int steps = 40;
  const Record record(p, steps);
  write_observers(folder_ / "o.csv", p, steps, record.observed_pressure(p));
  std::istringstream in(bytes(folder_ / "o.csv"));
  std::string line, comments;
  while (std::getline(in, line) && line[0] == '#') comments += line + "\n";
  for (const char* expected : {"# observer 0: 3 0.2 -0.4\n", "# observer 2: 0.1 -2.5 0.001\n", "# wave 1: towards 0 ",
                               "speed 1.3, ricker of centre 2.5 and width ",
                               "modulated gaussian of centre 3 and width 0.8, frequency 2 rad/s\n"})
    EXPECT_NE(comments.find(expected), std::string::npos) << expected << " in " << comments;
  EXPECT_EQ(line.substr(0, 84), "time,scattered_0_0,incident_0_0,total_0_0,scattered_0_1,incident_0_1,total_0_1,scatt");
  const std::string last = ",scattered_1_2,incident_1_2,total_1_2";
  EXPECT_EQ(line.substr(line.size() - last.size()), last);
  double largest = 0;
  for (int n = 0; n < steps; ++n) {
    ASSERT_TRUE(std::getline(in, line));
    std::istringstream row(line);
    const auto next = [&] {
      std::string word;
      std::getline(row, word, ',');
      return std::stod(word);
    };
    const double t = static_cast<double>(p.first_step + n) * p.dt;
    EXPECT_EQ(next(), t);
    for (std::size_t w = 0; w < 2; ++w)
      for (std::size_t o = 0; o < 3; ++o) {
        const Point& x = p.observers[o];
        const Point& d = p.waves[w].direction;
        const double s = t - (d.x * x.x + d.y * x.y + d.z * x.z) / 1.3 - p.waves[w].pulse.centre;
        const double u = s / p.waves[w].pulse.width;
        const double incident = (w == 0 ? std::cos(2 * s) : 1 - u * u) * std::exp(-u * u / 2);
        const double scattered = record.lines[w * 3 + o][static_cast<std::size_t>(n)];
        EXPECT_EQ(next(), scattered);
        const double found = next();
        EXPECT_NEAR(found, incident, 1e-13);
        EXPECT_EQ(next(), scattered + found);
        largest = std::max(largest, std::abs(found));
      }
    EXPECT_TRUE(row.eof());
  }
  EXPECT_GT(largest, 0.3);
  EXPECT_FALSE(std::getline(in, line));
}

TEST_F(TdbemObservers, ObserversThatCannotBeWritten) {
  Problem p = files_problem(Boundary::rigid);
  const Record record(p, 50);
  const ObservedPressure observed_pressure = record.observed_pressure(p);
  file("o.csv", "older");
  for (const std::size_t room : {10, 2000}) {
    const FullDisk full(room);
    expect_error(Error::Kind::failed, [&] { write_observers(folder_ / "o.csv", p, 50, observed_pressure); }, {"o.csv"});
  }
  EXPECT_EQ(bytes(folder_ / "o.csv"), "older");
  expect_bad_input([&] { write_observers("/dev/full", p, 50, observed_pressure); }, {"/dev/full"});
  expect_bad_input([&] { draw_observers(folder_ / "o.csv", p, 0, 50, observed_pressure); }, {"o.csv", ".png"});
  expect_bad_input([&] { draw_observers(folder_ / "o.png", p, 0, 0, observed_pressure); }, {"without points"});
  p.observers.clear();
  expect_bad_input([&] { write_observers(folder_ / "o.csv", p, 50, observed_pressure); },
                   {"o.csv: there are no observers"});
  expect_bad_input([&] { draw_observers(folder_ / "o.png", p, 0, 50, observed_pressure); },
                   {"o.png: there are no observers"});
}

std::size_t pixels_of(const Picture& picture, const Pixel& colour) {
  return static_cast<std::size_t>(std::count(picture.pixels.begin(), picture.pixels.end(), colour));
}

bool same_below_title(const Picture& a, const Picture& b) {
  const std::ptrdiff_t title = 48 * static_cast<std::ptrdiff_t>(a.width);
  return std::equal(a.pixels.begin() + title, a.pixels.end(), b.pixels.begin() + title, b.pixels.end());
}

TEST_F(TdbemObservers, ObserversAreAChart) {
  Problem p = files_problem(Boundary::rigid);
  const Record record(p, 300);
  draw_observers(folder_ / "o.png", p, 0, 300, record.observed_pressure(p));
  draw_observers(folder_ / "1.png", p, 1, 300, record.observed_pressure(p));
  const Picture first = read_png(folder_ / "o.png"), second = read_png(folder_ / "1.png");
  const Pixel blue{0, 114, 178}, orange{213, 94, 0}, green{0, 158, 115};
  EXPECT_GT(pixels_of(first, blue), 1000U);
  EXPECT_GT(pixels_of(first, orange), 1000U);
  EXPECT_EQ(pixels_of(first, green), 0U);
  EXPECT_FALSE(same_below_title(first, second));
  // thin curves: of a column, few pixels are blue
  for (std::size_t x = 200; x < 900; x += 7) {
    std::size_t count = 0;
    for (std::size_t y = 120; y < 500; ++y) count += first.at(x, y) == blue ? 1 : 0;
    EXPECT_LT(count, 100U) << x;
  }
  // no more than fit beside the names
  p.observers.assign(20, {3, 0, 0});
  draw_observers(folder_ / "o.png", p, 0, 10, Record(p, 10).observed_pressure(p));
  p.observers.resize(most_observers_drawn + 1);
  draw_observers(folder_ / "1.png", p, 0, 10, Record(p, 10).observed_pressure(p));
  EXPECT_TRUE(same_below_title(read_png(folder_ / "o.png"), read_png(folder_ / "1.png")));
}

}  // namespace
}  // namespace asterism::tdbem
