// SPDX-License-Identifier: Apache-2.0
// What must cross the links at least: the bytes that a kind of unit with its own memory receives for the tasks it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// A term that keeps the LP a lower bound. A handle counts when its first content lies in main memory at the beginning:
/// its first access is a read. Let R be the tasks up to and including the first that writes it, which read that first
/// content. If any of them runs on kind k, whose units have their own memories, the handle's b bytes enter k's
/// memories from outside at least once, so with x_wk = 1 when task w runs on k
///
///   bytes received by k  >=  sum over handles of b max_{w in R} x_wk  >=  sum over handles of b/|R| sum_{w in R} x_wk,
///
/// linear in x: task w weighs the sum of b/|R| over the handles it reads so. All memories of k receive at most
/// (memories of k) B bytes per second from outside, B being the best rate of a link into one of them. Left out, each
/// making the bound smaller: results that travel back, content written by other tasks, latencies, copies between
/// memories of one kind.
///
/// Where the data were: transfers that name their handles show it. A handle counts when its first transfer, inside the
/// recording, is from main memory to a device, before a task uses it there. A handle whose transfers show otherwise,
/// or that was never transferred, is left out: data written as part of a larger handle, or left on a device by what ran
/// before the window. When no transfer names a handle, every handle whose first access is a read is assumed to lie in
/// main memory (`assumed`). Handles that are parts of others count as data of their own.
struct Communication {
  std::vector<double> bytes;      ///< per task of the recording: its weight
  std::vector<double> bandwidth;  ///< per kind of the recording: B; 0 for a kind that works in main memory
  std::vector<double> memories;   ///< per kind: memories per unit (less than one when units share one)
  std::uint64_t handles = 0;      ///< that count
  double total = 0;               ///< their bytes
  std::uint64_t left_out = 0;     ///< handles read first, of which nothing shows where they were
  bool assumed = false;           ///< nothing shows where any data were
  std::vector<std::string> notes;
};

/// `platform`: where bandwidths are taken from; nullptr: the best that the recording's transfers achieve on a link, the
/// larger of the fastest transfer's rate and of bytes over busy time into a memory (concurrent transfers), so that the
/// recorded run itself respects the bound.
Communication communication(const traces::Recording& recording, const traces::PlatformRec* platform = nullptr);

}  // namespace asterism::bounds
