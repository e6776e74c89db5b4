# The first sentences of reports on programs with planted problems.
ovni_test(mpi_problems planted_problems.cpp ALL_SENSES
    LIBS ovni_trace ovni_test_support SUITES Of/ProblemOfAKind Of/LineOfAProblem Of/NoProblem)
add_dependencies(mpi_problems ovni-mpi ovni-threads ovniemu ovnirecover ovnirun problems)
other_mpi_tests(mpi_problems "Of/*:ProblemOfAHangingJob.*")
