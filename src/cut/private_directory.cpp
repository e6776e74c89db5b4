#include "cut/private_directory.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/error.hpp"
#include "base/open_directory.hpp"
#include "base/temporary_output.hpp"

extern char** environ;

namespace ovni {

namespace fs = std::filesystem;

namespace {

// The files and the session of the child: signals of the terminal do not reach it.
class Start {
 public:
    explicit Start(int input) {
        posix_spawn_file_actions_init(&files_);
        posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
        for (int out : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&files_, out, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID);
    }
    ~Start() {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&files_);
    }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    // The number of errno, 0 if it was started.
    int run(pid_t& child, char* const* words) {
        return ::posix_spawn(&child, words[0], &files_, &attributes_, words, environ);
    }

 private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace

PrivateDirectory::PrivateDirectory(const fs::path& name) : path_(temporary_name(name)) {
    remove_left_over(name);
    if (path_.has_parent_path()) make_directories(path_.parent_path());
    // No signal may come between the directory and the child that removes it.
    start_remover();
    try {
        held_ = make_new_directory(path_, path_, S_IRWXU);
    } catch (const Error&) {
        if (remover_ > 0) ::kill(remover_, SIGKILL), ::waitpid(remover_, nullptr, 0);
        throw;
    }
}

// A program that stands alone is started instead of fork(), which copies what MPI has mapped.
void PrivateDirectory::start_remover() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    const Fd input(ends[0]);
    alive_ = Fd(ends[1]);
    std::string words[] = {"/bin/sh", "-c", R"(trap '' HUP INT TERM; read -r end; rm -rf -- "$0")",
                           fs::absolute(path_).string()};
    char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    if (Start(input.get()).run(remover_, arguments) != 0) remover_ = -1;
}

fs::path PrivateDirectory::open_path() const {
    return name_of_open(held_, path_);
}

PrivateDirectory::~PrivateDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    alive_ = Fd();
    if (remover_ > 0) ::waitpid(remover_, nullptr, 0);
}

}  // namespace ovni
