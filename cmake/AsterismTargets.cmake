# What the targets of Asterism have in common.
#
# A library of the house is made of all sources in its folders. Those that never see StarPU are built once. Those that do
# exist in up to three variants, one for each StarPU: the ordinary one, one over SimGrid (suffix _simulated, for machines)
# and one over SimGrid's SMPI (suffix _clusters).

add_library(asterism_options INTERFACE)
target_compile_features(asterism_options INTERFACE cxx_std_20)
target_include_directories(asterism_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_link_libraries(asterism_options INTERFACE fmt::fmt OpenMP::OpenMP_CXX)
target_compile_definitions(asterism_options INTERFACE ASTERISM_VERSION="${PROJECT_VERSION}")
target_compile_options(asterism_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>"
  # StarPU records where tasks are submitted: the same on every machine.
  "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>"
  # GCC 12 warns of overflows in fmt and std::string that cannot happen.
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>"
  # A process that simulates a cluster holds a copy of the program for each rank: no symbol may be shared by two of them.
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASTERISM_WERROR}>>:-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>")
if(ASTERISM_SANITIZE)
  target_compile_definitions(asterism_options INTERFACE ASTERISM_SANITIZE)
  target_compile_options(asterism_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>")
  target_link_options(asterism_options INTERFACE -fsanitize=address,undefined)
endif()

# asterism_starpu_interface(SUFFIX PREFIX): the StarPU of a variant. Its headers are C and warn under our flags: seen as
# system headers.
function(asterism_starpu_interface suffix prefix)
  add_library(asterism_starpu${suffix} INTERFACE)
  target_include_directories(asterism_starpu${suffix} SYSTEM INTERFACE ${${prefix}_INCLUDE_DIRS})
  target_link_libraries(asterism_starpu${suffix} INTERFACE ${${prefix}_LINK_LIBRARIES} Threads::Threads)
endfunction()

asterism_starpu_interface("" STARPU)
if(ASTERISM_CUDA)
  target_compile_definitions(asterism_starpu INTERFACE ASTERISM_CUDA)
  target_include_directories(asterism_starpu SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()
set(ASTERISM_VARIANTS ordinary)
if(ASTERISM_STARPU_SIMGRID)
  asterism_starpu_interface(_simulated STARPU_SIMGRID)
  target_compile_definitions(asterism_starpu_simulated INTERFACE ASTERISM_SIMGRID)
  list(APPEND ASTERISM_VARIANTS _simulated)
endif()
if(ASTERISM_STARPU_SMPI)
  asterism_starpu_interface(_clusters STARPU_SMPI)
  target_compile_definitions(asterism_starpu_clusters INTERFACE ASTERISM_SIMGRID ASTERISM_SMPI)
  list(APPEND ASTERISM_VARIANTS _clusters)
endif()

# StarPU between processes, for runtime/ alone.
if(ASTERISM_MPI)
  add_library(asterism_starpu_mpi INTERFACE)
  target_include_directories(asterism_starpu_mpi SYSTEM INTERFACE ${STARPUMPI_INCLUDE_DIRS})
  target_link_libraries(asterism_starpu_mpi INTERFACE ${STARPUMPI_LINK_LIBRARIES} MPI::MPI_CXX)
  # MPI_Init and its like are those of the first library that has them, and MUMPS brings stand-ins: with MUMPS comes
  # MPI, named by the program itself.
  set_property(TARGET Mumps::Mumps APPEND PROPERTY INTERFACE_LINK_OPTIONS
    "LINKER:--push-state,--no-as-needed" ${MPI_CXX_LIBRARIES} "LINKER:--pop-state")
endif()
if(ASTERISM_STARPU_SMPI)
  add_library(asterism_starpu_mpi_clusters INTERFACE)
  target_include_directories(asterism_starpu_mpi_clusters SYSTEM INTERFACE
    ${STARPUMPI_SMPI_INCLUDE_DIRS} ${SMPI_INCLUDE_DIR})
  target_link_libraries(asterism_starpu_mpi_clusters INTERFACE ${STARPUMPI_SMPI_LINK_LIBRARIES})
endif()

# Precompiled headers, one for all targets that are compiled alike. asterism_pch(NAME HEADER libraries...): the target that
# makes it; asterism_use_pch(TARGET NAME).
function(asterism_pch name header)
  file(WRITE "${PROJECT_BINARY_DIR}/pch/${name}.cpp.new" "// Makes the precompiled header of ${name}.\n")
  file(COPY_FILE "${PROJECT_BINARY_DIR}/pch/${name}.cpp.new" "${PROJECT_BINARY_DIR}/pch/${name}.cpp" ONLY_IF_DIFFERENT)
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/pch/${name}.cpp")
  target_link_libraries(${name} PRIVATE asterism_options ${ARGN})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overread>")
  target_precompile_headers(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/pch/${header}>")
endfunction()
function(asterism_use_pch target name)
  if(ASTERISM_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
    # GCC 12 forgets that these headers are the system's
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overread>")
  endif()
endfunction()
if(ASTERISM_PCH)
  asterism_pch(asterism_pch_house house.hpp)
  foreach(variant IN LISTS ASTERISM_VARIANTS)
    string(REPLACE "ordinary" "" suffix "${variant}")
    asterism_pch(asterism_pch_starpu${suffix} starpu.hpp asterism_starpu${suffix})
    asterism_pch(asterism_pch_apps${suffix} apps.hpp
      asterism_starpu${suffix} CLI11::CLI11 nlohmann_json::nlohmann_json)
    target_compile_options(asterism_pch_apps${suffix} PRIVATE -O1)
  endforeach()
endif()

# asterism_sources(OUT FOLDERS folders... PATTERNS patterns... EXCEPT names...): the sources in these folders.
function(asterism_sources out)
  cmake_parse_arguments(ARG "" "" "FOLDERS;PATTERNS;EXCEPT" ${ARGN})
  set(found)
  foreach(folder IN LISTS ARG_FOLDERS)
    foreach(pattern IN LISTS ARG_PATTERNS)
      file(GLOB here CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${pattern}")
      list(APPEND found ${here})
    endforeach()
  endforeach()
  foreach(name IN LISTS ARG_EXCEPT)
    list(FILTER found EXCLUDE REGEX "/${name}$")
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# asterism_library(NAME [KERNELS] [FOLDERS folders...] [EXCEPT names...] [SOURCES files...] [PUBLIC ...] [PRIVATE ...]): a
# static library that does not see StarPU. KERNELS are compiled with options of their own, without precompiled headers.
function(asterism_library name)
  cmake_parse_arguments(ARG "KERNELS" "" "FOLDERS;EXCEPT;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  asterism_sources(sources FOLDERS ${ARG_FOLDERS} PATTERNS *.cpp EXCEPT ${ARG_EXCEPT})
  add_library(${name} STATIC ${sources} ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC asterism_options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if(NOT ARG_KERNELS)
    asterism_use_pch(${name} asterism_pch_house)
  endif()
endfunction()

# asterism_cuda_kernels(TARGET FOLDERS folders...): adds what these folders have for GPUs, where there is CUDA.
function(asterism_cuda_kernels target)
  cmake_parse_arguments(ARG "" "" "FOLDERS" ${ARGN})
  if(ASTERISM_CUDA)
    asterism_sources(cuda FOLDERS ${ARG_FOLDERS} PATTERNS *.cu *_cuda.cpp)
    target_sources(${target} PRIVATE ${cuda})
    target_compile_definitions(${target} PRIVATE ASTERISM_CUDA)
    target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(${target} PUBLIC CUDA::cudart)
  endif()
endfunction()

# asterism_kernels(METHOD [FOLDERS folders...] [PUBLIC ...] [PRIVATE ...]): the mathematics of a method, on CPUs and with
# CUDA on GPUs: asterism_METHOD_kernels.
function(asterism_kernels method)
  cmake_parse_arguments(ARG "" "" "FOLDERS;PUBLIC;PRIVATE" ${ARGN})
  set(name asterism_${method}_kernels)
  asterism_library(${name} KERNELS FOLDERS ${ARG_FOLDERS} EXCEPT "[^/]*_cuda.cpp" PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  asterism_cuda_kernels(${name} FOLDERS ${ARG_FOLDERS})
endfunction()

# The target of a variant: NAME itself, or with its suffix; libraries without variants are the same for all.
function(asterism_variant out suffix)
  set(names)
  foreach(name IN LISTS ARGN)
    if(NOT suffix STREQUAL "ordinary" AND TARGET ${name}${suffix})
      list(APPEND names ${name}${suffix})
    else()
      list(APPEND names ${name})
    endif()
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# Arguments and reporting: compiled fast rather than well, and with the precompiled headers of programs.
function(asterism_as_app target suffix)
  target_compile_options(${target} PRIVATE -O1)
  target_link_libraries(${target} PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json)
  asterism_use_pch(${target} asterism_pch_apps${suffix})
endfunction()

# asterism_starpu_library(NAME [FOLDERS folders...] [EXCEPT names...] [SOURCES files...] [PUBLIC ...] [PRIVATE ...]
# [CUDA files...] [APP]): a static library that sees StarPU, in all variants. CUDA: sources of the ordinary variant, where it
# has CUDA. APP: arguments and reporting, which need no optimisation.
function(asterism_starpu_library name)
  cmake_parse_arguments(ARG "APP" "" "FOLDERS;EXCEPT;SOURCES;PUBLIC;PRIVATE;CUDA" ${ARGN})
  asterism_sources(sources FOLDERS ${ARG_FOLDERS} PATTERNS *.cpp EXCEPT "[^/]*_cuda.cpp" ${ARG_EXCEPT})
  foreach(variant IN LISTS ASTERISM_VARIANTS)
    set(target ${name})
    if(NOT variant STREQUAL "ordinary")
      set(target ${name}${variant})
    endif()
    add_library(${target} STATIC ${sources} ${ARG_SOURCES})
    asterism_variant(public ${variant} asterism_starpu ${ARG_PUBLIC})
    asterism_variant(private ${variant} ${ARG_PRIVATE})
    target_link_libraries(${target} PUBLIC asterism_options ${public} PRIVATE ${private})
    string(REPLACE "ordinary" "" suffix "${variant}")
    if(ARG_APP)
      asterism_as_app(${target} "${suffix}")
    else()
      asterism_use_pch(${target} asterism_pch_starpu${suffix})
    endif()
  endforeach()
  if(ASTERISM_CUDA)
    asterism_sources(cuda FOLDERS ${ARG_FOLDERS} PATTERNS *.cu *_cuda.cpp)
    target_sources(${name} PRIVATE ${cuda} ${ARG_CUDA})
  endif()
endfunction()

# asterism_program(NAME [SIMULATED] SOURCES sources... PRIVATE libraries...): a program. With SIMULATED it also exists for
# simulated machines and clusters; the ordinary one executes these (--simulate, --nodes). The folders in the build tree are those of an installation.
add_custom_target(programs)
add_custom_target(simulated_programs)
function(asterism_program name)
  cmake_parse_arguments(ARG "SIMULATED" "" "SOURCES;PRIVATE" ${ARGN})
  set(sources ${ARG_SOURCES})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE})
  add_dependencies(${name} asterism-schedulers)
  add_dependencies(programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT ARG_SIMULATED)
    return()
  endif()
  if(ASTERISM_STARPU_SIMGRID)
    add_executable(${name}_simulated ${sources} "${PROJECT_SOURCE_DIR}/apps/common/simulated_main.cpp")
    set(folder "${CMAKE_INSTALL_LIBEXECDIR}/asterism/simulated")
    asterism_variant(libraries _simulated ${ARG_PRIVATE})
    target_link_libraries(${name}_simulated PRIVATE ${libraries})
    set_target_properties(${name}_simulated PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
    add_dependencies(${name}_simulated asterism-schedulers_simulated)
    add_dependencies(simulated_programs ${name}_simulated)
    install(TARGETS ${name}_simulated RUNTIME DESTINATION "${folder}")
  endif()
  if(ASTERISM_STARPU_SMPI)
    # smpirun loads a copy of it for each rank: small ones
    add_library(${name}_clusters MODULE ${sources})
    set(folder "${CMAKE_INSTALL_LIBEXECDIR}/asterism/clusters")
    asterism_variant(libraries _clusters ${ARG_PRIVATE})
    target_link_libraries(${name}_clusters PRIVATE ${libraries})
    target_link_options(${name}_clusters PRIVATE -s -Wl,--gc-sections)
    set_target_properties(${name}_clusters PROPERTIES
      OUTPUT_NAME ${name} PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
    add_dependencies(simulated_programs ${name}_clusters)
    install(TARGETS ${name}_clusters LIBRARY DESTINATION "${folder}")
  endif()
endfunction()

# The codelets of all methods, for what must know their names: whole, as nothing but their registration is used of most.
set(ASTERISM_ALL_CODELETS)
foreach(method cg fdtd fmm lbm tdbem)
  list(APPEND ASTERISM_ALL_CODELETS "$<LINK_LIBRARY:WHOLE_ARCHIVE,asterism_${method}_codelets>")
endforeach()
