// SPDX-License-Identifier: Apache-2.0
// What the parts of the compiled module share: objects of the library that Python owns, words for choices, options, and
// Ctrl-C.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <asterism/session.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "python/arrays.hpp"

namespace asterism::python {

/// Owns an object whose making and ending wait for other calls, which need the interpreter's lock to finish.
template <class T>
class Unlocked {
 public:
  template <class Make>
  explicit Unlocked(const Make& make) {
    const py::gil_scoped_release unlocked;
    object_ = make();
  }
  ~Unlocked() { close(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  void close() {
    const py::gil_scoped_release unlocked;
    object_.reset();
  }
  /// Throws Error (bad_input) once it is closed.
  T& operator*() const {
    if (object_ == nullptr) bad_input("a session that was closed: expected an open one");
    return *object_;
  }
  T* operator->() const { return &**this; }

 private:
  std::unique_ptr<T> object_;
};

using PySession = Unlocked<Session>;

/// What a word stands for. Throws Error (bad_input) with all words.
template <class T>
T choice(const char* name, const std::string& value, std::initializer_list<std::pair<const char*, T>> known) {
  std::string list;
  for (const auto& [text, meaning] : known) {
    if (value == text) return meaning;
    list += (list.empty() ? "" : ", ") + std::string(text);
  }
  bad_input(std::string(name) + " " + value + ": expected one of " + list);
}

/// An option by its name, of the type that the Python part has made of it.
template <class T>
T option(const py::dict& given, const char* name) {
  return given[name].cast<T>();
}

/// Looks for Ctrl-C, and then tells the caller's function the step.
inline std::function<void(long)> interruptible_steps(const py::object& progress) {
  return [&progress](long step) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress.is_none()) progress(step);
  };
}

}  // namespace asterism::python
