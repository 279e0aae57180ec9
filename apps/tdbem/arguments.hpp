// The command line of asterism-tdbem.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/simulate.hpp"
#include "runtime/session.hpp"
#include "taskflows/tdbem/balance.hpp"
#include "taskflows/tdbem/problem.hpp"
#include "taskflows/tdbem/simulation.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"

namespace asterism::apps::tdbem {

struct BodyOptions {
  std::string file;             ///< a mesh; empty: `name`
  std::string name = "sphere";  ///< of a body that the program makes
  std::int32_t unknowns = 0;    ///< at least: finer meshes by bisection
  double length = 0;            ///< of the longest side; 0: as in the file
  asterism::tdbem::Inward inward = asterism::tdbem::Inward::refused;
  asterism::tdbem::Ordering ordering = asterism::tdbem::Ordering::hilbert;
};

struct WaveOptions {
  std::string shape = "gaussian";
  std::optional<double> frequency;  ///< Hz
  std::optional<double> width;      ///< s, of a Gaussian
  std::optional<double> delay;      ///< s
  std::vector<asterism::tdbem::Point> directions;
};

/// What is written of the run.
struct FileOptions {
  std::string observers;  ///< CSV
  std::string chart;      ///< PNG of the same
  std::string series;     ///< NAME.pvd or NAME.h5
  std::string picture;    ///< PNG of the surface
  asterism::tdbem::Point view{-1, -1.2, 0.8};
  long every = 0;        ///< steps; 0: at the end only
  std::string matrices;  ///< read if it is there, else written
  std::string checkpoint;
  long checkpoint_every = 0;
  std::string restart;
};

struct Arguments {
  BodyOptions body;
  WaveOptions wave;
  asterism::tdbem::Boundary boundary = asterism::tdbem::Boundary::rigid;
  double speed = 343;
  std::optional<double> dt;  ///< s
  double courant = 0.5;      ///< else c dt over the mean edge
  std::optional<double> duration;
  std::optional<long> steps;
  std::vector<asterism::tdbem::Point> observers;
  // method
  asterism::tdbem::Method method;
  bool single_precision = false;
  asterism::tdbem::Solver solver = asterism::tdbem::Solver::conjugate_gradients;
  std::optional<double> tolerance;
  asterism::tdbem::PairRuleOptions rules;
  // units
  std::optional<asterism::tdbem::Sharing> sharing;  ///< none: GPUs alone where there are some
  asterism::tdbem::Target target = asterism::tdbem::Target::fixed_point;
  std::vector<long> intervals;  ///< given ones
  int balance_groups = 20;
  SessionOptions session;
  Simulated platform;  ///< to simulate, if any
  bool calibrate = false;
  // results
  FileOptions files;
  std::string json;
  std::string trace;
  bool verify = false;
  bool statistics = false;  ///< of the matrices, and nothing else
  bool quiet = false;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

/// The body, the waves and the steps that the command line describes.
struct Case {
  asterism::tdbem::Problem problem;
  std::int64_t steps = 0;
  std::string describe;
  bool is_sphere = false;  ///< of radius 1 around the origin: there is an exact answer
  double seconds = 0;      ///< that preparing it took
};
Case make_case(const Arguments& arguments);

}  // namespace asterism::apps::tdbem
