// companion_host LOG parent|detached PROGRAM...: runs a program as ovnirun does, with a companion that notes
// in a file what is asked of it and has a thread.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "run/launch.hpp"

namespace {

using namespace ovni::run;

class Noting : public Companion {
 public:
    explicit Noting(const char* log) : log_(log) {}
    void prepare() noexcept override {
        setenv("COMPANION", "prepared", 1);
        note("prepare");
    }
    void start(pid_t program) noexcept override {
        open_.store(open("/dev/null", O_RDONLY | O_CLOEXEC));
        thread_ = std::thread([this] { turns_.wait(0); });
        note(fmt::format("start {} session {}", program, getsid(0) == getpid() ? "own" : "same"));
    }
    void finish(const Ending& ending) noexcept override {
        turns_.store(1);
        turns_.notify_all();
        thread_.join();
        const char* by = ending.by == Ending::By::exit     ? "exit"
                         : ending.by == Ending::By::signal ? "signal"
                                                           : "unknown";
        note(fmt::format("finish {} {}", by, ending.code));
    }

 private:
    void note(const std::string& text) const {
        int file = open(log_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        std::string line = text + "\n";
        if (write(file, line.data(), line.size()) < 0) std::abort();
        close(file);
    }

    const char* log_;
    std::thread thread_;
    std::atomic<int> turns_{0}, open_{-1};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    return ovni::run_main("companion_host", [&] {
        Noting companion(argv[1]);
        Launch launch{argv, argv + 3};
        return std::strcmp(argv[2], "detached") ? run_as_parent(launch, companion)
                                                : run_detached(launch, companion);
    });
}
