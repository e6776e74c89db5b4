# comm_test runs whole under mpirun: every rank is a GoogleTest process, and one failing rank fails the run.
add_executable(comm_test comm_test.cpp)
add_executable(comm_fails comm_fails.cpp)
foreach(program comm_test comm_fails)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${program} PRIVATE ovni_settings ovni_comm GTest::gmock GTest::gtest)
endforeach()

foreach(ranks 1 2 3 4)
    add_test(NAME comm.collectives_${ranks}
        COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:comm_test>)
    set_tests_properties(comm.collectives_${ranks} PROPERTIES
        ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 TIMEOUT 120)
endforeach()

add_test(NAME comm.failures
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/comm_fails.sh ${MPIEXEC_EXECUTABLE} 3 $<TARGET_FILE:comm_fails>)
set_tests_properties(comm.failures PROPERTIES ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 TIMEOUT 120)
