// Runs programs as a user would, and takes what they print.
#pragma once

#include <string>
#include <vector>

namespace ovni::test {

struct Finished {
    int status = 0;  // exit status, or 128 + number of the signal
    std::string out, err;
};

// Runs a program by path, or by name as found in PATH; no shell. `environment` ("NAME=value") is added to
// ours. After `seconds` the program is killed and the status is 128 + SIGKILL.
Finished run(const std::vector<std::string>& words, const std::vector<std::string>& environment = {},
             int seconds = 60);

// Call between fork() and exec(): a launcher of MPI jobs ends with its test, even if that is killed, and
// takes its processes with it, which would compute for ever. Other programs see nothing of it.
void end_job_with_test(const char* program);

// The path of one of the project's programs.
std::string program(const std::string& name);

}  // namespace ovni::test
