# Messages in time: scripts/causality counts those that are received before they are sent.
add_test(NAME causality.skewed
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/causality.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${MPIEXEC_EXECUTABLE})
add_test(NAME causality.drifting
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/causality_drift.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(causality.skewed causality.drifting PROPERTIES
    ENVIRONMENT "${mpi_test_environment}" PROCESSORS 3 RESOURCE_LOCK vcluster COST 2000 SKIP_RETURN_CODE 77 TIMEOUT 300)
