// SPDX-License-Identifier: Apache-2.0
#include "api/units.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "runtime/machine/known_rates.hpp"

namespace asterism::v0 {

const asterism::Session& start_for(Session::State& session, const std::optional<StepWork>& work,
                                   const std::function<void(asterism::SessionOptions&)>& last,
                                   std::optional<double>& gpu_share) {
  if (const asterism::Session* const running = session.running()) return *running;
  asterism::SessionOptions suited = session.wanted();
  if (work && uses_gpus(suited)) {
    KnownRates rates = known_rates();
    const UnitChoice choice = choose_units(*work, suited, rates, [](const std::string&) {});
    if (choice.cpus == 0) suited.cpus = 0;
    if (choice.gpus) suited.gpus = choice.gpus;
    gpu_share = choice.gpu_share;
  }
  last(suited);
  return session.start(suited);
}

void in_turns(long steps, long every, const std::function<long()>& step, const std::function<void(long)>& advance,
              const std::function<void(long)>& progress) {
  if (steps < 0) bad_input("{} steps: expected 0 or more", steps);
  if (progress && every < 1) bad_input("every {}: expected at least 1 step", every);
  const long end = step() + steps;
  for (long now = step(); now < end; now = step()) {
    advance((progress ? std::min(end, (now / every + 1) * every) : end) - now);
    if (progress) progress(step());
  }
}

void advance_checked(long begin, long steps, long every, const std::function<void(long)>& advance,
                     const std::function<void(long)>& check) {
  for (long step = begin; step < begin + steps;) {
    const long next = std::min(begin + steps, (step / every + 1) * every);
    advance(next - step);
    if (next % every == 0) check(next);
    step = next;
  }
  starpu_task_wait_for_all();
}

asterism::Precision precision_of(Precision precision, bool half) {
  if (precision == Precision::single_precision) return asterism::Precision::single_precision;
  if (precision == Precision::double_precision) return asterism::Precision::double_precision;
  if (!half) bad_input("half precision: expected single or double, as this method has them");
  return asterism::Precision::half_precision;
}

void require_length_or_none(const char* what, std::size_t found, std::size_t expected) {
  if (found != 0 && found != expected) bad_input("{} has {} values: expected {}", what, found, expected);
}

mesh::TriangleMesh mesh_of(std::span<const double> vertices, std::span<const std::int32_t> triangles) {
  if (vertices.size() % 3 != 0) bad_input("{} coordinates of vertices: expected three of each", vertices.size());
  if (triangles.size() % 3 != 0) bad_input("{} corners of triangles: expected three of each", triangles.size());
  const auto n = static_cast<std::int64_t>(vertices.size() / 3);
  mesh::TriangleMesh mesh;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!std::isfinite(vertices[i])) bad_input("vertices[{}] is {}: expected a finite number", i, vertices[i]);
    if (i % 3 == 0) mesh.vertices.push_back({vertices[i], 0, 0});
    mesh.vertices.back()[i % 3] = vertices[i];
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] < 0 || triangles[i] >= n)
      bad_input("triangles[{}] is {}: expected a vertex from 0 to {}", i, triangles[i], n - 1);
    if (i % 3 == 0) mesh.triangles.push_back({triangles[i], 0, 0});
    mesh.triangles.back()[i % 3] = triangles[i];
  }
  return mesh;
}

}  // namespace asterism::v0
