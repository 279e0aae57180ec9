// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/placement_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "bounds/schedules/copy_bound.hpp"
#include "bounds/schedules/link_time.hpp"

namespace asterism::bounds {
namespace {

/// Dinic's algorithm (Soviet Math. Doklady 11, 1970).
class Flow {
 public:
  explicit Flow(std::size_t nodes) : edges_of_(nodes), level_(nodes), next_(nodes) {}
  /// Returns the edge's number.
  std::size_t edge(std::uint32_t from, std::uint32_t to) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, 0});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
    return edges_.size() - 2;
  }
  void capacity(std::size_t edge, double value) {
    edges_[edge].left = value;
    edges_[edge ^ 1].left = 0;
  }
  /// Paths that carry less than `least` are left out.
  double maximum(std::uint32_t from, std::uint32_t to, double least) {
    least_ = least;
    double flow = 0;
    while (levels(from, to)) {
      std::fill(next_.begin(), next_.end(), std::size_t{0});
      for (double pushed = -1; pushed != 0;) flow += pushed = push(from, to, std::numeric_limits<double>::infinity());
    }
    return flow;
  }
  /// After maximum(): on the side of `from`.
  [[nodiscard]] bool reached(std::uint32_t node) const { return level_[node] >= 0; }

 private:
  struct Edge {
    std::uint32_t to;
    double left;
  };
  bool levels(std::uint32_t from, std::uint32_t to) {
    std::fill(level_.begin(), level_.end(), -1);
    std::vector<std::uint32_t> queue{from};
    level_[from] = 0;
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (const std::size_t e : edges_of_[queue[at]])
        if (edges_[e].left > least_ && level_[edges_[e].to] < 0) {
          level_[edges_[e].to] = level_[queue[at]] + 1;
          queue.push_back(edges_[e].to);
        }
    return level_[to] >= 0;
  }
  double push(std::uint32_t at, std::uint32_t to, double most) {
    if (at == to) return most;
    for (std::size_t& n = next_[at]; n < edges_of_[at].size(); ++n) {
      const std::size_t e = edges_of_[at][n];
      if (!(edges_[e].left > least_) || level_[edges_[e].to] != level_[at] + 1) continue;
      const double pushed = push(edges_[e].to, to, std::min(most, edges_[e].left));
      if (!(pushed > 0)) continue;
      edges_[e].left -= pushed;
      edges_[e ^ 1].left += pushed;
      return pushed;
    }
    return 0;
  }
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<Edge> edges_;
  std::vector<int> level_;
  std::vector<std::size_t> next_;
  double least_ = 0;
};

/// Units of a kind, the time of links in one direction, or a rate that all of them share.
struct Resource {
  double amount = 0;  ///< units, links, or bytes/s
  double price = 0;
  double load = 0;  ///< seconds of work, seconds of links, or bytes
};

class Placement {
 public:
  explicit Placement(const Workload& work)
      : work_(work),
        versions_(data_versions(work)),
        flow_(nodes()),
        out_time_(work, LinkTime::Direction::from_main_memory),
        back_time_(work, LinkTime::Direction::to_main_memory) {
    sides_.assign(2 * work.kinds, false);
    kinds_.assign(work.kinds, {});
    for (const Workload::Unit& unit : work.units) {
      ++kinds_[unit.kind].amount;
      sides_[2 * unit.kind + (unit.memory == 0 ? 0 : 1)] = true;
    }
    out_.amount = out_time_.capacity();
    back_.amount = back_time_.capacity();
    bool shared = work.shared_rate > 0;  // by all links
    for (std::size_t memory = 1; memory < work.memories; ++memory)
      shared = shared && work.connection(0, memory).resource == 0 && work.connection(memory, 0).resource == 0;
    if (shared) shared_.amount = work.shared_rate;
    for (std::uint32_t t = 0; t < work.tasks(); ++t)
      if (work.runs[t])
        in_main_.push_back(flow_.edge(main_memory, node(t))), elsewhere_.push_back(flow_.edge(node(t), rest));
    auto helper = static_cast<std::uint32_t>(2 + work.tasks());
    for (const DataVersion& version : versions_) {
      const std::uint32_t from = version.writer == traces::none ? main_memory : node(version.writer);
      out_edge_.push_back(flow_.edge(from, helper));
      for (const std::uint32_t reader : version.readers) endless_.push_back(flow_.edge(helper, node(reader)));
      ++helper;
      if (version.writer == traces::none) continue;
      back_edge_.push_back(flow_.edge(helper, from));
      back_datum_.push_back(version.datum);
      for (const std::uint32_t reader : version.readers) endless_.push_back(flow_.edge(node(reader), helper));
      ++helper;
    }
  }

  /// `cuts`, if given: the kinds of the tasks in each.
  double best(int steps, std::set<std::vector<std::uint32_t>>* cuts = nullptr) {
    double best = 0;
    std::vector<Resource*> all{&out_, &back_, &shared_};
    for (Resource& kind : kinds_)
      if (kind.amount > 0) all.push_back(&kind);
    std::erase_if(all, [](const Resource* r) { return !std::isfinite(r->amount) || !(r->amount > 0); });
    if (all.empty()) return 0;
    for (Resource* r : all) r->price = 1 / (r->amount * static_cast<double>(all.size()));
    for (int step = 0; step < steps; ++step) {
      const double value = at_prices();
      if (std::isinf(value)) return impossible;
      if (cuts != nullptr) cuts->insert(kinds_of_cut());
      best = std::max(best, value);
      double largest = 0;
      for (const Resource* r : all) largest = std::max(largest, r->load / r->amount);
      if (!(largest > 0)) break;
      double sum = 0;
      for (Resource* r : all) {
        r->price = std::max(r->price * std::exp(2 / std::sqrt(1.0 + step) * (r->load / r->amount / largest - 1)),
                            1e-9 / r->amount);
        sum += r->price * r->amount;
      }
      for (Resource* r : all) r->price /= sum;
    }
    return best;
  }

 private:
  static constexpr std::uint32_t main_memory = 0;
  static constexpr std::uint32_t rest = 1;
  [[nodiscard]] static std::uint32_t node(std::uint32_t task) { return 2 + task; }
  [[nodiscard]] std::size_t nodes() const { return 2 + work_.tasks() + 2 * versions_.size(); }

  struct Cost {
    double price = impossible;
    std::size_t kind = 0;
  };
  [[nodiscard]] Cost cheapest(std::size_t task, std::size_t side) const {
    Cost best;
    for (std::size_t k = 0; k < work_.kinds; ++k)
      if (sides_[2 * k + side] && std::isfinite(work_.on(task, k)) && kinds_[k].price * work_.on(task, k) < best.price)
        best = {kinds_[k].price * work_.on(task, k), k};
    return best;
  }

  [[nodiscard]] std::vector<std::uint32_t> kinds_of_cut() const {
    std::vector<std::uint32_t> kinds(work_.tasks(), traces::none);
    for (std::uint32_t t = 0; t < work_.tasks(); ++t)
      if (work_.runs[t]) kinds[t] = static_cast<std::uint32_t>(cheapest(t, flow_.reached(node(t)) ? 0 : 1).kind);
    return kinds;
  }

  /// Price of the datum's way over a link.
  [[nodiscard]] double cost(std::uint32_t datum, const Resource& link, const LinkTime& time) const {
    const double bytes = work_.bytes[datum];
    return link.price * time.seconds(bytes) + shared_.price * bytes;
  }

  /// The flow at the prices, which are normalised; loads are those of the cut.
  double at_prices() {
    std::size_t i = 0;
    for (std::size_t t = 0; t < work_.tasks(); ++t) {
      if (!work_.runs[t]) continue;
      const double here = cheapest(t, 0).price;
      const double there = cheapest(t, 1).price;
      if (std::isinf(here) && std::isinf(there)) return impossible;
      flow_.capacity(in_main_[i], there);
      flow_.capacity(elsewhere_[i++], here);
    }
    for (std::size_t v = 0; v < versions_.size(); ++v)
      flow_.capacity(out_edge_[v], cost(versions_[v].datum, out_, out_time_));
    for (std::size_t v = 0; v < back_edge_.size(); ++v)
      flow_.capacity(back_edge_[v], cost(back_datum_[v], back_, back_time_));
    for (const std::size_t e : endless_) flow_.capacity(e, impossible);
    const double value = flow_.maximum(main_memory, rest, scale_ * 1e-12);
    scale_ = std::max(scale_, value);
    out_.load = back_.load = shared_.load = 0;
    for (Resource& kind : kinds_) kind.load = 0;
    for (std::uint32_t t = 0; t < work_.tasks(); ++t) {
      if (!work_.runs[t]) continue;
      const Cost cost = cheapest(t, flow_.reached(node(t)) ? 0 : 1);
      if (std::isfinite(cost.price)) kinds_[cost.kind].load += work_.on(t, cost.kind);
    }
    for (const DataVersion& version : versions_) {
      const bool made_here = version.writer == traces::none || flow_.reached(node(version.writer));
      if (std::none_of(version.readers.begin(), version.readers.end(),
                       [&](std::uint32_t reader) { return flow_.reached(node(reader)) != made_here; }))
        continue;
      const double bytes = work_.bytes[version.datum];
      (made_here ? out_ : back_).load += (made_here ? out_time_ : back_time_).seconds(bytes);
      shared_.load += bytes;
    }
    return value;
  }

  const Workload& work_;
  std::vector<DataVersion> versions_;
  Flow flow_;
  std::vector<bool> sides_;  ///< [2 kind + side]: the kind has units in main memory (0), elsewhere (1)
  std::vector<Resource> kinds_;
  LinkTime out_time_;
  LinkTime back_time_;
  Resource out_;
  Resource back_;
  Resource shared_;  ///< amount 0: none
  std::vector<std::size_t> in_main_;
  std::vector<std::size_t> elsewhere_;
  std::vector<std::size_t> out_edge_;
  std::vector<std::size_t> back_edge_;
  std::vector<std::uint32_t> back_datum_;
  std::vector<std::size_t> endless_;
  double scale_ = 0;
};

}  // namespace

double placement_bound(const Workload& work, int steps) {
  if (work.memories < 2) return 0;
  return Placement(work).best(steps);
}

std::vector<std::vector<std::uint32_t>> placements(const Workload& work, int steps) {
  std::set<std::vector<std::uint32_t>> cuts;
  if (work.memories > 1) Placement(work).best(steps, &cuts);
  return {cuts.begin(), cuts.end()};
}

}  // namespace asterism::bounds
