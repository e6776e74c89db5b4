// Runs a program one instruction at a time: where is it after COUNT instructions, counted from the first one
// at ADDRESS on? A repeated instruction counts once.
//
//     step_oracle ADDRESS COUNT... -- PROGRAM...     prints FILE+0xOFFSET for each count, ascending
//
// ADDRESS is that of the program's file, which has fixed addresses (-no-pie). If STEP_ONLY is set, only that
// file counts.
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

uint64_t place_of(pid_t child) {
    user_regs_struct registers{};
    ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    return registers.rip;
}

void print_place(pid_t child, uint64_t address) {
    char path[64], line[4096], first[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/maps", child);
    FILE* maps = fopen(path, "re");
    uint64_t base = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        uint64_t begin = 0, end = 0;
        const char* name = strrchr(line, '/');
        if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || !name) continue;
        if (strcmp(first, name) != 0) base = begin, strcpy(first, name);
        if (address < begin || address >= end) continue;
        printf("%.*s+0x%lx\n", static_cast<int>(strcspn(name + 1, "\n")), name + 1, address - base);
        break;
    }
    if (maps) fclose(maps);
}

struct Range {
    uint64_t begin, end;
};

std::vector<Range> code_of(pid_t child, const char* file) {
    std::vector<Range> ranges;
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", child);
    FILE* maps = fopen(path, "re");
    Range range{};
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, file) && sscanf(line, "%lx-%lx", &range.begin, &range.end) == 2)
            ranges.push_back(range);
    if (maps) fclose(maps);
    return ranges;
}

// One instruction, or the arrival at the handler of a signal, which is none.
class Stepping {
 public:
    explicit Stepping(pid_t child) : child_(child) {}
    // False if the child has ended.
    bool step() {
        int status = 0;
        was_arrival_ = signal_ != 0;
        ptrace(PTRACE_SINGLESTEP, child_, nullptr, signal_);
        signal_ = 0;
        if (waitpid(child_, &status, 0) != child_ || !WIFSTOPPED(status)) return false;
        if (WSTOPSIG(status) != SIGTRAP) signal_ = WSTOPSIG(status);
        return true;
    }
    bool was_arrival() const { return was_arrival_; }

 private:
    pid_t child_;
    int signal_ = 0;
    bool was_arrival_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    const uint64_t address = strtoull(argv[1], nullptr, 0);
    std::vector<uint64_t> counts;
    int at = 2;
    for (; at < argc && strcmp(argv[at], "--") != 0; ++at) counts.push_back(strtoull(argv[at], nullptr, 0));
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        personality(ADDR_NO_RANDOMIZE);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execvp(argv[at + 1], argv + at + 1);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const long original = ptrace(PTRACE_PEEKTEXT, child, address, nullptr);
    ptrace(PTRACE_POKETEXT, child, address, (original & ~0xffl) | 0xcc);
    for (int signal = 0; signal != SIGTRAP;) {
        ptrace(PTRACE_CONT, child, nullptr, signal);
        waitpid(child, &status, 0);
        if (!WIFSTOPPED(status)) return 1;
        signal = WSTOPSIG(status);
    }
    ptrace(PTRACE_POKETEXT, child, address, original);
    user_regs_struct registers{};
    ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    registers.rip = address;
    ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    Stepping stepping(child);
    const char* only = getenv("STEP_ONLY");
    const std::vector<Range> counted = only ? code_of(child, only) : std::vector<Range>{{0, UINT64_MAX}};
    auto is_counted = [&](uint64_t place) {
        for (const Range& range : counted)
            if (range.begin <= place && place < range.end) return true;
        return false;
    };
    uint64_t executed = 0;
    for (const uint64_t count : counts) {
        while (executed < count) {
            const uint64_t before = place_of(child);
            if (!stepping.step()) return 1;
            // A repeated instruction stays where it is; so does one that is interrupted by a signal.
            if (place_of(child) != before && is_counted(before) && !stepping.was_arrival()) ++executed;
        }
        print_place(child, place_of(child));
    }
    kill(child, SIGKILL);
    return 0;
}
