// SPDX-License-Identifier: Apache-2.0
// What is a function in a file, where it begins and how long it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/structure/checker/functions.hpp"

namespace {

using namespace asterism::structure;
using Names = std::vector<std::string>;

/// "name line lines" of each function, in the order of their ends.
Names found_in(const std::string& text) {
  Names names;
  for (const Function& function : functions(split_lines(text))) {
    names.push_back(fmt::format("{} {} {}", function.name, function.line, function.lines));
  }
  return names;
}

TEST(Functions, FreeFunctionsInNamespaces) {
  EXPECT_EQ(found_in(R"(#include <map>
namespace a::b {
namespace {

int one(int x) {
  return x;
}

}  // namespace

/// Comment {
template <class T, class U = std::map<T, T>>
[[nodiscard]] std::map<T, U> two(const T& first,
                                 int second = 3) {
  if (first) {
    return {};
  }
}
extern "C" {
void three() {
}
}
}  // namespace a::b
)"),
            (Names{"one 5 3", "two 12 7", "three 20 2"}));
}

TEST(Functions, MembersConstructorsAndOperators) {
  EXPECT_EQ(found_in(R"(template <class T>
class A : public B<T> {
 public:
  explicit A(int x)
      : b_{x},
        c_(x) {
    check();
  }
  bool operator()(int x) const noexcept override {
    return x == 0;
  }
  A& operator=(const A& other) {
    return *this;
  }

 private:
  struct alignas(64) Inner {
    void f() {
      g();
    }
    int size = 0;
  };
  enum class Kind {
    one,
  };
  std::vector<int> table_ = {
      1,
  };
};

A::A() : b_{1}, c_{2} {
  check();
}
bool A::operator==(const A& other) const {
  return true;
}
auto A::size() const -> std::size_t {
  return 0;
}
)"),
            (Names{"A 4 5", "operator() 9 3", "operator= 12 3", "f 18 3", "A::A 31 3", "A::operator== 34 3",
                   "A::size 37 3"}));
}

TEST(Functions, LambdasAreLinesOfTheirFunctionOrHaveAName) {
  EXPECT_EQ(found_in(R"(void f() {
  const auto g = [&](int x) {
    return x;
  };
  struct Local {
    void h() {
    }
  };
}

const auto compare = [](int a, int b) {
  return a < b;
};
)"),
            (Names{"f 1 9", "compare 11 3"}));
}

TEST(Functions, InitialisersTypesAndConceptsAreNone) {
  EXPECT_EQ(found_in(R"(constexpr int table[] = {
    1,
};
const std::map<int, int> numbers{
    {1, 2},
};
enum class Kind : int {
  one,
};
template <class T>
concept Number = requires(T t) {
  t + t;
};
struct Options;
void declared(int x);
void empty() {}
)"),
            Names{});
}

TEST(Functions, StringsCommentsAndThePreprocessorHaveNoBraces) {
  EXPECT_EQ(found_in(R"_(#define MANY(x) \
void x() {          \
}
void f() {
  // }
  const char* a = "}";
  const char* b = R"(
}
)";
#ifdef ASTERISM_CUDA
  if (gpu) {
#else
  if (cpu) {
#endif
  }
/*
}
*/
}
void g() {
}
)_"),
            (Names{"f 4 16", "g 20 2"}));
}

TEST(Functions, TestsAndKernelsHaveTheirNames) {
  EXPECT_EQ(found_in(R"(TEST_F(Area, SingleKind) {
  EXPECT_TRUE(true);
}
TYPED_TEST(Tiles, Of) {
}
template <int n, class T>
__global__ void __launch_bounds__(size(n)) steps_kernel(const T* x,
                                                        T* y) {
}
)"),
            (Names{"TEST_F(Area, SingleKind) 1 3", "TYPED_TEST(Tiles, Of) 4 2", "steps_kernel 6 4"}));
}

}  // namespace
