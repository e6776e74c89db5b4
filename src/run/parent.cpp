#include <unistd.h>

#include <cstdlib>

#include "base/error.hpp"
#include "core/launcher.hpp"
#include "run/apart.hpp"
#include "run/execute.hpp"
#include "run/inherited.hpp"
#include "run/launch.hpp"
#include "run/watch.hpp"
#include "run/witness.hpp"

namespace ovni::run {

namespace {

// The child: the program, once the companion has started. Where ovnirun died before, there is nothing to run.
[[noreturn]] void become(char** program, const Inherited& inherited, Pipe go) {
    go.write = Fd();
    char byte;
    if (::read(go.read.get(), &byte, 1) != 1) ::_exit(1);
    inherited.restore();
    ::_exit(execute(program));
}

// The socket of a launcher by PMI, -1 if there is none. Hydra kills a rank, which is ovnirun here, once it
// sees that close before MPI_Finalize: so it stays open until ovnirun ends, too.
int socket_of_launcher() {
    const char* descriptor = launcher_value("PMI_FD");
    return is_open_socket(descriptor) ? std::atoi(descriptor) : -1;
}

// Hydra also kills the other ranks then. A process apart does what ovnirun has not done.
void guard(Companion& companion) {
    const Fd end = end_of(::getpid());
    if (!end) return;
    try_apart([&] {
        let_go_of_descriptors({end.get()});
        // The launcher waits for all who may write there.
        ::dup2(STDOUT_FILENO, STDERR_FILENO);
        await(end);
        companion.take_over();
    });
}

}  // namespace

int run_as_parent(const Launch& launch, Companion& companion) {
    companion.prepare();
    Pipe go = make_pipe();
    Inherited inherited;
    pid_t program = ::fork();
    if (program == 0) become(launch.program, inherited, std::move(go));
    if (program < 0) throw system_error("no process for it", launch.program[0]);
    const int socket = socket_of_launcher();
    if (socket >= 0) guard(companion);
    Ending ending;
    {
        GroupWitness witness(launch.words);
        let_go_of_descriptors({go.write.get(), witness.descriptor(), socket});
        companion.start(program);
        // Fails where it has been killed meanwhile; how it ended counts all the same.
        [[maybe_unused]] ssize_t sent = ::write(go.write.get(), "", 1);
        go = Pipe();
        ending = Watch(program, witness, companion).until_end();
    }
    companion.finish(ending);
    return end_as(ending);
}

}  // namespace ovni::run
