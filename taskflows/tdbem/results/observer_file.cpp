// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/observer_file.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/pictures/chart.hpp"

namespace asterism::tdbem {
namespace {

void check_observers(const std::filesystem::path& path, const Problem& problem) {
  if (problem.observers.empty()) bad_input("{}: there are no observers; expected one at least", path.string());
}

std::string heading(const Problem& problem) {
  std::string text = "# pressures over the peak of the incident wave; lengths in m, times in s\n";
  text += describe_places(problem) + "time";
  for (std::size_t w = 0; w < problem.waves.size(); ++w)
    for (std::size_t o = 0; o < problem.observers.size(); ++o)
      text += fmt::format(",scattered_{0}_{1},incident_{0}_{1},total_{0}_{1}", w, o);
  return text + "\n";
}

}  // namespace

double time_of(const Problem& problem, std::int64_t step) {
  return static_cast<double>(problem.first_step + step) * problem.dt;
}

std::string describe_places(const Problem& problem) {
  std::string text;
  for (std::size_t o = 0; o < problem.observers.size(); ++o) {
    const Point& x = problem.observers[o];
    text += fmt::format("# observer {}: {} {} {}\n", o, x.x, x.y, x.z);
  }
  for (std::size_t w = 0; w < problem.waves.size(); ++w) {
    const IncidentWave& wave = problem.waves[w];
    const bool plane = wave.kind == WaveKind::plane;
    const Point& where = plane ? wave.direction : wave.source;
    text += fmt::format("# wave {}: {} {} {} {}, speed {}, {} of centre {} and width {}", w,
                        plane ? "towards" : "from a monopole at", where.x, where.y, where.z, wave.speed,
                        wave.pulse.shape == PulseShape::ricker ? "ricker" : "modulated gaussian", wave.pulse.centre,
                        wave.pulse.width);
    text += wave.pulse.shape == PulseShape::ricker ? "\n" : fmt::format(", frequency {} rad/s\n", wave.pulse.frequency);
  }
  return text;
}

void write_observers(const std::filesystem::path& path, const Problem& problem, std::int64_t steps,
                     const ObservedPressure& observed_pressure) {
  check_observers(path, problem);
  std::vector<const double*> scattered;
  for (std::size_t w = 0; w < problem.waves.size(); ++w)
    for (std::size_t o = 0; o < problem.observers.size(); ++o)
      scattered.push_back(observed_pressure(static_cast<std::int32_t>(w), static_cast<std::int32_t>(o)));
  OutputFile file(path);
  file.write(heading(problem));
  std::string line;
  for (std::int64_t n = 0; n < steps; ++n) {
    const double t = time_of(problem, n);
    line = fmt::format("{}", t);
    auto record = scattered.begin();
    for (const IncidentWave& wave : problem.waves)
      for (const Point& x : problem.observers) {
        const double p = (*record++)[n];
        const double incident = pressure(wave, x, t);
        if (std::isfinite(incident))
          fmt::format_to(std::back_inserter(line), ",{},{},{}", p, incident, p + incident);
        else
          fmt::format_to(std::back_inserter(line), ",{},,", p);
      }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

void draw_observers(const std::filesystem::path& path, const Problem& problem, std::int32_t wave, std::int64_t steps,
                    const ObservedPressure& observed_pressure) {
  check_observers(path, problem);
  const std::size_t drawn = std::min(problem.observers.size(), most_observers_drawn);
  output::Chart chart;
  chart.title = fmt::format("scattered wave {}", wave);
  if (drawn < problem.observers.size())
    chart.title += fmt::format(", first {} of {} observers", drawn, problem.observers.size());
  chart.x_label = "time (s)";
  chart.y_label = "pressure over incident peak";
  chart.marks = output::Marks::none;
  for (std::size_t o = 0; o < drawn; ++o) {
    const Point& x = problem.observers[o];
    output::ChartLine& line = chart.lines.emplace_back();
    line.name = fmt::format("observer {} at ({:.4g}, {:.4g}, {:.4g})", o, x.x, x.y, x.z);
    const double* const p = observed_pressure(wave, static_cast<std::int32_t>(o));
    for (std::int64_t n = 0; n < steps; ++n) line.points.push_back({time_of(problem, n), p[n], p[n], p[n]});
  }
  output::write_chart(path, chart);
}

}  // namespace asterism::tdbem
