# The functions that make targets of MPI: one per MPI that OvniMpi found.

# Directory of programs for one MPI, as seen from that of all programs.
file(RELATIVE_PATH ovni_mpi_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/ovni-mpi)

# ovni_mpi_library(NAME SOURCES... LIBS libraries... OF_MPI libraries...): a static library NAME for the MPI of the build,
# and NAME-FAMILY for each other one. This function made those of OF_MPI.
function(ovni_mpi_library name)
    cmake_parse_arguments(ARG "" "" "LIBS;OF_MPI" ${ARGN})
    foreach(family ${ovni_mpi_families})
        ovni_name_for_mpi(target ${family} ${name})
        ovni_name_for_mpi(of_mpi ${family} ${ARG_OF_MPI})
        ovni_library(${target} ${ARG_UNPARSED_ARGUMENTS} LIBS ${ARG_LIBS} ${of_mpi} ovni_mpi_${family})
        target_precompile_headers(${target} REUSE_FROM ovni_base)
    endforeach()
endfunction()

# ovni_mpi_program(NAME SOURCES... LIBS libraries... OF_MPI libraries...): an installed program. With several MPIs there are
# programs NAME-FAMILY for all, and NAME is a front that runs that of its launcher.
function(ovni_mpi_program name)
    cmake_parse_arguments(ARG "" "" "LIBS;OF_MPI" ${ARGN})
    if(NOT ovni_other_mpis)
        ovni_program(${name} ${ARG_UNPARSED_ARGUMENTS} LIBS ${ARG_LIBS} ${ARG_OF_MPI})
        return()
    endif()
    foreach(family ${ovni_mpi_families})
        ovni_name_for_mpi(of_mpi ${family} ${ARG_OF_MPI})
        add_executable(${name}-${family} ${ARG_UNPARSED_ARGUMENTS})
        target_link_libraries(${name}-${family} PRIVATE ovni_settings ${ARG_LIBS} ${of_mpi})
        set_target_properties(${name}-${family} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${ovni_mpi_programs}
            INSTALL_RPATH "")
        install(TARGETS ${name}-${family} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ovni-mpi)
    endforeach()
    ovni_mpi_front(${name})
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    ovni_manual(${name} ${name}-${ovni_mpi_family})
endfunction()

# ovni_mpi_front(NAME): the program NAME that runs NAME of the MPI whose launcher started it.
function(ovni_mpi_front name)
    add_executable(${name} ${PROJECT_SOURCE_DIR}/mpi/front/front.cpp)
    target_compile_definitions(${name} PRIVATE
        OVNI_FRONT_OF="${name}"
        OVNI_FRONT_DIRECTORY="${ovni_mpi_programs}"
        OVNI_FRONT_DEFAULT="${ovni_mpi_family}")
    target_link_libraries(${name} PRIVATE ovni_settings)
    list(TRANSFORM ovni_mpi_families PREPEND ${name}- OUTPUT_VARIABLE programs)
    add_dependencies(${name} ${programs})
endfunction()

# Sets `variable` to what ovni_mpi_library() calls these libraries for an MPI.
function(ovni_name_for_mpi variable family)
    set(names ${ARGN})
    if(NOT family STREQUAL ovni_mpi_family)
        list(TRANSFORM names APPEND -${family})
    endif()
    set(${variable} ${names} PARENT_SCOPE)
endfunction()
