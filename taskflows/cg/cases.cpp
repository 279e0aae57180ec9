// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/cases.hpp"

#include <memory>
#include <utility>

#include "io/text_words.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"
#include "taskflows/cg/matrix/gmsh_reader.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/matrix/numpy_files.hpp"
#include "taskflows/cg/matrix/stencil.hpp"
#include "taskflows/cg/structure/structure.hpp"

namespace asterism::cg {
namespace {

MatrixSource stencil_matrix(const Stencil& stencil) {
  return {row_counts(stencil),
          [stencil](std::int64_t first, std::int64_t last) { return assemble_stencil(stencil, first, last); },
          {},
          {}};
}

CsrMatrix elasticity_matrix(const Problem& problem, std::vector<std::array<double, 3>>& positions) {
  ElasticityOptions elasticity;
  elasticity.element = problem.element;
  elasticity.numbering = problem.numbering;
  const ElasticBody body = scaled_body(read_gmsh(problem.mesh), elasticity);
  positions = body.nodes.position;
  return assemble_elasticity(body);
}

/// NAME.npz of SciPy, or Matrix Market.
CsrMatrix read_matrix(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".npz" ? read_npz_matrix(path) : read_matrix_market(path);
}

}  // namespace

MatrixSource open_matrix(const Problem& problem) {
  if (!problem.stencil.empty()) return stencil_matrix(parse_stencil(problem.stencil));
  std::shared_ptr<const Structure> structure;
  if (!problem.model.empty()) structure = std::make_shared<const Structure>(open_structure(problem.model));
  std::vector<std::array<double, 3>> positions;
  if (structure) positions = structure->body.nodes.position;
  const auto a = std::make_shared<CsrMatrix>(structure                ? assemble_elasticity(structure->body)
                                             : problem.matrix.empty() ? elasticity_matrix(problem, positions)
                                                                      : read_matrix(problem.matrix));
  require_symmetric_positive_diagonal(*a);
  return {{a->n, a->name, [a](std::int64_t row) { return a->begin_of(row); }},
          [a](std::int64_t first, std::int64_t last) {
            return first == 0 && last == a->n ? std::move(*a) : rows_of(*a, first, last);
          },
          std::move(positions),
          structure};
}

}  // namespace asterism::cg
