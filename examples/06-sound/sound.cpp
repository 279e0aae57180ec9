// SPDX-License-Identifier: Apache-2.0
// Example 6: a pulse of sound meets a rigid box, and the spectrum of the mean pressure on the face that it meets: long
// waves pass the box as if it were not there, short ones find a wall, where the pressure is about twice theirs.
//
//   sound
#include <algorithm>
#include <array>
#include <asterism/tdbem.hpp>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <numbers>
#include <vector>

namespace {

/// A box around the origin, its sides cut into so many parts.
struct Box {
  std::vector<double> vertices;
  std::vector<std::int32_t> triangles;
  std::vector<std::size_t> front;  ///< vertices with the least x

  Box(const std::array<double, 3>& sides, const std::array<int, 3>& parts) {
    std::map<std::array<int, 3>, std::int32_t> numbers;
    const auto vertex = [&](const std::array<int, 3>& at) {
      const auto [found, is_new] = numbers.try_emplace(at, static_cast<std::int32_t>(vertices.size() / 3));
      if (is_new && at[0] == 0) front.push_back(vertices.size() / 3);
      for (std::size_t d = 0; is_new && d < 3; ++d) vertices.push_back(sides[d] * (1.0 * at[d] / parts[d] - 0.5));
      return found->second;
    };
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;  // with d a right-handed system
      for (const int level : {0, parts[d]})
        for (int i = 0; i < parts[e]; ++i)
          for (int j = 0; j < parts[f]; ++j) {
            std::array<std::int32_t, 4> corner{};
            for (int c = 0; c < 4; ++c) {
              std::array<int, 3> at{};
              at[d] = level;
              at[e] = i + (c == 1 || c == 2 ? 1 : 0);
              at[f] = j + c / 2;
              corner[static_cast<std::size_t>(c)] = vertex(at);
            }
            if (level == 0) std::reverse(corner.begin(), corner.end());  // outward
            triangles.insert(triangles.end(), {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]});
          }
    }
  }
};

/// Size of the transform of values at times n dt.
double transformed(const std::vector<double>& values, double frequency, double dt) {
  std::complex<double> sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    sum += values[n] * std::polar(1.0, -2 * std::numbers::pi * frequency * dt * static_cast<double>(n));
  return std::abs(sum);
}

}  // namespace

int main() {
  namespace tdbem = asterism::tdbem;
  try {
    const Box box({0.4, 1.0, 0.8}, {4, 10, 8});
    tdbem::Options options;
    options.wave.pulse = tdbem::Pulse::ricker;
    options.wave.directions = {{1, 0, 0}};
    options.observers = {{-1.5, 0, 0}};
    asterism::Session session;
    tdbem::Simulation sound(session, {box.vertices, box.triangles}, options);

    std::vector<double> values(box.vertices.size() / 3), pressure;
    const auto listen = [&](long step) {
      while (static_cast<long>(pressure.size()) < step) {  // a group of steps
        sound.surface(values, 0, static_cast<long>(pressure.size()));
        double mean = 0;
        for (const std::size_t vertex : box.front) mean += values[vertex] / static_cast<double>(box.front.size());
        pressure.push_back(mean);
      }
    };
    sound.advance(sound.steps(), listen, options.group);
    double echo = 0;
    for (const double p : sound.scattered(0, 0)) echo = std::max(echo, std::abs(p));
    const double dt = sound.time_step();
    std::printf("%lld unknowns, %ld steps of %.4f ms; largest echo at the observer %.3f\n",
                static_cast<long long>(sound.unknowns()), sound.step(), 1e3 * dt, echo);
    const std::vector<double> incident = sound.incident(0, 0);
    bool right = true;
    for (const double frequency : {25.0, 50.0, 100.0, 200.0, 300.0}) {
      const double ratio = transformed(pressure, frequency, dt) / transformed(incident, frequency, dt);
      std::printf("%.0f Hz: %.3f of the incident pressure\n", frequency, ratio);
      if (frequency == 25) right = right && std::abs(ratio - 1) < 0.05;
      if (frequency == 300) right = right && std::abs(ratio - 2) < 0.2;
    }
    return right ? 0 : 1;
  } catch (const asterism::Error& error) {
    std::fprintf(stderr, "sound: %s\n", error.what());
    return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
  }
}
