# What every target of Asterism has in common.

add_library(asterism_options INTERFACE)
target_compile_features(asterism_options INTERFACE cxx_std_20)
target_include_directories(asterism_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_compile_options(asterism_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>"
  # StarPU records where tasks are submitted: the same on every machine.
  "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>"
  # GCC 12 sees overflows in fmt and std::string that are not there.
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow;-Wno-restrict>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASTERISM_WERROR}>>:-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>")
if(ASTERISM_SANITIZE)
  target_compile_definitions(asterism_options INTERFACE ASTERISM_SANITIZE)
  target_compile_options(asterism_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>")
  target_link_options(asterism_options INTERFACE -fsanitize=address,undefined)
endif()
if(ASTERISM_CUDA)
  target_compile_definitions(asterism_options INTERFACE ASTERISM_CUDA)
endif()
if(ASTERISM_SIMGRID)
  target_compile_definitions(asterism_options INTERFACE ASTERISM_SIMGRID)
endif()
if(ASTERISM_SMPI)
  target_compile_definitions(asterism_options INTERFACE ASTERISM_SMPI)
  # a process holds a copy of the program for each rank: nothing is the same in two of them
  target_compile_options(asterism_options INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>")
endif()

# StarPU's headers are C and warn under our flags: seen as system headers.
add_library(asterism_starpu INTERFACE)
target_include_directories(asterism_starpu SYSTEM INTERFACE ${STARPU_INCLUDE_DIRS})
target_link_libraries(asterism_starpu INTERFACE ${STARPU_LINK_LIBRARIES} Threads::Threads)
if(ASTERISM_CUDA)
  target_include_directories(asterism_starpu SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()

# StarPU between processes, for taskflows/runtime alone.
if(ASTERISM_MPI)
  add_library(asterism_starpu_mpi INTERFACE)
  target_include_directories(asterism_starpu_mpi SYSTEM INTERFACE ${STARPUMPI_INCLUDE_DIRS})
  if(ASTERISM_SMPI)
    target_include_directories(asterism_starpu_mpi SYSTEM INTERFACE ${SMPI_INCLUDE_DIR})
    target_link_libraries(asterism_starpu_mpi INTERFACE ${STARPUMPI_LINK_LIBRARIES})
  else()
    target_link_libraries(asterism_starpu_mpi INTERFACE ${STARPUMPI_LINK_LIBRARIES} MPI::MPI_CXX)
    # MPI_Init and its like are those of the first library that has them, and MUMPS brings stand-ins: with MUMPS comes
    # MPI, named by the program itself.
    set_property(TARGET Mumps::Mumps APPEND PROPERTY INTERFACE_LINK_OPTIONS
      "LINKER:--push-state,--no-as-needed" ${MPI_CXX_LIBRARIES} "LINKER:--pop-state")
  endif()
endif()

# asterism_library(NAME sources...): a static library of the house, linked into programs and tests.
function(asterism_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC asterism_options)
endfunction()
