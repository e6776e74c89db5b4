// Prints "ready" with its process number, then every signal it gets; stop signals stop it. Ends with the
// first real-time signal but one. With an argument it sends its parent a signal of that number first.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

int main(int argc, char** argv) {
    sigset_t taken;
    sigfillset(&taken);
    for (int stop : {SIGTSTP, SIGTTIN, SIGTTOU}) sigdelset(&taken, stop);
    sigprocmask(SIG_SETMASK, &taken, nullptr);
    if (argc > 1) kill(getppid(), std::atoi(argv[1]));
    std::printf("ready %d\n", getpid());
    std::fflush(stdout);
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo(&taken, &info);
        if (signal < 0) continue;
        if (signal == SIGRTMIN + 1) return 0;
        if (info.si_code == SI_QUEUE)
            std::printf("got %d with %d\n", signal, info.si_value.sival_int);
        else
            std::printf("got %d\n", signal);
        std::fflush(stdout);
    }
}
