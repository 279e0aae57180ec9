// SPDX-License-Identifier: Apache-2.0
// A ready task of "hprio", and a queue of them. A task is an address here: nothing knows StarPU.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <utility>

#include "schedulers/hprio/order.hpp"

namespace asterism::schedulers::hprio {

class Bucket;
constexpr unsigned max_units = 256;

/// A unit by its number, below max_units.
struct Unit {
  unsigned number = 0;
  Kind kind = Kind::cpu;
};

/// Units; without memory of its own while it is empty, as it is for most tasks.
class UnitSet {
 public:
  UnitSet() = default;
  UnitSet(const UnitSet& other) : bits_(other.any() ? std::make_unique<Bits>(*other.bits_) : nullptr) {}
  UnitSet(UnitSet&&) = default;
  UnitSet& operator=(UnitSet other) {
    bits_ = std::move(other.bits_);
    return *this;
  }
  ~UnitSet() = default;
  UnitSet& set(unsigned unit) {
    if (bits_ == nullptr) bits_ = std::make_unique<Bits>();
    bits_->set(unit);
    return *this;
  }
  [[nodiscard]] bool test(unsigned unit) const { return bits_ != nullptr && bits_->test(unit); }
  [[nodiscard]] bool any() const { return bits_ != nullptr; }

 private:
  using Bits = std::bitset<max_units>;
  std::unique_ptr<Bits> bits_;
};

/// A ready task.
struct Entry {
  void* task = nullptr;
  int priority = 0;
  PerKind<unsigned> able{};  ///< units of each kind that can run it
  bool picky = false;        ///< of those, `units` only; else all GPUs or none
  UnitSet units{};
  double speedup = 0;        ///< duration on a CPU over duration on the fastest GPU; 0: unknown
  UnitSet near{};            ///< GPUs that hold most of its data; none: no matter where it runs
  PerKind<double> length{};  ///< duration on a unit of each kind in microseconds; 0: unknown
  std::uint64_t number = 0;  ///< given on arrival
  Bucket* bucket = nullptr;  ///< likewise

  [[nodiscard]] bool runs_on(Unit unit) const { return able[at(unit.kind)] > 0 && (!picky || units.test(unit.number)); }
};

/// A queue in a ring: in the steady state it neither allocates nor frees, which std::deque does every few tasks and
/// while the bucket is locked.
class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { release(); }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] Entry& operator[](std::uint32_t place) { return ring_[(head_ + place) & (capacity_ - 1)]; }
  [[nodiscard]] const Entry& operator[](std::uint32_t place) const { return ring_[(head_ + place) & (capacity_ - 1)]; }

  Entry& push_back(const Entry& entry) {
    if (size_ == capacity_) grow();
    return *std::construct_at(&(*this)[size_++], entry);
  }
  /// Takes one out; the shorter part beside it moves up.
  Entry take(std::uint32_t place) {
    Entry taken = std::move((*this)[place]);
    if (2 * place < size_) {
      for (; place > 0; --place) (*this)[place] = std::move((*this)[place - 1]);
      std::destroy_at(&(*this)[0]);
      ++head_;
    } else {
      for (; place + 1 < size_; ++place) (*this)[place] = std::move((*this)[place + 1]);
      std::destroy_at(&(*this)[place]);
    }
    --size_;
    return taken;
  }

 private:
  void grow() {
    const std::uint32_t larger = std::max(4U, 2 * capacity_);
    Entry* const ring = std::allocator<Entry>().allocate(larger);
    for (std::uint32_t place = 0; place < size_; ++place) std::construct_at(ring + place, std::move((*this)[place]));
    release();
    ring_ = ring;
    capacity_ = larger;
    head_ = 0;
  }
  void release() {
    for (std::uint32_t place = 0; place < size_; ++place) std::destroy_at(&(*this)[place]);
    if (ring_ != nullptr) std::allocator<Entry>().deallocate(ring_, capacity_);
  }
  Entry* ring_ = nullptr;
  std::uint32_t capacity_ = 0;  ///< a power of two
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace asterism::schedulers::hprio
