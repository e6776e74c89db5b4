ovni_test(unit_random_trace random_trace.cpp LIBS ovni_trace ovni_model ovni_test_support)
add_dependencies(unit_random_trace ovniemu random-trace)
