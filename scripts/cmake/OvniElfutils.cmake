# elfutils where OVNI_ELFUTILS is on and they are there: they name functions and lines of call sites. Sets ovni_elfutils to
# the target of libdw, or to nothing.
find_package(PkgConfig REQUIRED)
set(ovni_elfutils)
if(OVNI_ELFUTILS)
    pkg_check_modules(LIBDW QUIET IMPORTED_TARGET libdw)
    if(TARGET PkgConfig::LIBDW)
        set(ovni_elfutils PkgConfig::LIBDW)
    else()
        message(STATUS "No elfutils (libdw) found: call sites of MPI are shown as addresses")
    endif()
endif()
