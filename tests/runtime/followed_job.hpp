// A job of which every system call that changes files can be seen, and one process be killed at one of them.
// This uses ptrace, so calls that no library knows are seen, too; only calls on files below a directory
// count, so those of the dynamic linker do not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace ovni::test {

// Kinds of system calls, each with its spellings (followed_job.cpp).
enum class CallKind : uint8_t { open, write, resize, map, rename, remove };
inline constexpr const char* call_kind_names[] = {"Open", "Write", "Resize", "Map", "Rename", "Remove"};

// In front of a call or behind it: between them lies what the call does, and behind one what the program does
// before the next.
enum class CallMoment : uint8_t { before, behind };

class FollowedJob {
 public:
    // The process of the job that is to be killed: the one that `body` runs in, or the one with that program.
    struct Victim {
        std::string program;  // name of its executable file
        bool is_first = true;
    };
    enum class End : uint8_t { killed, in_order, not_followed };
    struct Result {
        End end = End::not_followed;
        std::string file;  // of the call
    };

    // The call number `nth`, from 1, of that kind on a file below `directory`.
    struct Choice {
        CallKind kind = CallKind::open;
        uint64_t nth = 1;
        CallMoment moment = CallMoment::before;
        std::filesystem::path directory;
    };

    // Runs `body`, which executes a program, and kills the victim at that call. Returns when all processes of
    // the job have ended; not_followed if this system does not allow ptrace.
    static Result run(const std::function<void()>& body, const Victim& victim, const Choice& choice);

 private:
    FollowedJob(Victim victim, Choice choice)
        : victim_(std::move(victim)), choice_(std::move(choice)), left_(choice_.nth) {}
    bool start(const std::function<void()>& body);
    void follow();
    void see(pid_t thread, int status);
    bool is_in_victim(pid_t thread);
    void see_call(pid_t thread);
    bool is_counted(pid_t thread, uint64_t number, const uint64_t* arguments);

    Victim victim_;
    Choice choice_;
    uint64_t left_;
    pid_t at_call_ = 0;  // the thread that is in the chosen call
    pid_t first_ = 0;
    bool was_killed_ = false;
    std::string file_;                 // of the last call that counted
    std::map<pid_t, bool> in_victim_;  // by thread; forgotten when one executes a program
};

}  // namespace ovni::test
