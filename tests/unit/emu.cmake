ovni_test(unit_emu emulator.cpp emulator_errors.cpp tracker.cpp LIBS ovni_emu ovni_test_support)
add_dependencies(unit_emu ovniemu)
