ovni_test(unit_clock clock_chain.cpp clock_discipline.cpp tsc_clock.cpp)
ovni_test(unit_function_choice function_choice.cpp)
ovni_test(unit_utf8 utf8.cpp LIBS ovni_base)
add_test(NAME unit_script_usage COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/script_usage.sh ${PROJECT_SOURCE_DIR}/scripts)
