// A process with a service, as the controller makes it: says its socket's path on stdout, then does what the
// lines on stdin ask for, and says "done" to each.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "region/control_socket.hpp"
#include "region/service.hpp"

using namespace ovni;
using namespace ovni::region;

namespace {

constinit writer::Immortal<Service> service;
char** arguments;

void answer(std::string_view words, std::string& reply) noexcept {
    if (words == "big") reply = "ok " + std::string(2 * longest_reply, 'x');
    if (words == "chains") reply = "ok 2 chains\nfirst\nsecond\n";
    if (words == "flush") reply = "err flush";
    if (words == "hang") ::pause();
    if (reply.empty() && words != "mute")
        reply = "ok " + std::string(words) + " of " + std::to_string(::getpid());
}

bool serve() {
    return service.value.start({nullptr, answer}, socket_path());
}

// Lives until it is killed, with a service of its own.
void make_child() {
    pid_t child = ::fork();
    if (child == 0) {
        service.value.start_over_in_child();
        serve();
        for (;;) ::pause();
    }
    std::printf("%d\n", child);
}

// All numbers that a service may have got, our stdin and stdout left out.
void take_all_numbers(const char* path) {
    int file = ::open(path, O_CREAT | O_RDWR, 0600);
    for (int fd = STDERR_FILENO + 1; fd < 300; ++fd)
        if (fd != file) ::dup2(file, fd);
}

void obey(std::string_view line) {
    if (line == "close") ::closefrom(STDERR_FILENO + 1);
    if (line.starts_with("take ")) take_all_numbers(std::string(line.substr(5)).c_str());
    if (line == "fork") make_child();
    if (line == "exec") ::execv("/proc/self/exe", arguments);
    if (line == "stop") service.value.stop();
    if (line == "start") serve();
    std::puts("done");
    std::fflush(stdout);
}

}  // namespace

int main(int, char** argv) {
    arguments = argv;
    std::printf("%s %s\n", serve() ? "serves" : "fails", socket_path().c_str());
    std::fflush(stdout);
    std::array<char, 4096> line;
    while (std::fgets(line.data(), line.size(), stdin)) {
        line[std::strcspn(line.data(), "\n")] = '\0';
        obey(line.data());
    }
    service.value.stop();
    return 0;
}
