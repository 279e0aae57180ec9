// SPDX-License-Identifier: Apache-2.0
// How fast units are: measured once by a small domain of the same kind (the thesis' micro-benchmark), kept in a file;
// what each rank of a cluster gets then; and when the cut should move.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/machine/unit_rates.hpp"
#include "taskflows/fdtd/division.hpp"

namespace asterism::fdtd {

/// Names of the rates of such domains among those known: "fdtd/double/vacuum".
std::string kind_of(const Problem& problem);
/// What each GPU of this session should get of such a domain in proportion, where they are of several models: known, or
/// measured and kept, as rates_of() does. Empty where all are alike.
std::vector<double> gpu_weights_of(const Problem& problem, const Session& session, KnownRates& known);
/// Rates of this session's units for domains of this size class, precision and kind of media: known, or measured, some
/// tenths of a second, and kept. `gpu_weights`: of strips; empty: all the same.
Rates rates_of(const Problem& problem, const Session& session, KnownRates& known,
               const std::vector<double>& gpu_weights = {});

/// What the choice of units depends on; nothing where the options say how the domain is cut or placed. Both are kept by
/// reference.
std::optional<StepWork> step_work_of(const DivisionOptions& options, const Problem& problem);
/// Name, among the known rates, of the share of the cores once it has settled.
std::string cores_share_name(const Problem& problem, const Session& session);

/// The part of GPUs in the domain, and the rates that it follows from where these had to be looked up.
struct GpuShare {
  double share = 0;
  std::optional<Rates> rates;
};
/// As the options say, as it has settled in an earlier run, as it was chosen with the units, or by rates. `measuring`
/// is told before rates are measured.
GpuShare gpu_share_of(const DivisionOptions& options, const Problem& problem, const Session& session,
                      const std::optional<double>& chosen, KnownRates& known, const std::vector<double>& gpu_weights,
                      const std::function<void()>& measuring);

/// What is dealt to ranks: strips, to all their units; boxes, to their GPUs if they have any, else to their cores; or
/// whole domains, to all their units.
enum class Pieces { strips, boxes, domains };

struct RankShares {
  std::vector<RankShare> ranks;
  std::optional<Rates> rates;  ///< of the units of all ranks together, where they were measured
};
/// In proportion to how fast the units of ranks are. Ranks with the same processors and GPUs are taken for equally fast
/// by unit; rates are measured, on all ranks at the same time, where that does not settle it: ranks are not alike, or
/// `gpu_share`, of the cells of strips, is not given. A rank's GPUs of several models are weighed by measuring, unless
/// `gpu_weights` says what each of a rank's gets. All ranks have to call it. Throws Error (bad input) when there is a
/// part for a kind of unit that no rank has.
RankShares rank_shares(const Problem& problem, const Session& session, Pieces pieces, std::optional<double> gpu_share,
                       KnownRates& known, const std::vector<double>& gpu_weights = {});

/// The share of GPUs to go on with after cells/s of the whole were measured beside the rates of both kinds: all, where
/// GPUs alone would be faster than both together are; none where the cut may stay.
std::optional<double> better_share(const Problem& problem, double share_now, const Rates& busy, double together,
                                   double gpus_alone);

}  // namespace asterism::fdtd
