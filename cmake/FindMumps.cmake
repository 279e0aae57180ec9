# SPDX-License-Identifier: Apache-2.0
# MUMPS, the sparse direct solver, in double and single precision. Defines the target Mumps::Mumps, without MPI, and if
# it is there Mumps::Parallel, with MPI. They name the same things: never link both.
# Its libraries bring stand-ins for MPI along, MPI_Init among them: a program of several processes has to name MPI before
# them when it is linked, or it gets theirs.
find_path(Mumps_INCLUDE_DIR dmumps_c.h)
find_library(Mumps_LIBRARY dmumps_seq)
find_library(Mumps_single_LIBRARY smumps_seq)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Mumps REQUIRED_VARS Mumps_LIBRARY Mumps_single_LIBRARY Mumps_INCLUDE_DIR)
if(Mumps_FOUND AND NOT TARGET Mumps::Mumps)
  add_library(Mumps::Mumps UNKNOWN IMPORTED)
  set_target_properties(Mumps::Mumps PROPERTIES
    IMPORTED_LOCATION "${Mumps_LIBRARY}" INTERFACE_LINK_LIBRARIES "${Mumps_single_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Mumps_INCLUDE_DIR}")
endif()
find_library(Mumps_parallel_LIBRARY dmumps)
find_library(Mumps_parallel_single_LIBRARY smumps)
if(Mumps_FOUND AND Mumps_parallel_LIBRARY AND Mumps_parallel_single_LIBRARY AND NOT TARGET Mumps::Parallel)
  add_library(Mumps::Parallel UNKNOWN IMPORTED)
  set_target_properties(Mumps::Parallel PROPERTIES
    IMPORTED_LOCATION "${Mumps_parallel_LIBRARY}" INTERFACE_LINK_LIBRARIES "${Mumps_parallel_single_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Mumps_INCLUDE_DIR}")
endif()
mark_as_advanced(Mumps_INCLUDE_DIR Mumps_LIBRARY Mumps_single_LIBRARY
  Mumps_parallel_LIBRARY Mumps_parallel_single_LIBRARY)
