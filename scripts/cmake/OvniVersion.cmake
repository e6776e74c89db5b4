# OVNI_GIT_COMMIT: the commit that everything is built from, or "unknown".
find_package(Git QUIET)
set(OVNI_GIT_COMMIT unknown)
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE found_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(found_commit)
        set(OVNI_GIT_COMMIT ${found_commit})
    endif()
endif()
