// SPDX-License-Identifier: Apache-2.0
// Sound scattered by closed bodies, computed in time by boundary elements that march on in time. SI units; pressures
// are by the peak of the incident wave.
#pragma once

#include <array>
#include <asterism/precision.hpp>
#include <asterism/session.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace tdbem {

/// Closed bodies in the caller's memory, which is read once.
struct Surface {
  std::span<const double> vertices;         ///< x, y, z of each, m
  std::span<const std::int32_t> triangles;  ///< three vertices of each, counted from 0, anticlockwise from outside
};

enum class Boundary {
  rigid,  ///< no normal velocity: values on the surface are the total pressure
  soft,   ///< no pressure: values are the normal derivative of the total pressure, 1/m
};

enum class Pulse {
  gaussian,  ///< exp(-s^2 / (2 w^2)) cos(2 pi frequency s)
  ricker,    ///< (1 - s^2 / w^2) exp(-s^2 / (2 w^2)), whose spectrum is highest at the frequency
};

/// Plane waves and point sources with the same pulse, each scattered by itself: first the waves of all directions, then
/// those of all monopoles.
struct Wave {
  Pulse pulse = Pulse::gaussian;
  std::optional<double> frequency = {};  ///< Hz; none: what the surface resolves
  std::optional<double> width = {};      ///< w of the Gaussian, s; none: 2 / (2 pi frequency)
  double delay = 0;  ///< time at which the pulse's centre passes the origin, or leaves a monopole, s
  std::vector<std::array<double, 3>> directions{{0, 0, 1}};  ///< where waves go to, of any length but 0
  /// Point sources, m, outside of the bodies: pressure f(t - r / c) / r, so that the pulse f has its peak 1 at 1 m.
  std::vector<std::array<double, 3>> monopoles = {};
};

/// How M^0 a = s is solved in each step.
enum class Solver { conjugate_gradients, factorisation };

struct Options {
  Boundary boundary = Boundary::rigid;
  double speed = 343;             ///< of sound, m/s
  std::optional<double> dt = {};  ///< time step, s; none: by `courant`
  double courant = 0.5;           ///< speed times time step by the mean edge
  Wave wave = {};
  std::vector<std::array<double, 3>> observers = {};  ///< where the scattered pressure is wanted, outside of the bodies
  bool turn_inward = false;                           ///< turn bodies whose triangles face inward
  Precision precision = Precision::double_precision;  ///< of the matrices: double or single
  int group = 8;                                      ///< steps whose sums are computed at once, 1 to 16
  Solver solver = Solver::conjugate_gradients;
  std::optional<double> tolerance = {};  ///< of conjugate gradients; none: 1e-12, in single precision 1e-6
  int far_points = 7;                    ///< quadrature points of a triangle: 1, 3, 6, 7, 12 or 16
  int near_points = 12;                  ///< beside near ones, of the same numbers
  int touching_points = 6;               ///< per variable, for triangles that touch, 1 to 16
};

/// Bodies, their matrices and a march.
class ASTERISM_EXPORT Simulation {
 public:
  /// Assembles the matrices. Throws Error (bad_input): a surface that is not closed or faces inward, options out of
  /// range, a time step too long for the pulse, observers in a body or too near.
  Simulation(Session& session, const Surface& surface, const Options& options = {});
  ~Simulation();
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(Simulation&& other) noexcept;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Begins again with another wave: the matrices stay. Throws Error (bad_input) as the constructor, and nothing has
  /// changed then.
  void start(const Wave& wave);

  /// At least so many time steps, in whole groups. `progress` is called with the step after each `every` of them or
  /// more, and after the last one; it may call the other functions of this simulation, and what it throws ends the
  /// call. The bits are those of asterism-tdbem. Throws Error: bad_input for numbers below 0, failed for a march that
  /// breaks down.
  void advance(long steps, const std::function<void(long step)>& progress = {}, long every = 100);

  /// Steps that are done: 0 to step() - 1.
  [[nodiscard]] long step() const;
  /// Steps until the wave has passed and what it scattered has left.
  [[nodiscard]] long steps() const;
  [[nodiscard]] double time_step() const;      ///< s
  [[nodiscard]] double time(long step) const;  ///< of a step, s: the pulse's centre passes the origin at Wave::delay
  [[nodiscard]] int waves() const;
  [[nodiscard]] int observers() const;
  [[nodiscard]] std::int64_t unknowns() const;  ///< one for each vertex

  /// Values at the vertices, in the order of the caller's, after the last step; or after one of the last group. Those
  /// of a soft body belong to half a time step before. Throws Error (bad_input): a wrong length, wave or step.
  void surface(std::span<double> to, int wave = 0, std::optional<long> step = {}) const;
  /// Scattered pressure at an observer in steps 0 to step() - 1.
  [[nodiscard]] std::vector<double> scattered(int wave, int observer) const;
  /// Pressure of the incident wave there.
  [[nodiscard]] std::vector<double> incident(int wave, int observer) const;

 private:
  class ASTERISM_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace tdbem
ASTERISM_END_INTERFACE
}  // namespace asterism
