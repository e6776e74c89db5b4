// A program that runs while the test looks at it and sends it signals, as a launcher or a terminal does.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace ovni::test {

class Started {
 public:
    // Pipes: stdin and stdout, stderr is ours, and a process group of its own. Terminal: all three are a new
    // terminal, and the program is the leader of its session.
    enum class On { pipes, terminal };

    // `before_exec` runs in the process that becomes the program.
    explicit Started(std::vector<std::string> words, const std::function<void()>& before_exec = {},
                     On on = On::pipes);
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
    // Kills the whole process group if the program was not waited for.
    ~Started();

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    void send_to_group(int signal) const;
    void write(const std::string& text) const;
    void close_input();
    // Closes our end of a terminal.
    void hang_up();
    // Reads up to and with `text`; throws if it has not come within 20 seconds or the output ends.
    std::string read_until(const std::string& text);
    // A line, without its end.
    std::string line();
    // All that is left, up to the end.
    std::string rest();
    // The status is as waitpid reports it; throws after 20 seconds. `options` such as WUNTRACED.
    int wait(int options = 0);

 private:
    void start_on_pipes(std::vector<char*>& argv, const std::function<void()>& before_exec);
    void start_on_terminal(std::vector<char*>& argv, const std::function<void()>& before_exec);
    bool read_more();

    pid_t pid_ = 0;
    int input_ = -1, output_ = -1;
    bool ended_ = false;
    std::string unread_;
};

}  // namespace ovni::test
