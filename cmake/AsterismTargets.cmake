# SPDX-License-Identifier: Apache-2.0
# What the targets of Asterism have in common.
#
# A library of the house is made of all sources in its folders. Those that never see StarPU are built once. Those that do
# exist in up to three variants, one for each StarPU: the ordinary one, one over SimGrid (suffix _simulated, for machines)
# and one over SimGrid's SMPI (suffix _clusters).

add_library(asterism_options INTERFACE)
target_compile_features(asterism_options INTERFACE cxx_std_20)
target_include_directories(asterism_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_link_libraries(asterism_options INTERFACE fmt::fmt OpenMP::OpenMP_CXX
  # sums of long double in OpenMP
  $<$<CXX_COMPILER_ID:Clang>:atomic>)
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
  set(sanitizers address,undefined)
  if(ASTERISM_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
  endif()
  target_compile_definitions(asterism_options INTERFACE ASTERISM_SANITIZE)
  set(options -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  if(ASTERISM_FUZZ)
    list(APPEND options -fsanitize=fuzzer-no-link)
  endif()
  target_compile_options(asterism_options INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:ASTERISM_NOT_SANITIZED>>>>:${options}>")
  target_link_options(asterism_options INTERFACE -fsanitize=${sanitizers})
endif()

# Version, commit and what was built in (base/version.hpp).
set(built_in "StarPU ${STARPU_VERSION}")
if(ASTERISM_CUDA)
  string(REPLACE ";" ", " architectures "${CMAKE_CUDA_ARCHITECTURES}")
  string(APPEND built_in ", CUDA ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR} (${architectures})")
else()
  string(APPEND built_in ", no CUDA")
endif()
if(ASTERISM_MPI)
  string(APPEND built_in ", MPI")
endif()
if(ASTERISM_STARPU_SIMGRID)
  string(APPEND built_in ", simulated machines")
endif()
if(ASTERISM_STARPU_SMPI)
  string(APPEND built_in ", simulated clusters")
endif()
set(version_source "${PROJECT_BINARY_DIR}/version.cpp")
add_custom_target(asterism_version_source
  COMMAND ${CMAKE_COMMAND} -D "source=${PROJECT_SOURCE_DIR}" -D "target=${version_source}"
    -D "version=${PROJECT_VERSION}" -D "built_in=${built_in}" -P "${PROJECT_SOURCE_DIR}/cmake/Version.cmake"
  BYPRODUCTS "${version_source}" COMMENT "" VERBATIM)
add_library(asterism_version STATIC "${version_source}")
add_dependencies(asterism_version asterism_version_source)
target_link_libraries(asterism_version PRIVATE asterism_options)

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

# Programs are compiled fast rather than well.
set(ASTERISM_APP_LEVEL -O1)
if(ASTERISM_FUZZ)
  set(ASTERISM_APP_LEVEL -O0)
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
  endforeach()
  asterism_pch(asterism_pch_apps apps.hpp asterism_starpu CLI11::CLI11 nlohmann_json::nlohmann_json)
  target_compile_options(asterism_pch_apps PRIVATE ${ASTERISM_APP_LEVEL})
endif()

# Unity builds: several sources of a target are compiled as one, since reading headers takes longer than compiling what
# the sources themselves say. asterism_unity(TARGET SIZE): so many sources at a time.
function(asterism_unity target size)
  if(ASTERISM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    # GCC takes what a source has in its anonymous namespace for a header's
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>")
  endif()
endfunction()

# Sources that are compiled each by itself: members of one class template, instantiated in each of them.
function(asterism_not_in_unity)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

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

# Readers are fuzzed, while kernels would take most of the time to compile.
function(asterism_not_fuzzed target)
  if(ASTERISM_FUZZ)
    set_target_properties(${target} PROPERTIES ASTERISM_NOT_SANITIZED ON DISABLE_PRECOMPILE_HEADERS ON)
    target_compile_options(${target} PRIVATE -O0)
  endif()
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
    asterism_unity(${name} 12)
  else()
    asterism_not_fuzzed(${name})
  endif()
endfunction()

# asterism_cuda_sources(OUT sources...): the same for CUDA, for which CMake 3.25 has no unity builds.
function(asterism_cuda_sources out)
  set(plain ${ARGN})
  list(FILTER plain EXCLUDE REGEX "\\.cu$")
  list(FILTER ARGN INCLUDE REGEX "\\.cu$")
  list(LENGTH ARGN count)
  if(NOT ASTERISM_UNITY OR count LESS 2)
    set(${out} ${plain} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(number 0)
  while(ARGN)
    list(SUBLIST ARGN 0 6 batch)
    list(REMOVE_ITEM ARGN ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" text)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/unity_${number}.cu")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
    list(APPEND plain "${unit}")
    math(EXPR number "${number} + 1")
  endwhile()
  set(${out} ${plain} PARENT_SCOPE)
endfunction()

# asterism_cuda_kernels(TARGET FOLDERS folders...): adds what these folders have for GPUs, where there is CUDA.
function(asterism_cuda_kernels target)
  cmake_parse_arguments(ARG "" "" "FOLDERS" ${ARGN})
  if(ASTERISM_CUDA)
    asterism_sources(cuda FOLDERS ${ARG_FOLDERS} PATTERNS *.cu *_cuda.cpp)
    asterism_cuda_sources(cuda ${cuda})
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
  # passes that take GCC up to half of its time in long unrolled loops, and find nothing in them
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gcse;-fno-gcse-after-reload>")
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

# Arguments and reporting: compiled fast, and with the precompiled headers of programs.
function(asterism_as_app target)
  target_compile_options(${target} PRIVATE ${ASTERISM_APP_LEVEL})
  asterism_unity(${target} 12)
  target_link_libraries(${target} PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json)
  if(NOT ARGN)  # of another StarPU: without these headers
    asterism_use_pch(${target} asterism_pch_apps)
  endif()
endfunction()

# asterism_compiled(TARGET SUFFIX APP): the precompiled headers and the unity build of a target that sees StarPU.
function(asterism_compiled target suffix app)
  if(app)
    asterism_as_app(${target} ${suffix})
  else()
    asterism_use_pch(${target} asterism_pch_starpu${suffix})
    asterism_unity(${target} 12)
  endif()
endfunction()

# asterism_objects(TARGET SUFFIX APP sources... LIBRARIES ...): what several libraries are made of.
function(asterism_objects target suffix app)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE asterism_options ${ARG_LIBRARIES})
  asterism_compiled(${target} "${suffix}" ${app})
endfunction()

# asterism_starpu_library(NAME [FOLDERS folders...] [EXCEPT names...] [SOURCES files...] [PUBLIC ...] [PRIVATE ...]
# [DIFFER ALL | files...] [APP] [EACH]): a static library that sees StarPU, in all variants. They are made of the same
# objects, since StarPU's tasks, models and data look the same in all its builds (tests/simulated/test_variants.cpp).
# DIFFER: what does not (threads, what runs on GPUs, the inside of a starpu_codelet) is compiled once more for simulated
# machines and clusters; EACH: everything for each variant. APP: arguments and reporting, which need no optimisation.
function(asterism_starpu_library name)
  cmake_parse_arguments(ARG "APP;EACH" "" "FOLDERS;EXCEPT;SOURCES;PUBLIC;PRIVATE;DIFFER" ${ARGN})
  asterism_sources(same FOLDERS ${ARG_FOLDERS} PATTERNS *.cpp EXCEPT "[^/]*_cuda.cpp" ${ARG_EXCEPT})
  list(APPEND same ${ARG_SOURCES})
  set(differing)
  if(ARG_EACH OR "${ARG_DIFFER}" STREQUAL "ALL")
    set(differing ${same})
    set(same)
  else()
    foreach(file IN LISTS ARG_DIFFER)
      list(FILTER same EXCLUDE REGEX "/${file}$")
    endforeach()
    set(differing ${ARG_DIFFER})
  endif()
  set(objects)
  if(same)
    asterism_objects(${name}_objects "" ${ARG_APP} ${same} LIBRARIES asterism_starpu ${ARG_PUBLIC} ${ARG_PRIVATE})
    set(objects $<TARGET_OBJECTS:${name}_objects>)
  endif()
  foreach(variant IN LISTS ASTERISM_VARIANTS)
    asterism_variant(public ${variant} asterism_starpu ${ARG_PUBLIC})
    asterism_variant(private ${variant} ${ARG_PRIVATE})
    string(REPLACE "ordinary" "" suffix "${variant}")
    set(target ${name}${suffix})
    set(sources ${objects})
    if(variant STREQUAL "ordinary" OR ARG_EACH)
      list(APPEND sources ${differing})
    elseif(differing)
      if(NOT TARGET ${name}_simulated_objects)
        asterism_objects(${name}_simulated_objects "${suffix}" ${ARG_APP} ${differing} LIBRARIES ${public} ${private})
      endif()
      list(APPEND sources $<TARGET_OBJECTS:${name}_simulated_objects>)
    endif()
    add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${target} PUBLIC asterism_options ${public} PRIVATE ${private})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    asterism_compiled(${target} "${suffix}" ${ARG_APP})
  endforeach()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL OFF)
  if(ASTERISM_CUDA)
    asterism_sources(cuda FOLDERS ${ARG_FOLDERS} PATTERNS *.cu *_cuda.cpp)
    target_sources(${name} PRIVATE ${cuda})
  endif()
endfunction()

# asterism_program(NAME [SIMULATED | EXAMPLE] SOURCES sources... PRIVATE libraries...): a program. With SIMULATED it also
# exists for simulated machines and clusters; the ordinary one executes these (--simulate, --nodes). The folders in the
# build tree are those of an installation. With EXAMPLE it is not installed.
add_custom_target(programs)
add_custom_target(simulated_programs)
function(asterism_program name)
  cmake_parse_arguments(ARG "SIMULATED;EXAMPLE" "" "SOURCES;PRIVATE" ${ARGN})
  # the sources as position-independent objects, as the precompiled headers are
  add_library(${name}_main OBJECT ${ARG_SOURCES})
  target_link_libraries(${name}_main PRIVATE ${ARG_PRIVATE})
  asterism_as_app(${name}_main)
  add_executable(${name} $<TARGET_OBJECTS:${name}_main>)
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  add_dependencies(${name} asterism-schedulers)
  if(ARG_EXAMPLE)
    return()
  endif()
  add_dependencies(programs ${name})
  set_property(GLOBAL APPEND PROPERTY asterism_programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  if(NOT ARG_SIMULATED)
    return()
  endif()
  # StarPU over SimGrid has a main of its own, which calls the program's by this name
  set(renamed "${CMAKE_CURRENT_BINARY_DIR}/${name}_main_simulated.o")
  add_custom_command(OUTPUT "${renamed}" DEPENDS $<TARGET_OBJECTS:${name}_main>
    COMMAND ${CMAKE_OBJCOPY} --redefine-sym main=starpu_main $<TARGET_OBJECTS:${name}_main> "${renamed}" COMMENT "" VERBATIM)
  set_source_files_properties("${renamed}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  foreach(variant IN LISTS ASTERISM_VARIANTS)
    if(variant STREQUAL "ordinary")
      continue()
    endif()
    asterism_variant(libraries ${variant} ${ARG_PRIVATE})
    if(variant STREQUAL "_simulated")
      add_executable(${name}_simulated "${renamed}" $<TARGET_OBJECTS:asterism_simulated_main>)
      set(folder ${ASTERISM_INSTALL_SIMULATED})
      set_target_properties(${name}_simulated PROPERTIES INSTALL_RPATH "$ORIGIN"
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
      add_dependencies(${name}_simulated asterism-schedulers_simulated)
      install(TARGETS ${name}_simulated RUNTIME DESTINATION "${folder}" COMPONENT programs)
    else()
      # smpirun loads a copy of it for each rank: small ones
      add_library(${name}_clusters MODULE "${renamed}")
      target_link_options(${name}_clusters PRIVATE -s -Wl,--gc-sections)
      set(folder ${ASTERISM_INSTALL_CLUSTERS})
      set_target_properties(${name}_clusters PROPERTIES
        OUTPUT_NAME ${name} PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
      install(TARGETS ${name}_clusters LIBRARY DESTINATION "${folder}" COMPONENT programs)
    endif()
    target_link_libraries(${name}${variant} PRIVATE ${libraries})
    set_target_properties(${name}${variant} PROPERTIES LINKER_LANGUAGE CXX)
    add_dependencies(simulated_programs ${name}${variant})
  endforeach()
endfunction()

# The codelets of all methods, for what must know their names: whole, as nothing but their registration is used of most.
set(ASTERISM_ALL_CODELETS)
foreach(method cg fdtd fmm lbm tdbem)
  list(APPEND ASTERISM_ALL_CODELETS "$<LINK_LIBRARY:WHOLE_ARCHIVE,asterism_${method}_codelets>")
endforeach()
