# SPDX-License-Identifier: Apache-2.0
# lp_solve 5.5, linear and mixed-integer programs. Defines the target LpSolve::LpSolve.
find_path(LpSolve_INCLUDE_DIR lpsolve/lp_lib.h)
# position-independent, where there is a choice: the programs for simulated clusters are shared libraries
find_library(LpSolve_LIBRARY NAMES lpsolve55_pic lpsolve55 PATH_SUFFIXES lp_solve)
# Debian's development package has the static library only, which orders columns with SuiteSparse's COLAMD.
find_library(LpSolve_COLAMD_LIBRARY colamd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LpSolve REQUIRED_VARS LpSolve_LIBRARY LpSolve_INCLUDE_DIR)
if(LpSolve_FOUND AND NOT TARGET LpSolve::LpSolve)
  add_library(LpSolve::LpSolve UNKNOWN IMPORTED)
  set_target_properties(LpSolve::LpSolve PROPERTIES
    IMPORTED_LOCATION "${LpSolve_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LpSolve_INCLUDE_DIR}")
  set(LpSolve_DEPENDENCIES ${CMAKE_DL_LIBS})
  if(LpSolve_COLAMD_LIBRARY)
    list(PREPEND LpSolve_DEPENDENCIES "${LpSolve_COLAMD_LIBRARY}")
  endif()
  set_target_properties(LpSolve::LpSolve PROPERTIES INTERFACE_LINK_LIBRARIES "${LpSolve_DEPENDENCIES}"
    INTERFACE_LINK_OPTIONS "LINKER:--wrap=load_BLAS")  # bounds/linear_program.cpp
endif()
mark_as_advanced(LpSolve_INCLUDE_DIR LpSolve_LIBRARY LpSolve_COLAMD_LIBRARY)
