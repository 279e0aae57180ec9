// SPDX-License-Identifier: Apache-2.0
// Tables and molecules: tiny files with their particles by hand, and every kind of bad line.
#include <chrono>
#include <numeric>
#include <set>
#include <tuple>

#include "taskflows/fmm/particles/generate.hpp"
#include "tests/taskflows/fmm/particles_fixture.hpp"

namespace asterism::fmm {
namespace {

const Rows two = {{0.5, -1, 2e-3, 4}, {1, 2, 3, -0.25}};

TEST_F(ParticleFiles, TakesTablesWithAnySeparator) {
  EXPECT_EQ(read("a.txt", "0.5 -1 2e-3 4\n1 2 3 -0.25\n"), two);
  EXPECT_EQ(read("a.csv", "0.5,-1,2e-3,4\n1,2,3,-0.25\n"), two);
  EXPECT_EQ(read("a.csv", "0.5, -1 ,\t2e-3,4\n1,2,3,-0.25\n"), two);
  EXPECT_EQ(read("a.csv", "0.5;-1;2e-3;4\n1;2;3;-0.25\n"), two);
  EXPECT_EQ(read("a.tsv", "0.5\t-1\t2e-3\t4\n1\t2\t3\t-0.25\n"), two);
  EXPECT_EQ(read("a.dat", "   0.5   -1 \t 2e-3     4  \n 1  2  3  -0.25  "), two);
  EXPECT_EQ(read("A.XYZQ", "0.5 -1 2e-3 4\n1 2 3 -0.25\n"), two);
}

TEST_F(ParticleFiles, TakesTheLineEndsOfAnySystem) {
  EXPECT_EQ(read("a.xyz", "0.5 -1 2e-3 4\r\n\r\n1 2 3 -0.25\r\n"), two);
  EXPECT_EQ(read("a.csv", "x,y,z,charge\r\n0.5,-1,2e-3,4\r\n1,2,3,-0.25"), two);
  EXPECT_EQ(read("a.csv", "0.5,-1,2e-3,4,\n1,2,3,-0.25,\n"), two);
}

TEST_F(ParticleFiles, TakesNumbersAsFortranAndSpreadsheetsWriteThem) {
  EXPECT_EQ(read("a.dat", "+5.D-1 -1.0d0 0.002 4E+00\n1. +2 .3e1 -25e-2\n"), two);
  EXPECT_EQ(read("a.dat", "1e-400 0 0 1\n"), (Rows{{0, 0, 0, 1}}));
}

TEST_F(ParticleFiles, SkipsCommentsAnywhere) {
  EXPECT_EQ(read("a.txt", "# three numbers here\n% and here\n\n0.5 -1 2e-3 4\n  # between\n1 2 3 -0.25\n# end"), two);
}

TEST_F(ParticleFiles, GivesChargeOneWhereThereIsNone) {
  EXPECT_EQ(read("a.txt", "1 2 3\n4 5 6"), (Rows{{1, 2, 3, 1}, {4, 5, 6, 1}}));
  EXPECT_EQ(read("a.csv", "z,y,x\n1,2,3\n"), (Rows{{3, 2, 1, 1}}));
}

TEST_F(ParticleFiles, FindsColumnsByTheHeader) {
  EXPECT_EQ(read("a.csv", "id,Charge,z,Y,X\n7,4,2e-3,-1,0.5\n8,-0.25,3,2,1\n"), two);
  EXPECT_EQ(read("a.csv", "\"x\";\"y\";\"z\";\"name\";\"q\"\n0.5;-1;2e-3;a b;4\n1;2;3;;-0.25\n"), two);
  for (const std::string name : {"charge", "q", "WEIGHT", "mass", "w"}) {
    EXPECT_EQ(read("a.txt", name + " x y z\n4 0.5 -1 2e-3\n-0.25 1 2 3\n"), two) << name;
  }
  EXPECT_EQ(read("a.txt", "# mass z y x\n4 2e-3 -1 0.5\n-0.25 3 2 1\n"), two) << "a header in a comment";
  EXPECT_EQ(read("a.csv", "\xef\xbb\xbfx,y,z,q\n0.5,-1,2e-3,4\n1,2,3,-0.25\n"), two) << "UTF-8 mark";
  EXPECT_EQ(read("a.csv", "\"q\",\"Points:0\",\"Points:1\",\"Points:2\"\n4,0.5,-1,2e-3\n-0.25,1,2,3\n"), two);
}

TEST_F(ParticleFiles, TakesVelocitiesAndMasses) {
  const auto all = [&](const std::string& text, const ReadOptions& options = {}) {
    const Particles p = read_particles(file("a.csv", text), options);
    return std::vector{as_vector(p.charge), as_vector(p.vx), as_vector(p.vy), as_vector(p.vz), as_vector(p.mass)};
  };
  using All = std::vector<std::vector<double>>;
  EXPECT_EQ(all("vz,x,y,z,mass,vx,vy,q\n9,1,2,3,5,7,8,4\n-9,1,2,4,6,-7,-8,3\n"),
            (All{{4, 3}, {7, -7}, {8, -8}, {9, -9}, {5, 6}}));
  EXPECT_EQ(all("x,y,z,mass,VX,VY,VZ\n1,2,3,5,7,8,9\n"), (All{{5}, {7}, {8}, {9}, {}})) << "a mass alone acts";
  EXPECT_EQ(all("x,y,z\n1,2,3\n"), (All{{1}, {}, {}, {}, {}}));
  EXPECT_EQ(all("1,2,3,4,7,8,9\n", {.columns = "1,2,3,4,5,6,7"}), (All{{4}, {7}, {8}, {9}, {}}));
  const auto with = [&](const std::string& text) { return [&, text] { read("a.csv", text); }; };
  expect_bad_input(with("x,y,z,vx,vy\n1,2,3,4,5\n"), {"line 1", "2 of vx, vy and vz"});
  expect_bad_input(with("x,y,z,vx,vy,vz\n1,2,3,4,5,six\n"), {"line 2", "vz", "six"});
  expect_bad_input(with("x,y,z,q,mass\n1,2,3,4,nan\n"), {"line 2", "mass"});
}

TEST_F(ParticleFiles, IgnoresFurtherColumns) {
  EXPECT_EQ(read("a.txt", "0.5 -1 2e-3 4 17 Sun\n1 2 3 -0.25 18 Alpha Centauri\n"), two);
}

TEST_F(ParticleFiles, TakesTheColumnsAskedFor) {
  EXPECT_EQ(read("a.txt", "9 0.5 -1 2e-3 8 4\n9 1 2 3 8 -0.25\n", {.columns = "2,3,4,6"}), two);
  EXPECT_EQ(read("a.txt", "9 0.5 -1 2e-3 8 4\n", {.columns = "4, 3, 2"}), (Rows{{2e-3, -1, 0.5, 1}}));
  EXPECT_EQ(read("a.csv", "ra,dec,dist,lum\n0.5,-1,2e-3,4\n1,2,3,-0.25\n", {.columns = "RA,dec,3,lum"}), two);
  const auto with = [&](const std::string& columns) {
    return [&, columns] { read("a.csv", "ra,dec,dist\n1,2,3\n", {.columns = columns}); };
  };
  expect_bad_input(with("1,2"), {"--columns 1,2", "found 2 columns", "expected 3"});
  expect_bad_input(with("0,1,2"), {"--columns 0,1,2", "found 0", "from 1"});
  expect_bad_input(with("1,2,2"), {"--columns 1,2,2", "\"2\"", "twice"});
  expect_bad_input(with("ra,dec,lum"), {"a.csv: line 1", "no column \"lum\"", "ra, dec, dist"});
  expect_bad_input(with("1,2,4"), {"a.csv: line 2", "z is missing"});
  expect_bad_input([&] { read("a.txt", "1 2 3\n", {.columns = "x,y,z"}); }, {"no column \"x\"", "no header"});
}

TEST_F(ParticleFiles, TakesCompressedTables) {
  EXPECT_EQ(read("a.csv.gz", gzip("0.5,-1,2e-3,4\n") + gzip("1,2,3,-0.25\n")), two);
  const std::string whole = gzip("0.5,-1,2e-3,4\n1,2,3,-0.25\n");
  expect_bad_input([&] { read("a.csv.gz", whole.substr(0, whole.size() - 9)); }, {"a.csv.gz", "truncated or corrupt"});
}

TEST_F(ParticleFiles, NamesTheLineOfABadNumber) {
  const auto with = [&](const std::string& text) { return [&, text] { read("a.csv", text); }; };
  expect_bad_input(with("1,2,3,4\n1,2,x3,4\n"), {"a.csv: line 2: the z is \"x3\"", "expected a number"});
  expect_bad_input(with("# c\n\n1,2,3,4\n\n1,nan,3,4\n"), {"a.csv: line 5: the y is \"nan\"", "finite"});
  expect_bad_input(with("1,2,3,4\n-inf,2,3,4\n"), {"line 2: the x is \"-inf\"", "finite"});
  expect_bad_input(with("1,2,3,1e999\n"), {"line 1: the charge is \"1e999\"", "finite"});
  expect_bad_input(with("1,2,3,4\n1,2,3\n"), {"line 2: the charge is missing"});
  expect_bad_input(with("1,2,3,4\n1,,3,4\n"), {"line 2: the y is missing"});
  expect_bad_input(with("1,2,3\n4,5,6,7\n"), {"line 2: found \"7\" after z", "3 columns"});
  expect_bad_input(with("1;2;3;4\n1,5;2;3;4\n"), {"line 2: the x is \"1,5\""});
  expect_bad_input(with("x,y,z\n"), {"a.csv", "no particle after the header"});
  expect_bad_input(with("x,y,charge\n1,2,3\n"), {"line 1", "\"x,y,charge\"", "header that names x, y and z"});
  expect_bad_input(with("x,y,z,q,weight\n1,2,3,4,5\n"), {"line 1", "both \"q\" and \"weight\"", "--columns"});
  expect_bad_input(with("1,2\n"), {"line 1: the z is missing"});
  expect_bad_input(with("# nothing\n\n"), {"a.csv", "only comments"});
  expect_bad_input(with(""), {"a.csv", "is empty"});
  expect_bad_input(with(std::string("\x7f"
                                    "ELF\x02\x01\0\0\0\n",
                                    10)),
                   {"a.csv: line 1: found \"?ELF"});
  expect_bad_input(with("<html>\n<body>1 2 3"), {"line 1: found \"<html>\""});
}

TEST_F(ParticleFiles, NamesWhatIsWrongWithTheFile) {
  expect_bad_input([&] { read_particles(folder_ / "none.csv"); }, {"none.csv", "cannot be read", "expected a table"});
  expect_bad_input([&] { read_particles(folder_); }, {folder_.string(), "extension"});
  expect_bad_input([&] { read("a.doc", "1 2 3\n"); }, {"a.doc", "\".doc\"", ".csv", ".pqr", ".npy", ".h5"});
  expect_bad_input([&] { read("a.gz", gzip("1 2 3\n")); }, {"a.gz", "extension"});
  expect_bad_input([&] { read("a.txt", "1 2 3\n", {.dataset = "p"}); }, {"a.txt", "--dataset", ".txt"});
  expect_bad_input([&] { read("a.pqr", "", {.columns = "1,2,3"}); }, {"a.pqr", "--columns", ".pqr"});
}

TEST_F(ParticleFiles, ReadsTheSameWithAnyNumberOfThreadsAndFast) {
#ifdef ASTERISM_SANITIZE
  constexpr std::size_t n = 100000;
#else
  constexpr std::size_t n = 1000000;
#endif
  const Particles p = cube(n, 3, Charges::neutral);
  std::string text = "charge x y z\n";
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 1000 == 7) text += "# a comment\n";
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", p.charge[i], p.x[i], p.y[i], p.z[i]);
  }
  const fs::path path = file("large.txt", text);
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    const auto start = std::chrono::steady_clock::now();
    const Particles found = read_particles(path);
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    RecordProperty(fmt::format("seconds_{}_threads", threads), fmt::format("{:.3f}", time));
    std::printf("%zu lines, %.1f MB, %d threads: %.3f s\n", n, 1e-6 * static_cast<double>(text.size()), threads, time);
    EXPECT_TRUE(as_vector(found.x) == as_vector(p.x));
    EXPECT_TRUE(as_vector(found.y) == as_vector(p.y));
    EXPECT_TRUE(as_vector(found.z) == as_vector(p.z));
    EXPECT_TRUE(as_vector(found.charge) == as_vector(p.charge));
  }
  // the first bad line counts, wherever the chunks are cut
  const std::size_t late = text.rfind('\n', text.size() - 2) + 1;
  text[late] = 'a';
  const std::size_t early = text.find('\n', text.size() / 3) + 1;
  text[early] = 'b';
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(early), '\n') + 1;
  file("large.txt", text);
  for (const int threads : {1, 7}) {
    omp_set_num_threads(threads);
    expect_bad_input([&] { read_particles(path); }, {fmt::format("large.txt: line {}: the charge is \"b", line)});
  }
}

TEST_F(ParticleFiles, TakesMolecules) {
  const Rows expected = {{46.331, 15.935, -4.837, -0.47}, {1, 2, 3, 0.5}, {-1, -2, -3, 2}, {4, 5, 6, 0}};
  EXPECT_EQ(read("a.pqr",
                 "REMARK   1 PQR file\n"
                 "ATOM      1  N   ASY     1      46.331  15.935  -4.837 -0.470 1.850\n"
                 "ATOM      2  HN  ASY A   2A     1.0 2.0 3.0 0.5 1.0\r\n"
                 "TER\n"
                 "HETATM12345 CA   CA  1 -1 -2 -3 2.000 1.811\n"
                 "ATOM 4 X RES A1000 4 5 6 0 1\n"
                 "END"),
            expected);
  const auto with = [&](const std::string& text) { return [&, text] { read("a.pqr", "REMARK\n" + text); }; };
  expect_bad_input(with("ATOM 1 N ASY 1 1 2 3 0.5\n"), {"a.pqr: line 2", "\"ATOM 1 N ASY 1 1 2 3 0.5\"", "radius"});
  expect_bad_input(with("ATOM 1 N ASY A 1 1 2 3 0.5\n"), {"line 2", "radius"});
  expect_bad_input(with("ATOM 1 N ASY A 1 B 1 2 3 0.5 1\n"), {"line 2", "[chain]"});
  expect_bad_input(with("ATOM 1 N ASY 1 1 2 3 q 1\n"), {"line 2", "charge is \"q\""});
  expect_bad_input(with("ATOM 1 N ASY 1 1 2 3 1 1.6*\n"), {"line 2", "radius is \"1.6*\""});
  expect_bad_input(with("ATOM 1 N ASY 1 1 inf 3 1 1\n"), {"line 2", "y is \"inf\"", "finite"});
  expect_bad_input(with("END\n"), {"a.pqr", "no ATOM or HETATM"});
}

// ---- real files ----------------------------------------------------------------------------------------

TEST(RealParticles, ActinDimer) {
  const Particles p = read_particles(tests::data_file("particles/actin_dimer_11754.pqr.gz"));
  ASSERT_EQ(p.size(), 11754U);
  EXPECT_NEAR(std::accumulate(p.charge.begin(), p.charge.end(), 0.0), -24, 1e-9);
  EXPECT_EQ(rows(p).front(), (std::vector<double>{46.331, 15.935, -4.837, -0.47}));
  EXPECT_EQ(rows(p).back(), (std::vector<double>{-17.091, -5.541, 25.525, 2}));
}

TEST(RealParticles, StarCatalogue) {
  const Particles p = read_particles(tests::data_file("particles/hyg_v3_stars_107857.xyzl.gz"));
  ASSERT_EQ(p.size(), 107857U);
  EXPECT_EQ(rows(p).front(), (std::vector<double>{5e-06, 0, 0, 1}));
  EXPECT_EQ(rows(p).back(), (std::vector<double>{5.689088, 0.054021, -5.336296, 0.0003194479}));
  std::set<std::tuple<double, double, double>> places;
  for (std::size_t i = 0; i < p.size(); ++i) places.emplace(p.x[i], p.y[i], p.z[i]);
  EXPECT_EQ(places.size(), p.size() - 1) << "one pair is coincident";
}

}  // namespace
}  // namespace asterism::fmm
