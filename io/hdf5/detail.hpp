// SPDX-License-Identifier: Apache-2.0
// What the sources that call HDF5 share.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/hdf5/file.hpp"

namespace asterism::hdf5_detail {

/// An identifier of HDF5 that is closed in the end.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The innermost entry of HDF5's error stack; of a failed system call only what the system said.
std::string reason();

hid_t memory_type(Hdf5Number number);

}  // namespace asterism::hdf5_detail
