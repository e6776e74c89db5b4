# MPIs whose programs are traced: that of the build (MPI::MPI_C and so on), and one of each other family that there is.
# Families are the rows of src/core/mpi_families.hpp. Sets
#   ovni_mpi_families            those that were found; ovni_mpi_family, that of the build, is the first
#   ovni_other_mpis              the rest
#   ovni_mpi_handles_FAMILY      "addresses" or "numbers"
#   ovni_mpi_includes_FAMILY     directories of its mpi.h
#   OVNI_MPICC_FAMILY, OVNI_MPIFORT_FAMILY (if found)    compilers of other families
# Programs link ovni_mpi_FAMILY.
find_package(MPI REQUIRED COMPONENTS C CXX)

set(rows ${PROJECT_SOURCE_DIR}/src/core/mpi_families.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows})
file(READ ${rows} text)
string(REGEX MATCHALL "{\"[a-z0-9_-]+\",[ \n]+\"[A-Z0-9_]+\",[ \n]+Handles::[a-z]+" rows "${text}")
set(known_families)
set(ovni_mpi_header_test "#include <mpi.h>\n")
foreach(row IN LISTS rows)
    string(REGEX MATCH "{\"(.+)\",[ \n]+\"(.+)\",[ \n]+Handles::(.+)" row "${row}")
    list(APPEND known_families ${CMAKE_MATCH_1})
    set(ovni_mpi_handles_${CMAKE_MATCH_1} ${CMAKE_MATCH_3})
    string(APPEND ovni_mpi_header_test "#ifdef ${CMAKE_MATCH_2}\nfamily ${CMAKE_MATCH_1}\n#endif\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/mpi_family.c "${ovni_mpi_header_test}")

# Sets a variable to a family by the mpi.h that a compiler sees with these options: the last one if that is of none, and
# nothing if there is none. Sets ovni_mpi_fault to what the compiler says then.
function(ovni_find_mpi_family variable)
    execute_process(COMMAND ${ARGN} -E -P ${CMAKE_BINARY_DIR}/CMakeFiles/mpi_family.c
        OUTPUT_VARIABLE text ERROR_VARIABLE fault RESULT_VARIABLE status)
    string(REGEX MATCH "(^|\n)family ([a-z0-9_-]+)" family "${text}")
    set(family ${CMAKE_MATCH_2})
    if(NOT family)
        list(GET known_families -1 family)
    endif()
    if(NOT status EQUAL 0)
        set(family)
        set(ovni_mpi_fault "${fault}" PARENT_SCOPE)
    endif()
    set(${variable} ${family} PARENT_SCOPE)
endfunction()

list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE include_options)
ovni_find_mpi_family(ovni_mpi_family ${CMAKE_C_COMPILER} ${include_options})
if(NOT ovni_mpi_family)
    message(FATAL_ERROR "The mpi.h in ${MPI_C_INCLUDE_DIRS} cannot be used:\n${ovni_mpi_fault}\nName another MPI with "
        "-DMPI_C_COMPILER=mpicc -DMPI_CXX_COMPILER=mpicxx, or build without MPI: -DOVNI_MPI=OFF.")
endif()
add_library(ovni_mpi_${ovni_mpi_family} INTERFACE)
target_link_libraries(ovni_mpi_${ovni_mpi_family} INTERFACE MPI::MPI_C)
set(ovni_mpi_includes_${ovni_mpi_family} ${MPI_C_INCLUDE_DIRS})

# Debian has several side by side, with compilers of these names.
set(ovni_other_mpis)
foreach(family IN LISTS known_families)
    if(family STREQUAL ovni_mpi_family)
        continue()
    endif()
    find_program(OVNI_MPICC_${family} mpicc.${family} DOC "C compiler of another MPI whose programs are traced")
    find_program(OVNI_MPIFORT_${family} mpifort.${family} DOC "Fortran compiler of another MPI, for tests")
    mark_as_advanced(OVNI_MPICC_${family} OVNI_MPIFORT_${family})
    set(found)
    if(OVNI_MPICC_${family})
        ovni_find_mpi_family(found ${OVNI_MPICC_${family}})
    endif()
    if(NOT found STREQUAL family)
        message(STATUS "No MPI of the family ${family} found (mpicc.${family}): its programs are not traced")
        continue()
    endif()
    list(APPEND ovni_other_mpis ${family})
    execute_process(COMMAND ${OVNI_MPICC_${family}} -show OUTPUT_VARIABLE options ERROR_QUIET)
    string(REGEX MATCHALL "-I[^ \n]+" includes "${options}")
    list(TRANSFORM includes REPLACE "^-I" "")
    list(REMOVE_DUPLICATES includes)
    set(ovni_mpi_includes_${family} ${includes})
    string(REGEX MATCHALL " (-L|-l|-Wl,)[^ \n]+" libraries "${options}")
    list(TRANSFORM libraries STRIP)
    add_library(ovni_mpi_${family} INTERFACE)
    target_include_directories(ovni_mpi_${family} SYSTEM INTERFACE ${includes})
    target_link_libraries(ovni_mpi_${family} INTERFACE ${libraries})
endforeach()
set(ovni_mpi_families ${ovni_mpi_family} ${ovni_other_mpis})

# The C++ bindings of MPI-2 are not used, and would add a library to link.
foreach(family IN LISTS ovni_mpi_families)
    target_compile_definitions(ovni_mpi_${family} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endforeach()
