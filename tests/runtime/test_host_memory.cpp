// SPDX-License-Identifier: Apache-2.0
// Pieces of main memory: aligned, zero, apart from each other, and alive as long as they are held.
#include "runtime/memory/host_memory.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

namespace asterism {
namespace {

void expect_pieces() {
  std::vector<std::pair<HostBuffer<char>, std::size_t>> held;
  std::map<std::uintptr_t, std::uintptr_t> taken;
  // small ones, some of a chunk's size and beyond, in turn
  const std::vector<std::size_t> sizes{
      1, 255, 257, 4096, 100'000, 3'000'000, std::size_t{20} << 20, std::size_t{65} << 20};
  for (int round = 0; round < 6; ++round)
    for (const std::size_t size : sizes) {
      HostBuffer<char> piece(size);
      ASSERT_EQ(piece.size(), size);
      const auto begin = reinterpret_cast<std::uintptr_t>(piece.data());
      EXPECT_EQ(begin % 256, 0U);
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) EXPECT_EQ(piece[at], 0);
      std::memset(piece.data(), round + 1, size);
      const auto next = taken.upper_bound(begin);
      EXPECT_TRUE(next == taken.end() || begin + size <= next->first);
      EXPECT_TRUE(next == taken.begin() || std::prev(next)->second <= begin);
      taken[begin] = begin + size;
      held.emplace_back(std::move(piece), static_cast<std::size_t>(round + 1));
    }
  // what is left when others are gone
  for (std::size_t i = 0; i < held.size(); i += 2) held[i].first = HostBuffer<char>();
  for (std::size_t i = 1; i < held.size(); i += 2)
    for (const std::size_t at : {std::size_t{0}, held[i].first.size() - 1})
      EXPECT_EQ(static_cast<std::size_t>(held[i].first[at]), held[i].second);
}

TEST(HostMemory, WithoutASession) {
  expect_pieces();
}

TEST(HostMemory, InASession) {
  ASSERT_EQ(starpu_init(nullptr), 0);
  expect_pieces();
  starpu_shutdown();
}

TEST(HostMemory, OutlivesTheSession) {
  ASSERT_EQ(starpu_init(nullptr), 0);
  HostBuffer<double> piece(1000);
  starpu_shutdown();
  piece[999] = 2;
  EXPECT_EQ(piece[999], 2);
}

TEST(HostMemory, FromSeveralThreads) {
  std::vector<std::vector<HostBuffer<int>>> of(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < of.size(); ++t)
      threads.emplace_back([&of, t] {
        for (std::size_t i = 1; i < 2000; ++i) {
          HostBuffer<int> piece(i);
          for (std::size_t k = 0; k < i; ++k) piece[k] = static_cast<int>(t * 10000 + i);
          of[t].push_back(std::move(piece));
        }
      });
  }
  for (std::size_t t = 0; t < of.size(); ++t)
    for (std::size_t i = 1; i < 2000; ++i)
      for (std::size_t k = 0; k < i; ++k) ASSERT_EQ(of[t][i - 1][k], static_cast<int>(t * 10000 + i));
}

TEST(HostMemory, NothingAndTooMuch) {
  EXPECT_EQ(HostBuffer<double>(0).data(), nullptr);
  EXPECT_THROW(HostBuffer<double>(std::size_t{1} << 59), std::bad_alloc);
}

}  // namespace
}  // namespace asterism
