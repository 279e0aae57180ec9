// SPDX-License-Identifier: Apache-2.0
// The methods of time steps in the compiled module: asterism/lbm.py, fdtd.py and tdbem.py have what users see.
#pragma once

#include <pybind11/pybind11.h>

namespace asterism::python {

void add_lbm(pybind11::module_& module);
void add_fdtd(pybind11::module_& module);
void add_tdbem(pybind11::module_& module);

}  // namespace asterism::python
