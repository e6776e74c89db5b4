# Tests of the tracing library and ovnirun: each case starts mpirun itself.
ovni_test(mpi_trace
    ovnirun.cpp
    ovnirun_ends.cpp
    ovnirun_jobs.cpp
    recorded_traffic.cpp
    trace_callbacks.cpp
    trace_calls.cpp
    trace_control.cpp
    trace_counters.cpp
    trace_deadlocks.cpp
    trace_directories.cpp
    trace_foreign.cpp
    trace_functions.cpp
    trace_loader_errors.cpp
    trace_layers.cpp
    trace_lookups.cpp
    trace_messages.cpp
    trace_mpi_4.cpp
    trace_outside.cpp
    trace_parts.cpp
    trace_regions.cpp
    trace_starts.cpp
    trace_streams.cpp
    trace_time_namespaces.cpp
    trace_worlds.cpp
    trace_wrappers.cpp
    LIBS ovni_trace ovni_model ovni_test_support)
if(TARGET calls_f08)
    target_compile_definitions(mpi_trace PRIVATE OVNI_TEST_FORTRAN)
    add_dependencies(mpi_trace spawn_f08 partner)
endif()
if(TARGET ovni-code)
    add_dependencies(mpi_trace ovni-code)
endif()
target_compile_definitions(mpi_trace PRIVATE OVNI_SANITIZE="${OVNI_SANITIZE}")
add_dependencies(mpi_trace
    abort_one
    callbacks
    clock_points
    controlled_job
    counted
    deadlock
    heat
    heat_linked
    lookups
    mpi_calls
    odd_calls
    ovni-counters
    ovni-mpi
    ovnictl
    ovnidump
    ovniemu
    ovniemu-mpi
    ovnirecover
    ovnirun
    ovnitop
    pause
    pending_error
    plugin
    plugin_host
    rounds
    sessions
    signal_log
    spawn
    uneven
    with_libovni
    ${mpi_call_counters}
    ${mpi_stages})

# other_mpi_tests(TARGET FILTER): cases of a test that run with programs and launcher of each other MPI as well.
function(other_mpi_tests target filter)
    if(NOT ovni_other_mpis)
        add_test(NAME ${target}.second_mpi COMMAND sh -c "echo 'the build found no second MPI'; exit 77")
        set_tests_properties(${target}.second_mpi PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    foreach(family ${ovni_other_mpis})
        add_dependencies(${target} ovni-mpi-${family} ${mpi_apps_${family}})
        gtest_discover_tests(${target} TEST_PREFIX ${target}_${family}. TEST_LIST ${target}_${family}
            TEST_FILTER ${filter} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
            PROPERTIES ENVIRONMENT OVNI_TEST_MPI=${family})
    endforeach()
endfunction()
# Left out: hydra kills ovnirun with the program at MPI_Abort, and macros of MPICH's header are no functions. Four ranks
# of MPICH do not yield, and take half a minute on two cores.
other_mpi_tests(mpi_trace
    "*/CallCounter.*_on_2:*/CallCounter.*/mpi_calls_on_4:*/Stages.*:FortranProgram.Names*:Mpi4.*:FunctionChoice.ReferenceEvents*:FunctionChoice.ChoosingNone*:FunctionChoice.Library*:Lookups.LookupsIn*:TimeNamespaces.*:TraceDirectories.*")

# Messages between the ranks of real jobs.
ovni_test(messages_test late_members.cpp matched_messages.cpp switched_messages.cpp switched_collectives.cpp waits.cpp
    LIBS ovni_messages ovni_test_support SUITES Waits LateMembers)
if(TARGET calls_f08)
    target_compile_definitions(messages_test PRIVATE OVNI_TEST_FORTRAN)
    add_dependencies(messages_test calls_f08 calls_mpifh calls_module)
endif()
add_dependencies(messages_test calls_mpi_4 freed_receives known_messages late_members ovnicut planted_waits ovni-mpi ovnidump ovniemu ovniemu-mpi ovnirun ovnitop
    switched_messages switched_collectives)
other_mpi_tests(messages_test "MatchedMessages.*:LateMembers.*")

# The places in programs that call MPI.
ovni_test(mpi_call_sites trace_call_sites.cpp LIBS ovni_trace ovni_test_support)
if(TARGET sites_f08)
    target_compile_definitions(mpi_call_sites PRIVATE OVNI_TEST_FORTRAN)
endif()
add_dependencies(mpi_call_sites ovni-mpi ovnicut ovniemu ovniemu-mpi ovnirun ovnitop ${sites_programs})

add_executable(host_names
    host_names.cpp
    ${PROJECT_SOURCE_DIR}/mpi/interpose/library/foreign_library.cpp
    ${PROJECT_SOURCE_DIR}/mpi/interpose/job/host.cpp
    ${PROJECT_SOURCE_DIR}/mpi/interpose/library/layers.cpp ${PROJECT_SOURCE_DIR}/mpi/interpose/library/pmpi.cpp
    ${PROJECT_SOURCE_DIR}/mpi/interpose/base/report.cpp)
set_target_properties(host_names PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(host_names PRIVATE
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/mpi/interpose/generated-${ovni_mpi_family})
target_compile_definitions(host_names PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX
    OVNI_MPI_FAMILY="${ovni_mpi_family}" OVNI_MPI_OF_BUILD="${ovni_mpi_family}"
    OVNI_MPI_FAMILY_HEADER="mpi/interpose/library/family_${ovni_mpi_family}.hpp")
target_link_libraries(host_names PRIVATE ovni_settings ovni::ovni MPI::MPI_CXX)
add_dependencies(host_names ovni-mpi)
add_dependencies(mpi_trace host_names)

# The clocks of virtual nodes, measured in the job.
add_test(NAME mpi_trace.clocks
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/trace_clocks.sh ${PROJECT_SOURCE_DIR}/scripts/vcluster ${PROJECT_BINARY_DIR})
add_test(NAME mpi_trace.parts
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/trace_parts.sh ${PROJECT_SOURCE_DIR}/scripts/vcluster ${PROJECT_BINARY_DIR})
add_test(NAME mpi_trace_mpich.nodes
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/trace_hydra.sh ${PROJECT_SOURCE_DIR}/scripts/vcluster ${PROJECT_BINARY_DIR}
        ${PROJECT_SOURCE_DIR}/tests/apps/ring_of_ranks.c)
set_tests_properties(mpi_trace.clocks mpi_trace.parts mpi_trace_mpich.nodes PROPERTIES
    ENVIRONMENT "${mpi_test_environment}" SKIP_RETURN_CODE 77 TIMEOUT 300 RESOURCE_LOCK vcluster COST 2000)
add_test(NAME mpi_installed
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/installed.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(mpi_installed PROPERTIES ENVIRONMENT "${mpi_test_environment}" TIMEOUT 300)

# mpi.prv by the rules of the tools that read it, and the planted faults that the checker of these must find.
ovni_test(mpi_prv_test mpi_prv.cpp LIBS ovni_trace ovni_test_support)
add_dependencies(mpi_prv_test
    abort_one calls_c callbacks heat known_messages mpi_calls ovni-mpi ovniemu ovniemu-mpi ovnirecover ovnirun spawn)
if(TARGET threads_hybrid)
    add_dependencies(mpi_prv_test ovni-threads threads_hybrid)
endif()
add_test(NAME mpi_prv_rules.planted_faults
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi_prv_faults.py)
