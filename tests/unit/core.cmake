ovni_test(unit_clock clock_chain.cpp clock_discipline.cpp tsc_clock.cpp)
