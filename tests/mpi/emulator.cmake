# Tests of the distributed emulator: each case starts mpirun itself.
ovni_test(mpi_emulator
    emulator_bad_days.cpp
    emulator_columns.cpp
    emulator_faults.cpp
    emulator_focus.cpp
    emulator_keep_going.cpp
    emulator_local.cpp
    emulator_outputs.cpp
    emulator_report.cpp
    emulator_row_names.cpp
    emulator_same.cpp
    emulator_wrong_events.cpp
    LIBS ovni_base ovni_test_support)
add_dependencies(mpi_emulator ovnicut ovniemu ovniemu-mpi)
# Its ranks share the work as those of the other MPI do: one case of each kind is enough.
other_mpi_tests(mpi_emulator "*/RandomTraceTest.*/Seed15:*/ExactOrderTest.*/Seed12:*/ReferenceOnRanksTest.*/mpi_func")

# A build with one MPI has no front.
if(ovni_other_mpis)
    ovni_test(mpi_front front.cpp LIBS ovni_base ovni_test_support)
    add_dependencies(mpi_front ovniemu-mpi ovnisync)
endif()

# The main job on four virtual nodes whose clocks are far apart.
add_test(NAME pipeline.four_nodes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/pipeline.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(pipeline.four_nodes PROPERTIES
    ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 SKIP_RETURN_CODE 77 TIMEOUT 120)

# The same on disks that nodes have for themselves.
add_test(NAME pipeline.local_disks COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/local_traces.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(pipeline.local_disks PROPERTIES
    ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 SKIP_RETURN_CODE 77 TIMEOUT 120)

# On nodes that SimGrid simulates.
add_test(NAME pipeline.simgrid COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/simgrid.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(pipeline.simgrid PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)

add_test(NAME jobs.slurm COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/jobs.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
add_test(NAME jobs.nodes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/jobs_nodes.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(jobs.nodes PROPERTIES ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 SKIP_RETURN_CODE 77 TIMEOUT 120)
set_tests_properties(jobs.slurm PROPERTIES ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 TIMEOUT 120)
