ovni_test(unit_trace
    stream_reader.cpp
    LIBS ovni_trace ovni_test_support)
