// A traced program: says its number, then does what the lines on stdin ask for, and says "done" to each:
//     emit FIRST END        events OB. with the numbers from FIRST to END - 1
//     threads FIRST END     the same in another thread
//     close                 all its descriptors but the standard ones
//     fork FIRST END        the same events in a child, which then waits for its end; prints its number
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "ovni.h"

namespace {

void put(const char* mcv, const void* payload = nullptr, size_t size = 0) {
    ovni_ev event{};
    ovni_ev_set_mcv(&event, mcv);
    ovni_ev_set_clock(&event, ovni_clock_now());
    if (size > 0) ovni_payload_add(&event, static_cast<const uint8_t*>(payload), static_cast<int>(size));
    ovni_ev_emit(&event);
}

void begin() {
    constexpr int32_t on_no_cpu_yet[] = {0, -1, 0, 0};
    ovni_thread_init(gettid());
    put("OHx", on_no_cpu_yet, sizeof on_no_cpu_yet);
}

void end() {
    put("OHe");
    ovni_thread_free();
}

void emit(int first, int last) {
    for (int i = first; i < last; ++i) put("OB.", &i, sizeof i);
}

void make_child(int first, int last) {
    pid_t child = ::fork();
    if (child == 0) {
        emit(first, last);
        for (;;) ::pause();
    }
    std::printf("%d\n", child);
}

void obey(const char* line) {
    char word[16] = {};
    int first = 0, last = 0;
    std::sscanf(line, "%15s %d %d", word, &first, &last);
    std::string action = word;
    if (action == "emit") emit(first, last);
    if (action == "threads") {
        std::thread([=] {
            begin();
            emit(first, last);
            end();
        }).join();
    }
    if (action == "close") ::closefrom(STDERR_FILENO + 1);
    if (action == "fork") make_child(first, last);
    std::puts("done");
    std::fflush(stdout);
}

}  // namespace

int main() {
    ovni_proc_init(1, "node.app", getpid());
    begin();
    ovni_add_cpu(0, 0);
    std::printf("%d\n", getpid());
    std::fflush(stdout);
    std::array<char, 256> line;
    while (std::fgets(line.data(), line.size(), stdin)) obey(line.data());
    end();
    ovni_proc_fini();
    return 0;
}
