// SPDX-License-Identifier: Apache-2.0
// What every public header of Asterism begins with: which names the library shows, and the namespace that says which
// version of the interface they belong to. A program writes asterism::cg::Solver; the library's symbol is
// asterism::v0::cg::Solver, so that a program of another version does not start with it instead of failing later.
#pragma once

#define ASTERISM_EXPORT __attribute__((visibility("default")))
#define ASTERISM_HIDDEN __attribute__((visibility("hidden")))

// Inside the library the names of this namespace are apart from those of its own parts.
#ifdef asterism_EXPORTS
#define ASTERISM_BEGIN_INTERFACE namespace v0 {
#else
#define ASTERISM_BEGIN_INTERFACE inline namespace v0 {
#endif
#define ASTERISM_END_INTERFACE }
