# Programs of the central suites for the second MPI, with the name of its family behind theirs. Sets other_mpi_apps.
set(other_mpi_apps)

# A target with what one of its compilers adds to a command line.
function(other_mpi_options name compiler)
    execute_process(COMMAND ${compiler} -show OUTPUT_VARIABLE options ERROR_QUIET)
    string(REGEX MATCHALL "-I[^ \n]+" includes "${options}")
    list(TRANSFORM includes REPLACE "^-I" "")
    string(REGEX MATCHALL " -[Ll][^ \n]+" libraries "${options}")
    list(TRANSFORM libraries STRIP)
    add_library(${name} INTERFACE)
    target_include_directories(${name} SYSTEM INTERFACE ${includes})
    target_link_libraries(${name} INTERFACE ${libraries} Threads::Threads)
endfunction()

function(other_mpi_app name)
    cmake_parse_arguments(ARG "" "" "LIBS;DEFINITIONS;OPTIONS" ${ARGN})
    set(target ${name}_${ovni_other_mpi})
    add_executable(${target} ${ARG_UNPARSED_ARGUMENTS})
    target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX ${ARG_DEFINITIONS})
    target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
    target_link_libraries(${target} PRIVATE ${ARG_LIBS})
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/apps
        Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
    set(other_mpi_apps ${other_mpi_apps} ${target} PARENT_SCOPE)
endfunction()

other_mpi_options(other_mpi_c ${OVNI_OTHER_MPICC})
# MPICH's MPI_STATUSES_IGNORE is an address where compilers know of no memory.
target_compile_options(other_mpi_c INTERFACE -Wno-stringop-overflow -Wno-stringop-overread)
get_target_property(family_sources mpi_families SOURCES)
add_library(other_mpi_families OBJECT ${family_sources})
target_compile_definitions(other_mpi_families PUBLIC _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(other_mpi_families PUBLIC ovni_settings other_mpi_c)
other_mpi_app(mpi_calls mpi_calls.cpp LIBS other_mpi_families)
other_mpi_app(calls_c calls/calls_c.c LIBS other_mpi_families)
other_mpi_app(calls_cpp calls/calls_cpp.cpp LIBS other_mpi_families)
other_mpi_app(calls_mpi_4 calls/calls_mpi_4.c LIBS other_mpi_families)
foreach(name heat known_messages odd_calls callbacks rounds)
    other_mpi_app(${name} ${name}.cpp LIBS ovni_settings other_mpi_c)
endforeach()
foreach(language c cpp)
    other_mpi_app(stages_${language} stages/stages.${language} LIBS ovni_settings other_mpi_c)
endforeach()

if(MPI_Fortran_FOUND AND OVNI_OTHER_MPIFORT)
    other_mpi_options(other_mpi_fortran ${OVNI_OTHER_MPIFORT})
    # In mpi_f08 of MPICH 4.0, MPI_Neighbor_alltoallw refuses cartesian communicators. Its module mpi has no MPI_Pcontrol, which
    # stages.F90 would hide.
    set(of_F08 $<$<STREQUAL:${ovni_other_mpi},mpich>:WITHOUT_NEIGHBOR_ALLTOALLW>)
    set(of_MODULE $<$<STREQUAL:${ovni_other_mpi},mpich>:WITHOUT_PCONTROL>)
    if(ovni_other_mpi STREQUAL mpich)
        other_mpi_app(large_f08 large_f08.f90 LIBS other_mpi_fortran)
    endif()
    foreach(binding MPIFH MODULE F08)
        string(TOLOWER ${binding} name)
        foreach(program calls stages)
            get_target_property(program_sources ${program}_${name} SOURCES)
            other_mpi_app(${program}_${name} ${program_sources} LIBS other_mpi_fortran DEFINITIONS WITH_${binding} ${of_${binding}}
                OPTIONS $<$<Fortran_COMPILER_ID:GNU>:-ffree-line-length-none -fallow-argument-mismatch -w>)
        endforeach()
    endforeach()
endif()
