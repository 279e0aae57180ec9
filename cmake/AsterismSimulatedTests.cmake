# Tests of what runs on simulated machines and clusters: they start programs, and run on any machine.
find_package(GTest REQUIRED)

# asterism_simulated_test(NAME EXECUTABLE TIMEOUT seconds LIBRARIES ... DEFINITIONS ... STARTS programs...): of the file
# named as the executable.
function(asterism_simulated_test name executable)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LIBRARIES;DEFINITIONS;STARTS" ${ARGN})
  add_executable(${executable} ${executable}.cpp)
  target_link_libraries(${executable} PRIVATE asterism_options ${ARG_LIBRARIES} nlohmann_json::nlohmann_json
    GTest::gtest GTest::gtest_main)
  target_compile_definitions(${executable} PRIVATE ${ARG_DEFINITIONS})
  add_dependencies(${executable} ${ARG_STARTS})
  add_test(NAME ${name} COMMAND ${executable})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS simulated)
endfunction()
