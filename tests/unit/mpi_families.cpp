// Families of MPI libraries: names of their libraries, and that each row has its header.
#include "core/mpi_families.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ovni {
namespace {

std::string family_of(const std::vector<std::string>& libraries) {
    const MpiFamily* family = mpi_family_among(libraries);
    return family ? std::string(family->name) : "";
}

TEST(MpiFamilies, FamiliesAreKnownByLibrariesOfAProgram) {
    EXPECT_EQ(family_of({"libc.so.6", "libmpi.so.40"}), "openmpi");
    EXPECT_EQ(family_of({"libmpi.so.40.30.4"}), "openmpi");
    EXPECT_EQ(family_of({"libm.so.6", "libmpich.so.12", "libc.so.6"}), "mpich");
    EXPECT_EQ(family_of({"libmpifort.so.12", "libmpi.so.12"}), "mpich");
    EXPECT_EQ(family_of({"libc.so.6", "libmpiP.so"}), "");
    EXPECT_EQ(family_of({}), "");
}

// Open MPI 1.10 and MPICH both have a libmpi.so.12.
TEST(MpiFamilies, OlderOpenMpiIsKnownByAnotherLibraryOfIts) {
    EXPECT_EQ(family_of({"libmpi.so.12", "libopen-pal.so.13", "libc.so.6"}), "openmpi");
}

TEST(MpiFamilies, EachRowHasAHeaderOfTheTracingLibrary) {
    for (const MpiFamily& family : mpi_families) {
        EXPECT_EQ(mpi_family(family.name), &family);
        const std::string header =
            SOURCE_DIR "/mpi/interpose/library/family_" + std::string(family.name) + ".hpp";
        EXPECT_TRUE(std::filesystem::exists(header)) << header;
    }
    EXPECT_EQ(mpi_family("lam"), nullptr);
}

}  // namespace
}  // namespace ovni
