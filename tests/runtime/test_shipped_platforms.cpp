// SPDX-License-Identifier: Apache-2.0
// The platforms of experiments/machines: what they name exists, and tasks take what the sources of their rates say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "base/as_size.hpp"
#include "codelets/cg/codelets.hpp"
#include "codelets/fdtd/codelets.hpp"
#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/near/kernel_function.hpp"
#include "codelets/lbm/codelets.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "codelets/lbm/kernels/kernels.hpp"
#include "codelets/tdbem/codelets.hpp"
#include "runtime/codelet.hpp"
#include "runtime/machine/platform.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return fs::path(ASTERISM_SOURCE_DIR) / "experiments/machines";
}
Platform shipped(const std::string& name) {
  return read_platform(folder() / (name + ".toml"));
}

/// Names and symbols of performance models.
class Codelets {
 public:
  void add(const starpu_codelet& codelet) {
    known_.insert(codelet.name);
    if (codelet.model != nullptr) known_.insert(codelet.model->symbol);
  }
  [[nodiscard]] bool contains(const std::string& name) const { return known_.contains(name); }
  [[nodiscard]] const std::set<std::string>& names() const { return known_; }

 private:
  std::set<std::string> known_;
};

template <class T>
void add_of_precision(Codelets& all) {
  for (auto* codelet : {&lbm::codelets::advance.of<T>().starpu(), &lbm::codelets::forward.of<T>().starpu(),
                        &lbm::codelets::complete.of<T>().starpu(), &fdtd::codelets::advance.of<T>().starpu(),
                        &fdtd::codelets::domain.of<T>().starpu(), &tdbem::codelets::product.of<T>().starpu(),
                        &tdbem::codelets::solve.of<T>().starpu()})
    all.add(*codelet);
}

Codelets of_all_methods() {
  Codelets all;
  add_of_precision<float>(all);
  add_of_precision<double>(all);
  for (auto* codelet :
       {&cg::codelets::spmv.starpu(), &cg::codelets::spmv_dot.starpu(), &cg::codelets::residual.of(1).starpu(),
        &cg::codelets::direction.of(1).starpu(), &cg::codelets::dot.starpu(), &cg::codelets::axpy.starpu(),
        &cg::codelets::xpby.starpu(), &fmm::codelets::p2m.starpu(), &fmm::codelets::m2m.starpu(),
        &fmm::codelets::m2l.starpu(), &fmm::codelets::l2l.starpu(), &fmm::codelets::l2p.starpu(),
        &fmm::codelets::reduction.starpu(), &fmm::codelets::p2p<fmm::Laplace>().starpu()})
    all.add(*codelet);
  return all;
}

/// Performance models of the codelets of the task graphs that other programs recorded (experiments/graphs).
std::set<std::string> models_of_graphs() {
  std::set<std::string> models;
  for (const auto& graph : fs::directory_iterator(folder().parent_path() / "graphs")) {
    std::ifstream file(graph.path() / "durations.rec");
    const std::string key = "Model: ";
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(key)) models.insert(line.substr(key.size()));
  }
  return models;
}

TEST(ShippedPlatforms, NameCodeletsThatExist) {
  const Codelets all = of_all_methods();
  const std::set<std::string> recorded = models_of_graphs();
  EXPECT_TRUE(recorded.contains("chol_model_gemm"));
  int named = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".toml") continue;
    const Platform platform = read_platform(entry.path());
    // asterism-platform calibrate names every codelet that ran; those written by hand are of these
    const bool measured = platform.overheads != Overheads{};
    for (const auto& [name, costs] : platform.codelets) {
      if (++named; !is_own_codelet(name) && recorded.contains(name)) continue;
      EXPECT_TRUE(measured || all.contains(name.substr(0, name.find('/')))) << entry.path() << " " << name;
      EXPECT_TRUE(is_own_codelet(name)) << entry.path() << " " << name;
    }
  }
  EXPECT_GT(named, 50);
  EXPECT_FALSE(all.contains("lbm_advance_quarter"));
}

TEST(CodeletNames, AreThoseOfTheCodelets) {
  const Codelets all = of_all_methods();
  for (const std::string& name : all.names()) EXPECT_TRUE(is_own_codelet(name)) << name;
  for (const char* none : {"", "lbm_", "advance", "lbm_advance_quarter", "cg_spmvs", "cg_spmv_float", "fmm_m2l_float",
                           "fmm_m2l/", "fmm_m2l/x", "cg_spmv/3", "tdbem_product_doubles", "fmm_p2p_laplace"})
    EXPECT_FALSE(is_own_codelet(none)) << none;
  EXPECT_TRUE(is_own_codelet("fmm_m2l/125"));
  EXPECT_TRUE(is_own_codelet("fmm_p2p_my-own_double"));  // of a kernel that a program brings
}

TEST(CodeletNames, NearestIsTheOneWithFewestLettersChanged) {
  EXPECT_EQ(nearest_codelet("lbm_advanced"), "lbm_advance");
  EXPECT_EQ(nearest_codelet("cg_spmv_dubble"), "cg_spmv_double");
  EXPECT_EQ(nearest_codelet("fm_m2l"), "fmm_m2l");
  EXPECT_EQ(nearest_codelet("tdbem_sovle_directly"), "tdbem_solve_directly");
  EXPECT_EQ(nearest_codelet("fdtd_domain_float"), "fdtd_domain_float");
}

/// Seconds for a task that has so many operations and no data.
double seconds(const Platform& p, const starpu_codelet& codelet, UnitKind kind, double flops) {
  return p.cost(codelet.model->symbol, codelet.name, kind)->of({flops, 0, 0});
}

TEST(ShippedPlatforms, NehalemHasTheRatesOfTheFmmPaper) {
  const auto& p2p = fmm::codelets::p2p<fmm::Laplace>().starpu();
  const auto& m2l = fmm::codelets::m2l.starpu();
  const Platform m2070 = shipped("nehalem-m2070"), m2090 = shipped("nehalem-m2090");
  // section 4.2, at 40 operations of a pair, of which our tasks count 44
  const double pairs = 1e9;
  EXPECT_NEAR(40 * pairs / seconds(m2070, p2p, UnitKind::cpu, 44 * pairs), 2e9, 1e6);
  EXPECT_NEAR(40 * pairs / seconds(m2070, p2p, UnitKind::gpu, 44 * pairs), 66e9, 1e7);
  // table 5: cells of 176.6 interactions (table 4), operations by the columns and ranks of tables 1 and 2
  struct Row {
    std::int64_t basis;
    double operations;
    double cells, cpu, m2070, m2090;
  };
  for (const Row& row : {Row{27, 513.1, 512, 1.63, 3.19, 4.18}, Row{27, 513.1, 32768, 1.68, 5.26, 6.83},
                         Row{125, 6132.3, 4096, 3.87, 17.7, 22.7}, Row{125, 6132.3, 32768, 3.87, 19.2, 24.8},
                         Row{343, 33932, 512, 5.17, 22.4, 29.2}, Row{343, 33932, 4096, 5.38, 25.3, 33.2},
                         // order 4: between orders 3 and 5
                         Row{64, 2172, 4096, (1.65 + 3.87) / 2, (4.68 + 17.7) / 2, (6.09 + 22.7) / 2},
                         Row{216, 15631, 512, (3.82 + 5.17) / 2, (13.8 + 22.4) / 2, (17.7 + 29.2) / 2}}) {
    SCOPED_TRACE(testing::Message() << row.basis << ", " << row.cells);
    const double flops = row.cells * 176.6 * row.operations;
    const auto rate = [&](const Platform& p, UnitKind kind) {
      return 1e-9 * flops / p.cost(m2l.model->symbol, m2l.name, kind, 0, row.basis)->of({flops, 0, 0});
    };
    for (const Platform* const p : {&m2070, &m2090}) EXPECT_NEAR(rate(*p, UnitKind::cpu), row.cpu, 2e-3 * row.cpu);
    EXPECT_NEAR(rate(m2070, UnitKind::gpu), row.m2070, 2e-3 * row.m2070);
    EXPECT_NEAR(rate(m2090, UnitKind::gpu), row.m2090, 2e-3 * row.m2090);
  }
  // other bases: between the rows of 512 and of 4,096 cells at the group size of the figures
  const double flops = 2000 * 176.6 * 6132.3;
  EXPECT_NEAR(1e-9 * flops / seconds(m2070, m2l, UnitKind::gpu, flops), 16.3, 1);
  for (auto* codelet : {&fmm::codelets::p2m.starpu(), &fmm::codelets::m2m.starpu(), &fmm::codelets::l2l.starpu(),
                        &fmm::codelets::l2p.starpu(), &fmm::codelets::reduction.starpu()})  // table 3
    EXPECT_EQ(m2070.cost(codelet->model->symbol, codelet->name, UnitKind::gpu), nullptr) << codelet->name;
}

/// Tables 2 and 3 of the CG paper, one GPU: 2 nnz + 9 N operations of an iteration over the time of its six kernels.
TEST(ShippedPlatforms, NehalemHasTheTimesOfTheCgPaperOnOneGpu) {
  for (const char* name : {"nehalem-m2070", "nehalem-m2070-rows"}) {
    const Platform p = shipped(name);
    const auto iteration = [&](double n) {
      const double points = n * n * n, nonzeros = 11 * points - 14 * n * n + 4 * n;
      const auto of = [&](const starpu_codelet& codelet, double bytes, double rows = 0) {
        const TaskWork work{.flops = 0, .bytes = bytes, .footprint = 0, .units = 1, .chunks = rows};
        return p.cost(codelet.model->symbol, codelet.name, UnitKind::gpu)->of(work);
      };
      const double time = of(cg::codelets::spmv.starpu(), 12 * nonzeros + 20 * points, points) +
                          2 * of(cg::codelets::dot.starpu(), 12 * points) +  // p.q reads two vectors, r.r one
                          2 * of(cg::codelets::axpy.starpu(), 24 * points) +
                          of(cg::codelets::xpby.starpu(), 24 * points);
      return (2 * nonzeros + 9 * points) / time / 1e9;
    };
    EXPECT_NEAR(iteration(256), 5.851, 0.02 * 5.851) << name;
    EXPECT_NEAR(iteration(128), 5.708, 0.04 * 5.708) << name;
  }
}

/// Section 8 of the CG paper: "GPU-GPU transfers are about 30% faster than GPU-CPU-GPU transfers".
TEST(ShippedPlatforms, NehalemGpusExchangeAThirdFasterThanByWayOfMainMemory) {
  for (const char* name : {"nehalem-m2070", "nehalem-m2070-rows"}) {
    const Platform p = shipped(name);
    double direct = 0, in_turn = 0;
    for (int from = 0; from < 3; ++from)
      for (int to = 0; to < 3; ++to) {
        if (from == to) continue;
        direct += p.peer(from, to)->bandwidth / 6;
        in_turn += 1 / (1 / p.from_gpu[as_size(from)].bandwidth + 1 / p.to_gpu[as_size(to)].bandwidth) / 6;
      }
    EXPECT_NEAR(direct / in_turn, 1.3, 0.005) << name;
  }
  // pairs: GPUs 1 and 2 are behind one hub
  const Platform p = shipped("nehalem-m2070-rows");
  EXPECT_GT(p.peer(1, 2)->bandwidth, 1.3 * p.peer(1, 0)->bandwidth);
  EXPECT_GT(p.peer(1, 0)->bandwidth, p.peer(0, 1)->bandwidth);
  EXPECT_TRUE(p.in_turn);
}

/// Billions of updates per second of `units` units, in large tasks.
template <class T>
double glups(const Platform& p, UnitKind kind, int units) {
  const double cells = 1e9;
  return units * cells / 1e9 / seconds(p, lbm::codelets::advance.of<T>().starpu(), kind, cells * lbm::task_flops({}));
}

TEST(ShippedPlatforms, NodesOfTheLbmPaperHaveItsRates) {
  const Platform piz_daint = shipped("piz-daint"), hydra = shipped("hydra"), tsubame = shipped("tsubame25");
  EXPECT_NEAR(glups<double>(piz_daint, UnitKind::gpu, 1), 1.58, 0.01);  // section 5.1
  EXPECT_NEAR(glups<float>(piz_daint, UnitKind::gpu, 1), 2.96, 0.01);
  EXPECT_NEAR(glups<double>(piz_daint, UnitKind::cpu, 12), 0.17, 0.001);
  EXPECT_NEAR(glups<float>(piz_daint, UnitKind::cpu, 12), 0.21, 0.001);
  // table 3: what one GPU and one CPU gain over either, hence how a CPU compares with a GPU
  EXPECT_NEAR(glups<double>(hydra, UnitKind::cpu, 10) / glups<double>(hydra, UnitKind::gpu, 1), 1.1622 / 4.84, 0.002);
  EXPECT_NEAR(glups<double>(tsubame, UnitKind::cpu, 6) / glups<double>(tsubame, UnitKind::gpu, 1), 1.0117 / 14.38,
              0.001);
  EXPECT_EQ(hydra.gpus(), 2);
  EXPECT_EQ(tsubame.gpus(), 3);
}

TEST(ShippedPlatforms, SystemsOfTheFdtdThesisHaveItsRates) {
  const Platform p = shipped("system1-k20c");
  const double cells_per_second = 101.655e9 / 72;  // table 4.2; bytes of a cell and step in two passes of floats
  EXPECT_NEAR(seconds(p, fdtd::codelets::advance.of<float>().starpu(), UnitKind::gpu, 36 * cells_per_second), 1, 0.01);
  EXPECT_NEAR(seconds(p, fdtd::codelets::advance.of<double>().starpu(), UnitKind::gpu, 18 * cells_per_second), 1, 0.01);
  const auto cores = [&](int number) {  // MFlop/s of so many: table 2.5
    const auto& domain = fdtd::codelets::domain.of<float>().starpu();
    return number / 1e6 * 1e10 / p.cost(domain.model->symbol, domain.name, UnitKind::cpu)->of({1e10, 0, 0, number});
  };
  EXPECT_NEAR(cores(1), 3417, 1);
  EXPECT_NEAR(cores(4), 8223, 1);
  // the others by their memories
  const Platform other = shipped("system2-k40c");
  ASSERT_EQ(other.gpus(), 2);
  const auto seconds_on = [&](const starpu_codelet& codelet, int gpu, double flops) {
    const TaskCost& cost = *other.cost(codelet.model->symbol, codelet.name, UnitKind::gpu, gpu);
    return cost.of({flops, 0, 0}) - cost.seconds;
  };
  for (const auto& [gpu, bandwidth] : {std::pair{0, 288.0}, {1, 192.3}}) {
    EXPECT_NEAR(seconds_on(fdtd::codelets::advance.of<float>().starpu(), gpu, 36 * cells_per_second), 208 / bandwidth,
                0.01)
        << gpu;
    EXPECT_NEAR(seconds_on(fdtd::codelets::domain.of<double>().starpu(), gpu, 18 * cells_per_second), 208 / bandwidth,
                0.01)
        << gpu;
  }
}

TEST(ShippedPlatforms, NehalemHasTheRatesOfTheTdbemPaper) {
  const Platform p = shipped("nehalem-m2070");  // table 3, rows of 16
  EXPECT_NEAR(seconds(p, tdbem::codelets::product.of<float>().starpu(), UnitKind::gpu, 146e9), 1, 0.001);
  EXPECT_NEAR(seconds(p, tdbem::codelets::product.of<double>().starpu(), UnitKind::gpu, 82e9), 1, 0.001);
  EXPECT_NEAR(seconds(p, tdbem::codelets::product.of<float>().starpu(), UnitKind::cpu, 2.7e9), 1, 0.001);
  EXPECT_NEAR(seconds(p, tdbem::codelets::product.of<double>().starpu(), UnitKind::cpu, 2e9), 1, 0.001);
}

/// What no paper has of an M2090 follows the peaks (665 and 515 GFlop/s) or the memories (177 and 150 GB/s).
TEST(ShippedPlatforms, TheOtherNehalemIsScaled) {
  const Platform m2070 = shipped("nehalem-m2070"), m2090 = shipped("nehalem-m2090");
  const auto faster = [&](const starpu_codelet& codelet, const TaskWork& work) {
    const auto of = [&](const Platform& p) {
      const TaskCost& cost = *p.cost(codelet.model->symbol, codelet.name, UnitKind::gpu);
      return cost.of(work) - cost.seconds;
    };
    return of(m2070) / of(m2090);
  };
  EXPECT_NEAR(faster(fmm::codelets::p2p<fmm::Laplace>().starpu(), {1e12, 0, 0}), 665. / 515, 1e-3);
  EXPECT_NEAR(faster(tdbem::codelets::product.of<float>().starpu(), {1e12, 0, 0}), 665. / 515, 1e-3);
  EXPECT_NEAR(faster(cg::codelets::spmv.starpu(), {0, 1e12, 0}), 177. / 150, 1e-3);
  EXPECT_NEAR(faster(cg::codelets::axpy.starpu(), {0, 1e12, 0}), 177. / 150, 1e-3);
}

/// PCI Express 2.0 x16: table 5.1 of the FDTD thesis, 16 MiB.
TEST(ShippedPlatforms, BusesAreThoseOfTheThesis) {
  for (const char* name : {"nehalem-m2070", "nehalem-m2090", "hydra", "tsubame25"}) {
    const Platform p = shipped(name);
    EXPECT_NEAR(16777216 / p.to_gpu.at(0).bandwidth, 2.79e-3, 1e-5) << name;
    EXPECT_NEAR(16777216 / p.from_gpu.at(0).bandwidth, 2.639e-3, 1e-5) << name;
  }
}

}  // namespace
}  // namespace asterism
