ovni_test(unit_trace
    block_memory.cpp
    checksums.cpp
    clock_file.cpp
    clock_line.cpp
    clock_model.cpp
    compact.cpp
    event_search.cpp
    exact_order.cpp
    file_window.cpp
    gaps.cpp
    json.cpp
    merger.cpp
    metadata.cpp
    packed_blocks.cpp
    packed_reading.cpp
    region_sort.cpp
    sorted_reading.cpp
    stream_reader.cpp
    trace.cpp
    wire.cpp
    LIBS ovni_trace ovni_test_support)
ovni_test(unit_crc32c crc32c.cpp)
ovni_test(unit_definition definition.cpp LIBS ovni_model)
ovni_test(unit_mpi_details mpi_details.cpp LIBS ovni_model)
ovni_test(unit_trace_tools top_tables.cpp trace_tools.cpp trace_tools_dump.cpp LIBS ovni_model ovni_trace ovni_test_support)
add_dependencies(unit_trace_tools ovnidump ovnitop ovnisort ovniemu ovniver)
ovni_test(unit_includes include_direction.cpp)
