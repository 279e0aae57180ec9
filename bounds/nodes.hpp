// SPDX-License-Identifier: Apache-2.0
// Bounds over nodes, where data have owners and a task runs on a unit of the rank that owns what it writes.
#pragma once

#include <optional>
#include <vector>

#include "bounds/area.hpp"
#include "bounds/network.hpp"

namespace asterism::bounds {

/// One rank's part.
struct NodeBound {
  double tasks = 0;
  std::vector<UnitKind> kinds;  ///< its units
  double area = 0;              ///< LP of its tasks on its units, s
  double fitting = 0;           ///< LP where tasks fit, of these
  double best_rates = 0;        ///< LP~ of these
  Volume volume;                ///< bytes
};

/// With C_r the classes of the tasks of rank r, N_c tasks in class c, P_rk units of kind k on rank r, t_ck the duration
/// on kind k as measured on that rank (on all ranks where it has none), x_ck the share of class c done by kind k:
///
///   LP per node    T >= max_r T_r,  T_r = min T  s.t.  sum_{c in C_r} N_c t_ck x_ck <= P_rk T,  sum_k x_ck = 1, x >= 0
///   LP             T  = min T  s.t.  sum_r sum_{c in C_r} N_c t_ck x_ck <= sum_r P_rk T,  the same x
///
/// LP deals the same tasks, each as long as on its own rank, freely over the units of all nodes. LP <= LP per node: the
/// shares that attain the T_r meet LP's constraints with T = max_r T_r, as adding up those of all ranks shows. Their
/// quotient is the imbalance of the distribution: 1 when no other owners could help. LP per node <= makespan as LP is
/// (bounds.hpp), rank by rank.
///
///   path with messages   the longest path, sum of min t over its tasks and of latency + bytes / bandwidth over the
///                        messages between them
///   network              T >= max_r max(bytes sent by r, bytes received by r) / bytes per second of a rank
///
/// Both hold for the recorded run when the network is the recording's own (network_of).
struct NodeBounds {
  std::vector<NodeBound> rank;
  double area = 0;                      ///< LP per node
  double fitting = 0;                   ///< LP per node where tasks fit
  double best_rates = 0;                ///< LP~ per node
  double imbalance = 1;                 ///< LP per node / LP
  std::optional<Network> network;       ///< where asked for
  double network_seconds = 0;           ///< the network's bound
  double path_with_messages = 0;        ///< s; with a network and dependencies
  std::uint64_t messages_on_path = 0;   ///< of that path
  std::uint64_t messages_in_graph = 0;  ///< that are dependencies
};

/// LP, LP where tasks fit and LP~ per node; `rank_of_class`: of each class of `area` and `best_rates`, which have the
/// same classes. Throws Error as solve_area does.
NodeBounds solve_nodes(const AreaProblem& area, const AreaProblem& best_rates,
                       const std::vector<std::uint32_t>& rank_of_class, const traces::Recording& recording);

}  // namespace asterism::bounds
