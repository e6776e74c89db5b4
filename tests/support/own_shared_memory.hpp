// Files that other programs have left in /dev/shm are reported by every ovnirun, and taken by every
// ovnirecover --all. So tests of these two have a /dev/shm of their own, if the system lets them and nothing
// of theirs lies in the usual one:
//     static testing::Environment* const shared_memory = AddGlobalTestEnvironment(new OwnSharedMemory);
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace ovni::test {

class OwnSharedMemory : public testing::Environment {
 public:
    void SetUp() override {
        for (const std::string& used :
             {std::filesystem::temp_directory_path().string(), std::string(BUILD_DIR)})
            if (used.starts_with(place)) return;
        if (::unshare(CLONE_NEWNS) != 0) return;
        if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
        // The usual one stays if this fails.
        [[maybe_unused]] int failed = ::mount("memory", place, "tmpfs", 0, "mode=1777");
    }

 private:
    static constexpr const char* place = "/dev/shm";
};

}  // namespace ovni::test
