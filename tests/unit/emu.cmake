ovni_test(unit_model_tables model_tables.cpp LIBS ovni_model ovni_emu ovni_test_support)
add_dependencies(unit_model_tables ovnievents)
ovni_test(unit_emu emulator.cpp emulator_errors.cpp emulator_gaps.cpp tracker.cpp LIBS ovni_emu ovni_test_support)
add_dependencies(unit_emu ovniemu)
