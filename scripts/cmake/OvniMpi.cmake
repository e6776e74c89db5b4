# The MPI of the build (MPI::MPI_C and so on), and one of another family besides it if there is one: programs of both are
# traced. Sets ovni_mpi_family to openmpi or mpich, and ovni_other_mpi to the other one or to nothing. Then there are
# OVNI_OTHER_MPICC and OVNI_OTHER_MPIFORT (if found), its compilers, and ovni_other_mpi_includes. Programs link
# ovni_mpi_FAMILY.
find_package(MPI REQUIRED COMPONENTS C CXX)

# Sets a variable to openmpi or mpich, by the mpi.h that a compiler sees with these options.
function(ovni_find_mpi_family variable)
    file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/mpi_family.c "#include <mpi.h>\n#ifdef OPEN_MPI\nopenmpi\n#else\nmpich\n#endif\n")
    execute_process(COMMAND ${ARGN} -E -P ${CMAKE_BINARY_DIR}/CMakeFiles/mpi_family.c
        OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
    string(REGEX MATCH "(openmpi|mpich)[ \n]*$" family "${text}")
    string(STRIP "${family}" family)
    if(NOT status EQUAL 0)
        set(family)
    endif()
    set(${variable} ${family} PARENT_SCOPE)
endfunction()

list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE include_options)
ovni_find_mpi_family(ovni_mpi_family ${CMAKE_C_COMPILER} ${include_options})
set(other openmpi)
if(ovni_mpi_family STREQUAL openmpi)
    set(other mpich)
endif()
# Debian has both side by side, with compilers of these names.
find_program(OVNI_OTHER_MPICC mpicc.${other} DOC "C compiler of a second MPI whose programs are traced")
find_program(OVNI_OTHER_MPIFORT mpifort.${other} DOC "Fortran compiler of a second MPI, for tests")
mark_as_advanced(OVNI_OTHER_MPICC OVNI_OTHER_MPIFORT)
set(ovni_other_mpi)
if(OVNI_OTHER_MPICC)
    ovni_find_mpi_family(ovni_other_mpi ${OVNI_OTHER_MPICC})
endif()
if(ovni_other_mpi STREQUAL other)
    execute_process(COMMAND ${OVNI_OTHER_MPICC} -show OUTPUT_VARIABLE options ERROR_QUIET)
    string(REGEX MATCHALL "-I[^ \n]+" ovni_other_mpi_includes "${options}")
    list(TRANSFORM ovni_other_mpi_includes REPLACE "^-I" "")
    list(REMOVE_DUPLICATES ovni_other_mpi_includes)
    string(REGEX MATCHALL " (-L|-l|-Wl,)[^ \n]+" ovni_other_mpi_libraries "${options}")
    list(TRANSFORM ovni_other_mpi_libraries STRIP)
else()
    set(ovni_other_mpi)
    message(STATUS "No second MPI found (mpicc.${other}): only programs of ${ovni_mpi_family} are traced")
endif()

foreach(family ${ovni_mpi_family} ${ovni_other_mpi})
    add_library(ovni_mpi_${family} INTERFACE)
    # The C++ bindings of MPI-2 are not used, and would add a library to link.
    target_compile_definitions(ovni_mpi_${family} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endforeach()
target_link_libraries(ovni_mpi_${ovni_mpi_family} INTERFACE MPI::MPI_C)
if(ovni_other_mpi)
    target_include_directories(ovni_mpi_${ovni_other_mpi} SYSTEM INTERFACE ${ovni_other_mpi_includes})
    target_link_libraries(ovni_mpi_${ovni_other_mpi} INTERFACE ${ovni_other_mpi_libraries})
endif()
