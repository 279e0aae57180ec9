// SPDX-License-Identifier: Apache-2.0
// Precompiled for tests.
#include "cmake/pch/house.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
