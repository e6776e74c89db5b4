ovni_test(unit_sink
    ovnievents.cpp
    sink_cfg.cpp
    sink_pcf_row.cpp
    sink_prv_sink.cpp
    sink_prv_text.cpp
    sink_writer.cpp
    LIBS ovni_sink)
add_dependencies(unit_sink ovnievents)

add_test(NAME unit_plots COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/plots.py $<TARGET_FILE:ovniemu>)
set_tests_properties(unit_plots PROPERTIES SKIP_RETURN_CODE 77)

if(ovni_hdf5_serial)
    ovni_test(unit_columns sink_chunk_filter.cpp LIBS ovni_sink)
endif()
