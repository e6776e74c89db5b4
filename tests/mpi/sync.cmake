# Virtual clusters need namespaces; where these are not allowed, the scripts say why and end with 77. Every script
# has its own state directory, the lock only keeps two clusters from sharing few cores. They
# begin first, or at the end nothing would be left to run beside them.
if(ovni_hdf5_serial)
    set(sync_samples_test sync_samples_test.cpp)
endif()
ovni_test(sync_test sync_clocks_test.cpp sync_estimate_test.cpp sync_measure_test.cpp ${sync_samples_test} LIBS ovni_sync)

set(vcluster ${PROJECT_SOURCE_DIR}/scripts/vcluster)
set(sync_check ${PROJECT_SOURCE_DIR}/scripts/sync-check)

add_test(NAME sync.vcluster COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sync_vcluster.sh ${vcluster})
add_test(NAME sync.options
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sync_options.sh ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:ovnisync>)
add_test(NAME sync.cluster
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sync_cluster.sh ${vcluster} $<TARGET_FILE:ovnisync>)
add_test(NAME sync.hydra
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sync_hydra.sh ${vcluster} $<TARGET_FILE:ovnisync>)
add_test(NAME sync.delay
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sync_delay.sh ${vcluster} $<TARGET_FILE:ovnisync>)
add_test(NAME sync.truth_2 COMMAND ${sync_check} --nodes 2 --runs 2 --skew-ns 0,-1234567891)
add_test(NAME sync.truth_4 COMMAND ${sync_check} --nodes 4 --runs 2)
add_test(NAME sync.truth_spinners COMMAND ${sync_check} --nodes 2 --runs 1 --spinners 2)
add_test(NAME sync.truth_drift COMMAND ${sync_check} --nodes 3 --runs 1 --drift --samples 200)

set_tests_properties(sync.options sync.vcluster sync.cluster sync.hydra sync.delay sync.truth_2 sync.truth_4 sync.truth_spinners sync.truth_drift PROPERTIES
    ENVIRONMENT "${mpi_test_environment};OVNI_BUILD_DIR=${PROJECT_BINARY_DIR}" SKIP_RETURN_CODE 77 TIMEOUT 300)
set_tests_properties(sync.vcluster sync.cluster sync.hydra sync.delay sync.truth_2 sync.truth_4 sync.truth_spinners sync.truth_drift PROPERTIES RESOURCE_LOCK vcluster COST 2000)
# Their ranks spin, and measure: one other test may run next to them.
set_tests_properties(sync.vcluster sync.cluster sync.hydra sync.delay sync.truth_2 sync.truth_4 sync.truth_spinners sync.truth_drift PROPERTIES PROCESSORS 3)
