# MUMPS without MPI, the sparse direct solver, in double and single precision. Defines the target Mumps::Mumps.
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
mark_as_advanced(Mumps_INCLUDE_DIR Mumps_LIBRARY Mumps_single_LIBRARY)
