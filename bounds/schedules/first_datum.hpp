// SPDX-License-Identifier: Apache-2.0
// LP of machines whose GPUs wait for one large datum: operators, matrices, tables that many tasks read.
#pragma once

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// Let D be the largest datum that is in main memory at first and that several tasks read before anyone writes it. A
/// unit with a memory of its own, connected with main memory only, has D at an instant s; those of its tasks that read
/// D begin after s. Let A be the tasks that do not, c_t the time that the connection into the memory needs for what a
/// task t of A reads and a copy must have brought before s, if t begins before s:
///
///   - data that are in main memory at first and that nobody wrote before t,
///   - data whose last writer before t reads D: on this unit it would begin after s, and t after it;
///
/// each counted in equal parts at all its readers of A. Until s the connection carried D, which takes l, and these
/// copies, one after the other. So with A' the tasks of A that begin before s, T being the makespan,
///
///   T >= s + sum over the other tasks of their durations p,   s >= l + sum over A' of c_t,
///   T - l >= sum over readers of D of p_t + sum over A of min(p_t, c_t).
///
/// A unit that runs no reader of D has T >= sum of all p_t. Of U units of a kind m have the first inequality, U - m the
/// second: the area LP with both as kinds, in the first a task of length l for each unit, and the least over m, of all
/// kinds that have memories.
///
/// Only data whose accesses are a chain (copy_bound.hpp). 0 where units share a memory other than main memory, memories
/// have other connections, connections share a rate, no datum is read first, or the kinds have many units; and where
/// the result would not exceed `known`.
double first_datum_bound(const Workload& work, double known = 0);

}  // namespace asterism::bounds
