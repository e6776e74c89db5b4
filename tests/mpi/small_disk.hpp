// Emulators that write into a small file system, which holds as much already as the test says.
#pragma once

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {

class SmallDisk {
 public:
    // `mounted_at`: a directory that is there. It stays empty: the file system is seen by the emulator alone.
    explicit SmallDisk(fs::path mounted_at) : mounted_at_(std::move(mounted_at)) {}

    const fs::path& path() const { return mounted_at_; }
    // Empty if a file system can be mounted here; else why not.
    std::string fault() const {
        const Finished probe = in_namespace(mount());
        return probe.status == 0 ? "" : "no file system can be mounted here: " + probe.err;
    }
    // Runs the command with `kilobytes` left; what is there behind it, besides, goes to its output.
    Finished run_with_room_for(int kilobytes, const std::string& command) const {
        const std::string disk = mounted_at_.string();
        const std::string fill =
            "head -c " + std::to_string(size - kilobytes) + "k /dev/zero >" + disk + "/fill";
        return in_namespace(mount() + " && " + fill + " && " + command + "; status=$?; ls -A " + disk +
                            "; exit $status");
    }

 private:
    static constexpr int size = 512;  // KiB
    std::string mount() const {
        return "mount -t tmpfs -o size=" + std::to_string(size) + "k none " + mounted_at_.string();
    }
    static Finished in_namespace(const std::string& command) {
        return run({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", command}, mpi_environment);
    }

    fs::path mounted_at_;
};

}  // namespace ovni::test
