#include "code/program/spawns.hpp"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include <atomic>

#include "code/real_function.hpp"

namespace ovni::code {

namespace {

constinit std::atomic<void (*)(bool)> spawn_follower{nullptr};

class Spawning {
 public:
    Spawning() noexcept : follower_(spawn_follower.load(std::memory_order_acquire)) {
        if (follower_) follower_(true);
    }
    ~Spawning() {
        if (follower_) follower_(false);
    }
    Spawning(const Spawning&) = delete;
    Spawning& operator=(const Spawning&) = delete;

 private:
    void (*follower_)(bool);
};

}  // namespace

void follow_spawning(void (*spawning)(bool)) noexcept {
    spawn_follower.store(spawning, std::memory_order_release);
}

}  // namespace ovni::code

using namespace ovni::code;

#pragma GCC visibility push(default)
extern "C" {

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {
    Spawning spawning;
    return OVNI_REAL(posix_spawn)(child, path, actions, attributes, words, environment);
}

int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {
    Spawning spawning;
    return OVNI_REAL(posix_spawnp)(child, file, actions, attributes, words, environment);
}

int system(const char* command) {
    Spawning spawning;
    return OVNI_REAL(system)(command);
}

FILE* popen(const char* command, const char* mode) {
    Spawning spawning;
    return OVNI_REAL(popen)(command, mode);
}

}  // extern "C"
#pragma GCC visibility pop
