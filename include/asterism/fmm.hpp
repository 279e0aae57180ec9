// SPDX-License-Identifier: Apache-2.0
// The fast multipole method: potential and field of charges, sum_j q_j K(|x_i - x_j|), in double precision.
#pragma once

#include <asterism/session.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace fmm {

/// Places of points in the caller's memory, in any unit of length.
class ASTERISM_EXPORT Points {
 public:
  /// Three arrays of the same length, which are not copied. Throws Error (bad_input) for different lengths.
  Points(std::span<const double> x, std::span<const double> y, std::span<const double> z);
  /// x, y, z of the first point, of the second, and so on: they are copied into three arrays. Throws Error (bad_input)
  /// for a length that three does not divide.
  explicit Points(std::span<const double> xyz);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Component d of point i: component(d)[i * stride()].
  [[nodiscard]] const double* component(int d) const noexcept { return component_[d]; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

 private:
  const double* component_[3];
  std::size_t size_;
  std::size_t stride_;
};

/// Where results go: a value for each point that has them, written in place. The field is left out where x, y and z are
/// empty.
struct Field {
  std::span<double> potential;
  std::span<double> x, y, z;
};

enum class Kernel {
  laplace,         ///< 1/r
  inverse_square,  ///< 1/r^2
  yukawa,          ///< exp(-kappa r)/r
};

/// How the points are divided, as --tree of asterism-fmm.
enum class Tree { automatic, uniform, adaptive };

struct Options {
  Kernel kernel = Kernel::laplace;
  double kappa = 1;      ///< inverse screening length of yukawa
  double softening = 0;  ///< length epsilon: K(sqrt(r^2 + epsilon^2))
  /// Factor of potential and field: 1; 332.06371 for charges in e, lengths in angstrom and kcal/mol; -G of gravity.
  double coupling = 1;
  int accuracy = 5;  ///< relative L2 errors of potential and field of at most 10^-accuracy, 2 to 9
  Tree tree = Tree::automatic;
  std::optional<int> height = {};      ///< levels of the tree, leaves included; default: by rates of this machine
  std::optional<int> group_size = {};  ///< cells per task; default: by rates of this machine
  std::optional<int> leaf_size = {};   ///< most points of a leaf of an adaptive tree
  int evaluations = 1;                 ///< how many are expected: more may pay for GPUs
  int vectors = 1;  ///< of charges, as evaluate_all() will mostly get them: the tree is the fastest one for so many
};

/// Constant of charges in e and lengths in angstrom, for potentials in kcal/(mol e) (CODATA 2018).
inline constexpr double coulomb_kcal_per_mol = 332.06371307;

struct Result {
  double seconds = 0;  ///< of the evaluation: an equal part of that of several vectors of charges together
  /// Half the sum of charge times potential; 0 where targets are apart.
  double energy = 0;
};

/// Points, ready to be evaluated with any charges.
class ASTERISM_EXPORT Evaluator {
 public:
  /// Each point acts on all others. Their arrays have to stay as they are until move() or the end of this. Throws Error
  /// (bad_input): no point, a place that is not finite, options out of range.
  Evaluator(Session& session, const Points& points, const Options& options = {});
  /// Sources act on targets alone, and only targets have results. Both are copied.
  Evaluator(Session& session, const Points& sources, const Points& targets, const Options& options = {});
  ~Evaluator();
  Evaluator(Evaluator&& other) noexcept;
  Evaluator& operator=(Evaluator&& other) noexcept;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Potential and force (charge times field) of each point; of targets that are apart, potential and field. `charge`
  /// has a value for each source. Throws Error: bad_input for wrong lengths and charges that are not finite, failed for
  /// results that are not finite, because points almost coincide.
  Result evaluate(std::span<const double> charge, const Field& field);

  /// Several vectors of charges: sources() charges and targets() results for each, with the bits that evaluate() gives
  /// them. On cores up to four are evaluated together, which takes less time; with GPUs, and where the data of several
  /// do not fit in memory, they come one after the other.
  std::vector<Result> evaluate_all(std::span<const double> charge, const Field& field);

  /// Other places of as many points, without a new set-up: the tree is adapted. Throws Error (bad_input) as the
  /// constructor does, and nothing has changed then.
  void move(const Points& points);
  void move(const Points& sources, const Points& targets);

  [[nodiscard]] std::size_t sources() const noexcept;
  /// Points that have results.
  [[nodiscard]] std::size_t targets() const noexcept;
  /// Levels of the tree.
  [[nodiscard]] int height() const noexcept;

 private:
  class ASTERISM_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace fmm
ASTERISM_END_INTERFACE
}  // namespace asterism
