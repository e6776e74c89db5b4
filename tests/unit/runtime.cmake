ovni_test(unit_interleaving interleaving/interleaving.cpp)
ovni_test(unit_shared_buffer
    shared_buffer.cpp
    shared_buffer_deaths.cpp
    shared_buffer_signals.cpp
    shared_buffer_threads.cpp
    LIBS ovni_drain ovni_test_support)
ovni_test(unit_mover mover.cpp LIBS ovni_drain ovni_base ovni_test_support)
