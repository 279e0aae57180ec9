// SPDX-License-Identifier: Apache-2.0
// The matrices of data/matrices, and those of linear elasticity on the meshes of data/meshes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"
#include "taskflows/cg/matrix/gmsh_reader.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "tests/data_file.hpp"
#include "tests/gzip.hpp"
#include "tests/taskflows/cg/symmetric_matrix.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

// ---- files of matrices ---------------------------------------------------------------------------------

TEST(RealMatrices, AreReadWhole) {
  struct Known {
    const char* name;
    std::int64_t n;
    std::int64_t nnz;  // both triangles
  };
  for (const Known& known : {
           Known{"bcsstk15.mtx.gz", 3948, 117816},
           Known{"bcsstk16.mtx.gz", 4884, 290378},
           Known{"s3rmt3m3.mtx.gz", 5357, 207123},
           Known{"hypre_ams_5080.mtx.gz", 5080, 58072},
           Known{"beam_tet_2475.mtx.gz", 2475, 70813},
       }) {
    SCOPED_TRACE(known.name);
    const CsrMatrix matrix = read_matrix_market(tests::data_file(std::string("matrices/") + known.name));
    EXPECT_EQ(matrix.n, known.n);
    EXPECT_EQ(matrix.nnz(), known.nnz);
    require_symmetric_positive_diagonal(matrix);
  }
}

/// The lower triangle in the shortest decimal form that gives the same double, compressed.
void write_compressed(const CsrMatrix& matrix, const fs::path& path) {
  const auto index = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::string entries;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < matrix.n; ++i)
    for (std::int64_t k = matrix.row_begin[index(i)]; k < matrix.row_begin[index(i) + 1]; ++k) {
      if (matrix.column[index(k)] > i) continue;
      entries += fmt::format("{} {} {}\n", i + 1, matrix.column[index(k)] + 1, matrix.value[index(k)]);
      ++count;
    }
  std::ofstream(path, std::ios::binary) << tests::gzip(
      fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n{2}", matrix.n, count, entries));
}

TEST(RealMatrices, ElasticityIsReadBackBitForBit) {
  const TetMesh mesh = read_gmsh(tests::data_file("meshes/bracket_coarse.msh.gz"));
  const CsrMatrix matrix = assemble_elasticity(mesh, {.element = Element::p1, .numbering = Numbering::mesh});
  const fs::path path = fs::temp_directory_path() / fmt::format("asterism_bracket_{}.mtx.gz", getpid());
  write_compressed(matrix, path);
  const CsrMatrix read = read_matrix_market(path);
  fs::remove(path);
  require_symmetric_positive_diagonal(read);
  EXPECT_EQ(read.n, matrix.n);
  EXPECT_TRUE(std::ranges::equal(read.row_begin, matrix.row_begin));
  EXPECT_TRUE(std::ranges::equal(read.column, matrix.column));
  EXPECT_TRUE(std::ranges::equal(read.value, matrix.value));
}

// ---- matrices of meshes --------------------------------------------------------------------------------

/// Rows, and non-zeros of a body that nothing holds and of one that is held at one end. From data/make-meshes
/// --check, which counts the pairs of nodes that the corners, edges, faces and tetrahedra of a file make, without any
/// matrix.
struct Counts {
  std::int64_t rows, unbound, held;  ///< unbound 0: not assembled
};
struct BracketCounts {
  const char* file;
  std::size_t nodes, tetrahedra;
  Counts p1, p2;
};
void PrintTo(const BracketCounts& counts, std::ostream* out) {
  *out << counts.file;
}

class Bracket : public ::testing::TestWithParam<BracketCounts> {
 protected:
  Bracket() : mesh_(read_gmsh(tests::data_file(GetParam().file))) {}

  void expect_counts(Element element, const Counts& expected) const {
    if (expected.unbound > 0) {
      const CsrMatrix unbound = assemble_elasticity(mesh_, {.element = element, .clamp = false});
      EXPECT_EQ(unbound.n, expected.rows);
      EXPECT_EQ(unbound.nnz(), expected.unbound);
    }
    const CsrMatrix held = assemble_elasticity(mesh_, {.element = element});
    EXPECT_EQ(held.n, expected.rows);
    EXPECT_EQ(held.nnz(), expected.held);
    expect_symmetric(held, expected.rows < 500000 ? 1 : 97);
  }
  TetMesh mesh_;
};

TEST_P(Bracket, P1) {
  EXPECT_EQ(mesh_.node.size(), GetParam().nodes);
  EXPECT_EQ(mesh_.tet.size(), GetParam().tetrahedra);
  expect_counts(Element::p1, GetParam().p1);
}

TEST_P(Bracket, P2) {
  expect_counts(Element::p2, GetParam().p2);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Bracket,
    ::testing::Values(
        BracketCounts{"meshes/bracket_coarse.msh.gz", 5585, 19778, {16755, 592389, 575457}, {107109, 7800327, 7585953}},
        BracketCounts{"meshes/bracket_fine.msh.gz", 47379, 205273, {142137, 5486247, 5339535}, {985443, 0, 74703591}}));

}  // namespace
}  // namespace asterism::cg
