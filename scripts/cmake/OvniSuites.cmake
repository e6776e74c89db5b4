# How CTest runs the cases of a GoogleTest program.

# ovni_discover_tests(NAME SUITES...): one test NAME.SUITE.CASE of CTest for each case, but one NAME.SUITE for all of
# each of SUITES: cases that share what they set up, or take milliseconds. SUITES may have wildcards, as in
# --gtest_filter. The program is asked for its cases when CTest runs.
function(ovni_discover_tests name)
    set(filter "")
    if(ARGN)
        list(TRANSFORM ARGN APPEND .*)
        list(JOIN ARGN : together)
        set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
        file(GENERATE OUTPUT ${file} CONTENT "
set(name ${name})
set(program \"$<TARGET_FILE:${name}>\")
set(filter \"${together}\")
set(directory \"${CMAKE_CURRENT_BINARY_DIR}\")
include(\"${PROJECT_SOURCE_DIR}/scripts/cmake/tests_of_suites.cmake\")
")
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
        set(filter TEST_FILTER -${together})
    endif()
    gtest_discover_tests(${name} TEST_PREFIX ${name}. ${filter} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES)
endfunction()
