// SPDX-License-Identifier: Apache-2.0
// The matrix product q <- A p, block by block.
#include "taskflows/cg/flow.hpp"

namespace asterism::cg {
namespace {

/// Block k of a block-row: q_i <- A_ij p_j or q_i += A_ij p_j and, when `dot`, its share of p.q.
void submit_block(System& sys, const System::Block& block, bool first, bool dot) {
  const Exchange::Inputs in = sys.p.inputs(block.i, block.j);
  const bool by_block = sys.dots_by_block();
  codelets::SpmvArgs args{};
  args.layout = block.layout;
  args.x_offset = in.x_offset;
  args.write = first ? codelets::Write::replace : codelets::Write::add;
  args.dot = !dot ? ProductDot::none : by_block ? ProductDot::own : ProductDot::total;
  args.dot_input = in.local;
  args.dot_offset = in.local_offset;
  args.gpus = &sys.gpus;
  std::vector<Access> accesses{{block.handle, STARPU_R}, {sys.q[block.i], first ? STARPU_W : STARPU_RW}};
  if (dot) accesses.push_back({sys.sum_of(block.i), by_block && !first ? STARPU_RW : STARPU_W});
  // 2D: p_i is read for the dot product only
  const bool all_inputs = dot || in.handles.size() < 2 || sys.options.decomposition == Decomposition::one_d;
  const std::size_t inputs = all_inputs ? in.handles.size() : 1;
  for (std::size_t h = 0; h < inputs; ++h) accesses.push_back({in.handles[h], STARPU_R});
  submit(dot && sys.blocks() > 1 ? codelets::spmv_dot : codelets::spmv, args, accesses);
}

}  // namespace

void submit_product(System& sys, ProductSums sums) {
  // q_i <- sum over j of A_ij p_j;  {p.q}_i with the last block, or by block
  for (const auto& row : sys.rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool dot = sums == ProductSums::p_dot_q && (sys.dots_by_block() || k + 1 == row.size());
      submit_block(sys, row[k], k == 0, dot);
    }
  sys.p.receive_all();
  // what block-rows of other ranks need of this one is sent: the products with it run there
  for (const int i : sys.p.neighbours()) {
    std::vector<Access> accesses;
    for (const starpu_data_handle_t input : sys.p.read_by(i)) accesses.push_back({input, STARPU_R});
    submit(codelets::spmv.starpu(), codelets::NoArgs{}, accesses, {.rank = sys.partition.owner(i)});
  }
}

}  // namespace asterism::cg
