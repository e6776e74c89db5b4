// Libraries that have threads of their own.
#include "threads/makers.hpp"

#include <gtest/gtest.h>

namespace ovni::threads {
namespace {

TEST(Makers, LibrariesWithThreadsAreKnownByTheirFiles) {
    for (const char* library :
         {"/usr/lib/x86_64-linux-gnu/libopen-pal.so.40", "/usr/lib/openmpi/mca_btl_tcp.so", "libpmix.so.2",
          "/opt/ucx/lib/libucs.so.0", "libfabric.so.1", "/opt/ovni/lib/libovni-mpi.so", "libmpi.so.40"})
        EXPECT_TRUE(is_library_with_threads(library)) << library;
    for (const char* file : {"/home/me/libmpi/app", "libgomp.so.1", "/usr/lib/libstdc++.so.6", "libtbb.so.12",
                             "app", "libmy-mpi.so", ""})
        EXPECT_FALSE(is_library_with_threads(file)) << file;
}

TEST(Makers, CodeOfTheProgramIsOfNoLibrary) {
    EXPECT_FALSE(is_of_library(__builtin_return_address(0)));
}

}  // namespace
}  // namespace ovni::threads
