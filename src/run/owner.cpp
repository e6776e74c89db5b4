#include "run/owner.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

constexpr mode_t write_for_others = S_IWGRP | S_IWOTH;

std::string user(uid_t uid) {
    return "user " + std::to_string(uid);
}

struct stat status_of(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) throw system_error("no run directory", path.string());
    return status;
}

struct stat checked(const fs::path& directory) {
    struct stat status = status_of(directory);
    if (S_ISLNK(status.st_mode)) throw Error("is a link, name the run directory itself", directory.string());
    if (!S_ISDIR(status.st_mode)) throw Error("is no directory", directory.string());
    if (status.st_mode & write_for_others)
        throw Error("can be written by others than its owner: no run directory is like that",
                    directory.string());
    if (::geteuid() != 0 && ::geteuid() != status.st_uid)
        throw Error("belongs to " + user(status.st_uid) + ": that user or root can recover it",
                    directory.string());
    return status;
}

// Only root and the owner can exchange a directory for another one if that holds for each above it. In a user
// namespace the root of the system has another number, which "/" shows.
void check_way(const fs::path& directory, uid_t owner) {
    const uid_t system = status_of("/").st_uid;
    for (fs::path above = directory.parent_path();; above = above.parent_path()) {
        struct stat status = status_of(above);
        bool is_trusted = status.st_uid == 0 || status.st_uid == owner || status.st_uid == system;
        bool is_closed = !(status.st_mode & write_for_others) || (status.st_mode & S_ISVTX);
        if (!is_trusted || !is_closed)
            throw Error(
                "others can change what lies in " + above.string() + ": run ovnirecover as " + user(owner),
                directory.string());
        if (above == above.parent_path()) return;
    }
}

bool become(uid_t uid, gid_t gid) {
    const passwd* known = ::getpwuid(uid);
    bool has_groups = known ? ::initgroups(known->pw_name, gid) == 0 : ::setgroups(0, nullptr) == 0;
    return has_groups && ::setresgid(gid, gid, gid) == 0 && ::setresuid(uid, uid, uid) == 0;
}

bool in_child(uid_t uid, gid_t gid, const fs::path& directory, const std::function<bool()>& work) {
    std::fflush(nullptr);
    pid_t child = ::fork();
    if (child < 0) throw system_error("cannot begin a process for " + user(uid), directory.string());
    if (child == 0) {
        bool all_well = false;
        try {
            if (!become(uid, gid)) throw system_error("cannot become " + user(uid), directory.string());
            all_well = work();
        } catch (const Error& error) {
            log::error("{}", error.what());
        }
        std::fflush(nullptr);
        ::_exit(all_well ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status))
        throw Error(
            "the process for " + user(uid) + " was killed by signal " + std::to_string(WTERMSIG(status)),
            directory.string());
    return WEXITSTATUS(status) == 0;
}

}  // namespace

bool as_owner(const fs::path& directory, const std::function<bool(const fs::path&)>& work) {
    // The path has no slash at its end: the system would follow a link in front of one.
    fs::path plain = directory.has_filename() ? directory : directory.parent_path();
    checked(plain);
    std::error_code fault;
    fs::path real = fs::canonical(plain, fault);
    if (fault) throw Error(fault.message(), directory.string());
    const struct stat status = checked(real);
    if (::geteuid() != 0) return work(real);
    check_way(real, status.st_uid);
    if (status.st_uid == 0) return work(real);
    return in_child(status.st_uid, status.st_gid, real, [&] { return work(real); });
}

}  // namespace ovni::run
