# Settings that all targets share, and the functions that make them.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_UNITY_BUILD ${OVNI_UNITS})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_library(ovni_settings INTERFACE)
# In a unit, a compiler takes what other sources declare for an outer scope, and g++ a class of a source for one of a
# header. scripts/lint keeps the names of unnamed namespaces apart.
if(NOT OVNI_UNITS)
    set(ovni_shadow -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(ovni_shadow -Wshadow=local -Wno-subobject-linkage)
endif()
# Lines are enough for backtraces; what -g adds to that costs a quarter of the build.
target_compile_options(ovni_settings INTERFACE -Wall -Wextra ${ovni_shadow} $<$<BOOL:${OVNI_DEVELOPER}>:-Werror>
    $<$<CONFIG:RelWithDebInfo>:-g1>)
target_include_directories(ovni_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
if(OVNI_SANITIZE)
    if(NOT OVNI_SANITIZE MATCHES "^(address|undefined|leak|thread)(,(address|undefined|leak))*$")
        message(FATAL_ERROR "OVNI_SANITIZE is thread, or some of address,undefined,leak, not '${OVNI_SANITIZE}'")
    endif()
    target_compile_options(ovni_settings INTERFACE -fsanitize=${OVNI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(ovni_settings INTERFACE -fsanitize=${OVNI_SANITIZE})
    # Libraries that are loaded into programs have no type information, and programs of ours link parts of these.
    if(OVNI_SANITIZE MATCHES undefined)
        target_compile_options(ovni_settings INTERFACE -fno-sanitize=vptr)
    endif()
    # TSan does not follow fences: it may report what is no race, and the compiler says so at each.
    if(OVNI_SANITIZE STREQUAL thread)
        target_compile_options(ovni_settings INTERFACE -Wno-tsan)
    endif()
    # They see the same faults, and the build takes a third less.
    if(NOT OVNI_FUZZ)
        target_compile_options(ovni_settings INTERFACE -O1)
    endif()
    # g++ 12 sees uninitialised variables in std::regex that are not there.
    target_compile_options(ovni_settings INTERFACE -Wno-maybe-uninitialized)
endif()
# Link options of programs that have no sanitizer in their own code, but run with our libraries. ThreadSanitizer has to
# come before libc, or it does not see how threads are made and crashes in our code in these.
set(ovni_sanitizer_first "")
if(OVNI_SANITIZE STREQUAL thread)
    set(ovni_sanitizer_first -Wl,--push-state,--no-as-needed -ltsan -Wl,--pop-state)
endif()
if(OVNI_FUZZ)
    # libFuzzer follows the coverage of all code; the assertions of libstdc++ are among what it looks for.
    target_compile_options(ovni_settings INTERFACE -fsanitize=fuzzer-no-link)
    target_compile_definitions(ovni_settings INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# Only g++ knows this option, and only its symbols need it.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fno-gnu-unique OVNI_HAS_NO_GNU_UNIQUE)
set(ovni_no_gnu_unique $<$<BOOL:${OVNI_HAS_NO_GNU_UNIQUE}>:-fno-gnu-unique>)

# Headers that most sources parse. A precompiled header serves targets of equal options only, so each family has one.
set(ovni_common_headers
    <algorithm>
    <array>
    <atomic>
    <cerrno>
    <cstdint>
    <cstring>
    <memory>
    <optional>
    <span>
    <string>
    <string_view>
    <utility>
    <vector>)
set(ovni_tool_headers ${ovni_common_headers} <filesystem> <fmt/format.h> <functional> <map> <set>)

# ovni_library(NAME SOURCES... LIBS libraries...): a static library of the tools.
function(ovni_library name)
    cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
    add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PUBLIC ovni_settings ${ARG_LIBS})
endfunction()

# Options of what is loaded into the traced program.
set(ovni_writer_options -fno-exceptions -fno-rtti -fvisibility=hidden -fvisibility-inlines-hidden
    ${ovni_no_gnu_unique} -ftls-model=initial-exec)
if(OVNI_SANITIZE MATCHES undefined)
    list(APPEND ovni_writer_options -fno-sanitize=vptr)
endif()

# Options of sources that must leave vector registers alone. A sanitizer might use them.
set(ovni_general_registers "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(ovni_general_registers -mgeneral-regs-only -fno-sanitize=all)
endif()

# ovni_writer_library(NAME SOURCES... LIBS libraries...): sources of libovni.so that programs of ours use too:
# compiled once, for it and for a static library. The target of libovni.so exists before.
function(ovni_writer_library name)
    cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
    add_library(${name}_objects OBJECT ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name}_objects PRIVATE ovni_settings ${ARG_LIBS})
    target_compile_options(${name}_objects PRIVATE ${ovni_writer_options})
    ovni_library(${name} $<TARGET_OBJECTS:${name}_objects> LIBS ${ARG_LIBS})
    target_sources(ovni PRIVATE $<TARGET_OBJECTS:${name}_objects>)
endfunction()

# ovni_program(NAME SOURCES... LIBS libraries...): an installed program in build/bin.
function(ovni_program name)
    cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ovni_settings ${ARG_LIBS})
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    ovni_manual(${name})
endfunction()

# ovni_manual(NAME [TARGET]): the man page and the completions of a program, from what it, or TARGET, says about itself.
function(ovni_manual name)
    set(names ${name} ${ARGN})
    list(GET names -1 speaker)
    set(directory ${PROJECT_BINARY_DIR}/manuals)
    set(pages ${directory}/${name}.1 ${directory}/${name}.bash ${directory}/_${name})
    set(generator ${PROJECT_SOURCE_DIR}/scripts/generate_manuals.py)
    file(MAKE_DIRECTORY ${directory})
    add_custom_command(
        OUTPUT ${pages}
        COMMAND ${speaker} --manual > ${directory}/${name}.json
        COMMAND ${Python3_EXECUTABLE} -B ${generator} ${PROJECT_VERSION} ${directory}/${name}.json ${directory}
        DEPENDS ${speaker} ${generator}
        VERBATIM)
    add_custom_target(${name}_manual ALL DEPENDS ${pages})
    install(FILES ${directory}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${directory}/${name}.bash RENAME ${name}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${directory}/_${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endfunction()

# Tests wait for others more than they compute.
add_library(ovni_test_settings INTERFACE)
target_compile_options(ovni_test_settings INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1>)

# ovni_test(NAME SOURCES... LIBS libraries... SUITES suites...): a GoogleTest program whose cases CTest runs one by one,
# but those of SUITES and ovni_suites together (OvniSuites.cmake). Every case sees BUILD_DIR and SOURCE_DIR as macros, to
# find programs and data. Programs below ovnirun show what calls MPI or ovni; with ALL_SENSES, all that is recorded by
# default.
function(ovni_test name)
    cmake_parse_arguments(ARG "ALL_SENSES" "" "LIBS;SUITES" ${ARGN})
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE BUILD_DIR="${PROJECT_BINARY_DIR}" SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE ovni_test_settings ${ARG_LIBS} GTest::gtest_main)
    target_precompile_headers(${name} REUSE_FROM ovni_only_calls)
    if(NOT ARG_ALL_SENSES)
        target_sources(${name} PRIVATE $<TARGET_OBJECTS:ovni_only_calls>)
    endif()
    ovni_discover_tests(${name} ${ARG_SUITES} ${ovni_suites})
endfunction()
