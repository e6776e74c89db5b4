ovni_test(unit_sink
    ovnievents.cpp
    sink_cfg.cpp
    sink_pcf_row.cpp
    sink_prv_sink.cpp
    sink_prv_text.cpp
    sink_writer.cpp
    LIBS ovni_sink ovni_test_support)
add_dependencies(unit_sink ovnievents)

add_test(NAME unit_plots COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/plots.py $<TARGET_FILE:ovniemu>)
set_tests_properties(unit_plots PROPERTIES SKIP_RETURN_CODE 77)

ovni_test(unit_help help.cpp LIBS ovni_base ovni_region ovni_test_support)
add_dependencies(unit_help ovnictl ovnicut ovnidump ovniemu ovnievents ovnirecover ovnirun ovnisort ovnitop ovniver random-trace)
if(OVNI_MPI)
    add_dependencies(unit_help ovnisync ovniemu-mpi)
    target_compile_definitions(unit_help PRIVATE WITH_MPI)
endif()

if(ovni_hdf5_serial)
    ovni_test(unit_columns sink_chunk_filter.cpp LIBS ovni_sink)
endif()

ovni_test(unit_mpi_prv mpi_prv.cpp LIBS ovni_sink ovni_test_support)
add_dependencies(unit_mpi_prv ovniemu)
