// SPDX-License-Identifier: Apache-2.0
// What a user reads when a process of a run over several is killed: mpirun ends the others with SIGTERM, and one of
// them says which ranks are missing and how to resume before it ends, too.
#pragma once

#include <string>

namespace asterism {

struct RankProcess {
  int process = 0;
  char host[64] = {};
};

RankProcess this_rank();
/// In the order of ranks, this one included.
void add_rank(RankProcess process);
/// From now on.
void tell_of_deaths(int this_rank);
/// Nothing is told any more.
void forget_ranks();
/// The end of what is told.
void advise(const std::string& text);

}  // namespace asterism
