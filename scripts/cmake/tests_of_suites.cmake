# Runs in CTest: makes a test of each suite of `program` that passes `filter`.
if(EXISTS "${program}")
    execute_process(COMMAND "${program}" --gtest_list_tests "--gtest_filter=${filter}"
        OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
    # Cases are indented.
    string(REGEX MATCHALL "\n[^ \n]+\\." suites "\n${listed}")
    foreach(suite IN LISTS suites)
        string(REGEX REPLACE "\n(.*)\\." "\\1" suite "${suite}")
        add_test("${name}.${suite}" "${program}" "--gtest_filter=${suite}.*")
        # Suites begin first: some take long. A suite is skipped if all of its cases are; a case that fails is listed
        # behind those that are skipped.
        set_tests_properties("${name}.${suite}" PROPERTIES WORKING_DIRECTORY "${directory}" COST 1000 TIMEOUT 900
            SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$")
    endforeach()
else()
    add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
endif()
