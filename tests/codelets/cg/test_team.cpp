// SPDX-License-Identifier: Apache-2.0
// The exchanges of a team between cores: what arrives, in which order it is added, and that no letter is overwritten
// before it was read, however far one member is ahead of another.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "codelets/cg/kernels/team_exchange.hpp"

namespace asterism::cg {
namespace {

constexpr int elements = 3;  // that each member needs of each other one

/// Mailboxes and places for elements of p of `size` members, as the tasks tell them each other.
struct Members {
  explicit Members(int size)
      : mailboxes(static_cast<std::size_t>(size)),
        members(static_cast<std::size_t>(size)),
        halo(static_cast<std::size_t>(size * size * elements)) {
    for (int i = 0; i < size; ++i) {
      Member& member = members[static_cast<std::size_t>(i)];
      member.mailbox = &mailboxes[static_cast<std::size_t>(i)];
      for (int j = 0; j < size; ++j) {
        member.halo[j] = halo.data() + (i * size + j) * elements;
        member.elements[j] = elements;
      }
      addresses.push_back(&member);
    }
  }

  std::vector<Mailbox> mailboxes;
  std::vector<Member> members;
  std::vector<double> halo;
  std::vector<const Member*> addresses;
};

/// A number that no other round, member and element has.
double number(std::uint64_t round, int member, int element) {
  return static_cast<double>(round) * 1000 + member * 10 + element;
}

void add_dots(Dots& sum, const Dots& other) {
  add(sum.rr, other.rr);
  add(sum.rz, other.rz);
}

/// Iterations of member `me` without anything between the exchanges but pauses; counts what is wrong.
int iterate(const Members& team, int size, int me, std::uint64_t rounds) {
  std::minstd_rand random(static_cast<unsigned>(me + 1));
  int wrong = 0;
  const auto pause = [&] {
    if (random() % 64 == 0) std::this_thread::yield();
  };
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const Sum mine{number(round, me, 0), std::ldexp(1.0, -me)};
    const Sum pq = cpu::exchange(team.addresses.data(), size, me, &Mailbox::p_dot_q, round, mine,
                                 [](Sum& sum, const Sum& other) { add(sum, other); });
    Sum expected;
    for (int k = 0; k < size; ++k) add(expected, Sum{number(round, k, 0), std::ldexp(1.0, -k)});
    wrong += pq.hi != expected.hi || pq.lo != expected.lo;
    pause();
    const Dots dots{{number(round, me, 1), 0}, {number(round, me, 2), 0}, {}};
    const Dots total = cpu::exchange(team.addresses.data(), size, me, &Mailbox::dots, round, dots, add_dots);
    Dots all;
    for (int k = 0; k < size; ++k) add_dots(all, {{number(round, k, 1), 0}, {number(round, k, 2), 0}, {}});
    wrong += total.rr.hi != all.rr.hi || total.rz.hi != all.rz.hi;
    pause();
    for (int j = 0; j < size; ++j)
      for (int e = 0; e < elements; ++e) team.members[static_cast<std::size_t>(j)].halo[me][e] = number(round, me, e);
    cpu::exchange_halo(team.addresses.data(), size, me, round);
    for (int j = 0; j < size; ++j)
      for (int e = 0; e < elements; ++e)
        wrong += team.members[static_cast<std::size_t>(me)].halo[j][e] != number(round, j, e);
    pause();
  }
  return wrong;
}

TEST(Team, EveryMemberHasWhatTheOthersSent) {
  for (const int size : {2, 3, max_team}) {
    const Members team(size);
    std::vector<int> wrong(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int me = 0; me < size; ++me)
      threads.emplace_back([&, me] { wrong[static_cast<std::size_t>(me)] = iterate(team, size, me, 400); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(static_cast<std::size_t>(size))) << size << " members";
  }
}

/// A sum of three numbers that depends on their order.
TEST(Team, ContributionsAreAddedInTheOrderOfMembers) {
  const Members team(3);
  const double of[] = {1e16, 1, -1e16};
  std::vector<double> plain(3);
  std::vector<std::thread> threads;
  for (const int me : {2, 1, 0})
    threads.emplace_back([&, me] {
      plain[static_cast<std::size_t>(me)] =
          cpu::exchange(team.addresses.data(), 3, me, &Mailbox::p_dot_q, 1, Sum{of[me], 0},
                        [](Sum& sum, const Sum& other) { sum.hi += other.hi; })
              .hi;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(plain, std::vector<double>(3, (1e16 + 1) - 1e16));
}

}  // namespace
}  // namespace asterism::cg
