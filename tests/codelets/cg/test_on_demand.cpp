// SPDX-License-Identifier: Apache-2.0
// CUDA's libraries of mathematics are loaded when they are called, and not before.
#include <cublas_v2.h>
#include <cusparse.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/on_demand.hpp"

namespace {

bool loaded(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

TEST(OnDemand, LibrariesAreLoadedWhenTheyAreCalled) {
  for (const char* library : {"libcublas", "libcusparse", "libcusolver"}) EXPECT_FALSE(loaded(library)) << library;
  EXPECT_STREQ(ASTERISM_CUSPARSE(cusparseGetErrorName)(CUSPARSE_STATUS_ALLOC_FAILED), "CUSPARSE_STATUS_ALLOC_FAILED");
  EXPECT_STREQ(ASTERISM_CUBLAS(cublasGetStatusName)(CUBLAS_STATUS_ALLOC_FAILED), "CUBLAS_STATUS_ALLOC_FAILED");
  EXPECT_TRUE(loaded("libcusparse"));
  EXPECT_TRUE(loaded("libcublas"));
}

TEST(OnDemand, WhatIsMissingIsNamed) {
  EXPECT_THROW(asterism::on_demand("libcublas.so.0", "cublasCreate_v2"), std::runtime_error);
  EXPECT_THROW(asterism::on_demand("libcudart.so", "no_such_function"), std::runtime_error);
}

}  // namespace
