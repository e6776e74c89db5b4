ovni_test(unit_cut
    cut_corpus.cpp
    cut_gaps.cpp
    cut_metadata.cpp
    cut_options.cpp
    cut_random.cpp
    cut_test.cpp
    focus.cpp
    focus_programs.cpp
    packed_traces.cpp
    LIBS ovni_cut ovni_test_support)
add_dependencies(unit_cut ovnicut ovniemu ovnisort ovnidump ovnitop)
