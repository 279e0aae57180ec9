// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/spectrum_file.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <numbers>
#include <string>

#include "base/error.hpp"
#include "io/output_file.hpp"

namespace asterism::tdbem {
namespace {

using Complex = std::complex<double>;

constexpr double two_pi = 2 * std::numbers::pi;
/// Parts of the peak of the pulse's spectrum: -40 dB, and -60 dB.
constexpr double level_by_default = 1e-2;
constexpr double level_at_least = 1e-3;

struct Band {
  double low = 0, high = 0;  ///< Hz
};

/// The band outside of which the spectrum of the pulse is below `level` of its peak, or which the steps do not resolve.
Band band_of(const Pulse& pulse, double level, double dt) {
  constexpr int parts = 4000;
  const double top = std::min(bandwidth(pulse, level / 2), std::numbers::pi / dt);
  const auto omega = [&](int k) { return top * k / parts; };
  double peak = 0;
  for (int k = 0; k <= parts; ++k) peak = std::max(peak, std::abs(spectrum(pulse, omega(k))));
  int low = 0, high = parts;
  while (low < parts && std::abs(spectrum(pulse, omega(low))) < level * peak) ++low;
  while (high > low && std::abs(spectrum(pulse, omega(high))) < level * peak) --high;
  return {omega(low) / two_pi, omega(high) / two_pi};
}

Point centre_of(const Surface& surface) {
  Point least = surface.vertices.front(), most = least;
  for (const Point& v : surface.vertices) {
    least = {std::min(least.x, v.x), std::min(least.y, v.y), std::min(least.z, v.z)};
    most = {std::max(most.x, v.x), std::max(most.y, v.y), std::max(most.z, v.z)};
  }
  return 0.5 * (least + most);
}

double decibels(double ratio) {
  return 20 * std::log10(ratio);
}

std::string spectrum_heading(const Problem& problem) {
  std::string text =
      "# Fourier transforms over that of the incident pressure: dB and degrees (a delay is below 0); frequency in Hz\n"
      "# target_strength: 20 log10(r |p_s| / |p_i|), dB re 1 m, at observers in the far field\n";
  text += describe_places(problem);
  text += "frequency";
  for (std::size_t w = 0; w < problem.waves.size(); ++w)
    for (std::size_t o = 0; o < problem.observers.size(); ++o)
      text += fmt::format(
          ",scattered_db_{0}_{1},scattered_phase_{0}_{1},total_db_{0}_{1},total_phase_{0}_{1},target_strength_{0}_{1}",
          w, o);
  return text + "\n";
}

/// The columns of a wave and an observer; scattered: P_s(f).
void append_columns(std::string& line, const Problem& problem, const IncidentWave& wave, const Point& observer,
                    const Point& centre, double frequency, const Complex& scattered) {
  const auto out = std::back_inserter(line);
  const double omega = two_pi * frequency;
  const Complex pulse = std::conj(spectrum(wave.pulse, omega));
  const double amplitude = wave.amplitude(observer);
  if (std::isfinite(amplitude)) {
    const Complex ratio = scattered / (amplitude * pulse * std::polar(1.0, -omega * wave.delay(observer)));
    for (const Complex& value : {ratio, ratio + 1.0})
      fmt::format_to(out, ",{:.8g},{:.8g}", decibels(std::abs(value)), std::arg(value) * 360 / two_pi);
  } else {
    line += ",,,,";
  }
  if (is_far(problem, observer, frequency))
    fmt::format_to(
        out, ",{:.8g}",
        decibels(norm(observer - centre) * std::abs(scattered) / (wave.amplitude(centre) * std::abs(pulse))));
  else
    line += ",";
}

}  // namespace

std::vector<double> spectrum_frequencies(const Problem& problem, const SpectrumOptions& options) {
  const Pulse& pulse = problem.waves.front().pulse;
  if (options.count < 1) bad_input("{} frequencies: expected one at least", options.count);
  Band band = band_of(pulse, level_by_default, problem.dt);
  if (options.range) {
    const auto [low, high] = *options.range;
    const Band most = band_of(pulse, level_at_least, problem.dt);
    if (!(low > 0 && low <= high && low >= most.low && high <= most.high))
      bad_input(
          "spectrum from {:g} to {:g} Hz: expected a range above 0 within {:.4g} to {:.4g} Hz, where the pulse is "
          "above -60 dB of its spectrum's peak",
          low, high, most.low, most.high);
    band = {low, high};
  }
  std::vector<double> frequencies;
  const double from = band.low > 0 ? band.low : band.high / options.count;
  for (std::int32_t k = 0; k < options.count; ++k)
    frequencies.push_back(options.count == 1 ? from : from + (band.high - from) * k / (options.count - 1));
  return frequencies;
}

LeftAtEnd left_at_end(const Problem& problem, std::int64_t steps, const ObservedPressure& observed_pressure) {
  LeftAtEnd left;
  const std::int64_t last = std::max<std::int64_t>(1, steps / 20);
  for (std::size_t w = 0; w < problem.waves.size(); ++w)
    for (std::size_t o = 0; o < problem.observers.size(); ++o) {
      const double* const p = observed_pressure(static_cast<std::int32_t>(w), static_cast<std::int32_t>(o));
      double most = 0, end = 0;
      for (std::int64_t n = 0; n < steps; ++n) {
        most = std::max(most, std::abs(p[n]));
        if (n >= steps - last) end = std::max(end, std::abs(p[n]));
      }
      if (most > 0 && end / most > left.part) left = {end / most, w, o};
    }
  return left;
}

bool is_far(const Problem& problem, const Point& observer, double frequency) {
  const double diameter = problem.surface.diameter;
  const double r = norm(observer - centre_of(problem.surface));
  return r >= 5 * diameter && r >= 2 * diameter * diameter * frequency / problem.speed;
}

void write_spectra(const std::filesystem::path& path, const Problem& problem, const SpectrumOptions& options,
                   std::int64_t steps, const ObservedPressure& observed_pressure) {
  if (problem.observers.empty()) bad_input("{}: there are no observers; expected one at least", path.string());
  if (steps < 1) bad_input("{}: there are no steps; expected one at least", path.string());
  const std::vector<double> frequencies = spectrum_frequencies(problem, options);
  const Point centre = centre_of(problem.surface);
  OutputFile file(path);
  file.write(spectrum_heading(problem));
  std::vector<Complex> turn(static_cast<std::size_t>(steps));
  std::string line;
  for (const double frequency : frequencies) {
    for (std::size_t n = 0; n < turn.size(); ++n)
      turn[n] = std::polar(problem.dt, -two_pi * frequency * time_of(problem, static_cast<std::int64_t>(n)));
    line = fmt::format("{:.8g}", frequency);
    for (std::size_t w = 0; w < problem.waves.size(); ++w)
      for (std::size_t o = 0; o < problem.observers.size(); ++o) {
        const double* const p = observed_pressure(static_cast<std::int32_t>(w), static_cast<std::int32_t>(o));
        Complex scattered = 0;
        for (std::size_t n = 0; n < turn.size(); ++n) scattered += p[n] * turn[n];
        append_columns(line, problem, problem.waves[w], problem.observers[o], centre, frequency, scattered);
      }
    file.write(line + "\n");
  }
  file.commit();
}

}  // namespace asterism::tdbem
