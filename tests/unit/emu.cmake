ovni_test(unit_model_tables model_tables.cpp LIBS ovni_model ovni_emu ovni_test_support)
add_dependencies(unit_model_tables ovnievents)
ovni_test(unit_emu
    dry_run.cpp
    emulator.cpp
    emulator_errors.cpp
    emulator_gaps.cpp
    exchange.cpp
    id_map.cpp
    parts.cpp
    row_names.cpp
    tracker.cpp
    waiting.cpp
    LIBS ovni_session ovni_test_support)
add_dependencies(unit_emu ovniemu)
ovni_test(unit_messages
    call_reader.cpp
    call_times.cpp
    contradictions.cpp
    hybrid.cpp
    in_short.cpp
    matching.cpp
    packed_ends.cpp
    packed_messages.cpp
    recorded_calls.cpp
    request_table.cpp
    waits.cpp
    window_waits.cpp
    LIBS ovni_messages ovni_test_support)
ovni_test(unit_report report.cpp report_calls.cpp report_probes.cpp report_readings.cpp report_regions.cpp report_world_waits.cpp
    LIBS ovni_base ovni_test_support)
add_dependencies(unit_report ovniemu ovnicut ovnitop)

add_test(NAME unit_simulation COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/simulation.py)
