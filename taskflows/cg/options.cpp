// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/options.hpp"

#include "base/error.hpp"

namespace asterism::cg {

Transfer suited_transfer(const Options& options, bool memories) {
  const bool copies = memories || options.preconditioner_flow != PreconditionerFlow::none;
  return copies && options.blocks > 1 ? Transfer::packed : Transfer::full;
}

void apply_flow_defaults(Options& options) {
  const bool naive = options.flow == Flow::naive;
  options.vector = naive ? VectorMode::blocking : VectorMode::pieces;
  options.dot = naive ? DotMode::serial : options.flow == Flow::refined ? DotMode::reduction : DotMode::gather;
  options.x_update = naive ? XUpdate::early : XUpdate::late;
}

std::string why_no_whole_iterations(const Options& o) {
  if (o.flow != Flow::fused) return "--flow " + name_of(o.flow) + "; expected fused";
  if (o.blocks > max_team)
    return "--blocks " + std::to_string(o.blocks) + "; expected at most " + std::to_string(max_team);
  if (o.blocks > 1 && o.transfer != Transfer::packed) return "--transfer full; expected packed";
  if (o.decomposition != Decomposition::one_d) return "--decomposition 2d; expected 1d";
  if (o.format != Format::sell) return "--format csr; expected sell";
  if (o.preconditioner_flow != PreconditionerFlow::none)
    return "--preconditioner " + name_of(o.preconditioner_flow) + "; expected one within the tasks of an iteration";
  if (o.vector != VectorMode::pieces) return "--vector " + name_of(o.vector) + "; expected pieces";
  return {};
}

void require_consistent(const Options& o) {
  const bool fused = o.flow == Flow::fused || o.flow == Flow::pipelined;
  if (fused && o.dot != DotMode::gather)
    bad_input("--dot {}: the {} flow adds its dot products by gather", name_of(o.dot), name_of(o.flow));
  if (fused && o.x_update != XUpdate::late)
    bad_input("--x-update early: the {} flow updates x together with p", name_of(o.flow));
  if (o.vendor && fused)
    bad_input("--vendor: the {} flow has no cuBLAS variant; use --flow naive or refined", name_of(o.flow));
  if (o.vendor && o.format != Format::csr) bad_input("--vendor: cuSPARSE needs --format csr");
  const std::string why_not = o.task == TaskSize::operation ? "" : why_no_whole_iterations(o);
  if (!why_not.empty()) bad_input("--task {}: found {}", name_of(o.task), why_not);
  if (o.preconditioner_flow != PreconditionerFlow::none && o.flow == Flow::pipelined)
    bad_input("--flow pipelined: found --preconditioner {}, which is a task flow of its own; use --flow fused",
              name_of(o.preconditioner_flow));
  if (o.blocks < 1) bad_input("--blocks {}: expected at least 1", o.blocks);
  if (o.preconditioner_block < 0 || o.preconditioner_block > 32)
    bad_input("--preconditioner-block {}: expected 1 to 32", o.preconditioner_block);
  if (!(o.tolerance >= 0)) bad_input("--tolerance {}: expected a number >= 0", o.tolerance);
  if (o.max_iterations < 0) bad_input("--max-iterations {}: expected at least 0", o.max_iterations);
  if (o.check_every < 1) bad_input("--check-every {}: expected at least 1", o.check_every);
}

std::string name_of(Flow v) {
  switch (v) {
    case Flow::naive:
      return "naive";
    case Flow::refined:
      return "refined";
    case Flow::fused:
      return "fused";
    case Flow::pipelined:
      return "pipelined";
  }
  return {};
}
std::string name_of(Decomposition v) {
  return v == Decomposition::one_d ? "1d" : "2d";
}
std::string name_of(Transfer v) {
  return v == Transfer::full ? "full" : "packed";
}
std::string name_of(PreconditionerFlow v) {
  return v == PreconditionerFlow::none ? "none" : v == PreconditionerFlow::ssor ? "ssor" : "amg";
}
std::string name_of(VectorMode v) {
  return v == VectorMode::blocking ? "blocking" : v == VectorMode::plan ? "plan" : "pieces";
}
std::string name_of(DotMode v) {
  return v == DotMode::serial ? "serial" : v == DotMode::reduction ? "reduction" : "gather";
}
std::string name_of(XUpdate v) {
  return v == XUpdate::early ? "early" : "late";
}
std::string name_of(ColumnOrder v) {
  return v == ColumnOrder::ascending ? "ascending" : "local-first";
}
std::string name_of(TaskSize v) {
  return v == TaskSize::operation ? "operation" : v == TaskSize::iterations ? "iterations" : "graph";
}
std::string name_of(Balance v) {
  return v == Balance::nonzeros ? "nonzeros" : "bytes";
}
std::string name_of(Format v) {
  return v == Format::csr ? "csr" : "sell";
}

}  // namespace asterism::cg
