// ovnictl: controls traced processes while they run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/topics.hpp"
#include "base/typed_options.hpp"
#include "core/parse_number.hpp"
#include "run/control_client.hpp"
#include "run/control_targets.hpp"

namespace ovni::run {

namespace {

struct Command {
    std::string_view name;
    std::string_view argument;  // what help calls it; empty: it takes none
    std::string_view text;
};

constexpr Command commands[] = {
    {"fire", "[N]",
     "hit the first alarm 'interactive' that waits (default command), or the Nth of the chains"},
    {"start", "", "record from now on"},
    {"stop", "", "record no more"},
    {"status", "", "print whether the process records, its threads, and the events that reached it"},
    {"chains", "", "print the chains of alarms of the process"},
    {"flush", "", "write all recorded events, including those that flight recorders keep"},
    {"list", "", "print the processes that can be controlled, and remove sockets of dead ones"},
};

const Command* find_command(std::string_view name) {
    auto found = std::ranges::find(commands, name, &Command::name);
    return found == std::end(commands) ? nullptr : found;
}

struct Request {
    Wanted wanted;
    std::string command = "fire";
    std::string text = "fire";  // with its argument
    std::chrono::milliseconds timeout{};
};

std::chrono::milliseconds time_from(const std::string& value) {
    constexpr double longest = 1'000'000;
    const double seconds = parse_number<double>(value).value_or(0);
    if (!(seconds > 0) || seconds > longest)
        throw UsageError(fmt::format(
            "--timeout is a number of seconds above 0, and 1000000 at most, not '{}' (see --help)", value));
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

constexpr TypedOption<Request> rows[] = {
    {{"rank", "r", "LIST", "", "Only these ranks: 0,4-7."},
     [](Request& request, const std::string& value) { request.wanted.ranks = value; }},
    {{"job", "j", "ID", "", "Only that job: OVNI_RUN, or the number that the launcher gave it."},
     [](Request& request, const std::string& value) { request.wanted.job = value; }},
    {{"pid", "p", "LIST", "", "Only these processes."},
     [](Request& request, const std::string& value) { request.wanted.pids = value; }},
    {{"timeout", "t", "SECONDS", "", "Time to wait for answers.", "5"},
     store_parsed<&Request::timeout, time_from>},
};

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Places, then a command with what belongs to it.
void take_words(const std::vector<std::string>& words, Request& request) {
    auto at = std::ranges::find_if(words, [](const std::string& word) { return find_command(word); });
    request.wanted.places.assign(words.begin(), at);
    if (at == words.end()) return;
    const Command& command = *find_command(*at);
    size_t arguments = static_cast<size_t>(words.end() - at) - 1;
    request.command = request.text = *at;
    if (arguments == 0) return;
    if (command.argument.empty() || arguments > 1)
        throw UsageError(
            fmt::format("'{}' is one word too many after {} (see --help)", words.back(), command.name));
    if (!is_number(words.back()))
        throw UsageError(
            fmt::format("{} {} takes a number, not '{}'", command.name, command.argument, words.back()));
    request.text += " " + words.back();
}

std::string describe(const Target& target) {
    if (!target.name) return target.path.string();
    return fmt::format("rank {}  process {}  job {}  {}", target.name->rank, target.name->pid,
                       target.name->job, target.path.string());
}

// Each line of it belongs to somebody.
void print_lines(const std::string& who, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    do {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        fmt::print("{}: {}\n", who, line);
    } while (!text.empty());
}

// Targets that share a name, as those of programs without MPI do, get their process added to it.
std::vector<std::string> names_of(const std::vector<Target>& targets) {
    std::map<std::string, int> count;
    for (const Target& target : targets) ++count[target.who()];
    auto name_of = [&](const Target& target) {
        std::string who = target.who();
        return count[who] > 1 && target.name ? fmt::format("{} (process {})", who, target.name->pid) : who;
    };
    std::vector<std::string> names(targets.size());
    std::ranges::transform(targets, names.begin(), name_of);
    return names;
}

// A program that has become another one may have a new one there by now.
void remove_left_behind(const Target& target) {
    constexpr std::chrono::milliseconds moment{100};
    std::error_code none;
    if (target.name && ask({target.path}, "status", moment).front().from == Answer::From::nobody)
        std::filesystem::remove(target.path, none);
}

enum class Outcome { good, bad, nobody };

Outcome print_state(const Target& target, const Answer& answer) {
    constexpr std::string_view states[] = {"alive", "dead, its socket is removed", "does not answer", ""};
    std::string_view state = states[static_cast<size_t>(answer.from)];
    if (answer.from == Answer::From::nobody && !target.name) state = "dead";
    fmt::print("{}: {}\n", describe(target), state.empty() ? answer.text : state);
    if (answer.from == Answer::From::nobody) return Outcome::nobody;
    return answer.from == Answer::From::process ? Outcome::good : Outcome::bad;
}

Outcome print_answer(const Target& target, const std::string& who, const Answer& answer, double timeout) {
    switch (answer.from) {
        case Answer::From::process:
            print_lines(who, answer.text);
            return answer.text.starts_with("ok") ? Outcome::good : Outcome::bad;
        case Answer::From::nobody:
            if (!target.is_named) return Outcome::nobody;
            fmt::print("{}: err the process is dead\n", who);
            return Outcome::bad;
        case Answer::From::silence:
            fmt::print("{}: err no answer within {} s\n", who, timeout);
            break;
        case Answer::From::system:
            fmt::print("{}: err {}\n", who, answer.text);
            break;
    }
    return Outcome::bad;
}

std::string why_nobody(const Wanted& wanted) {
    Wanted all;
    all.places = wanted.places;
    size_t others = wanted.is_any() ? 0 : find_targets(all).size();
    if (others > 0) return fmt::format("no such process; {} others are there: ovnictl list", others);
    return "no process to talk to: those have a control socket that run with --control (or OVNI_CONTROL) and "
           "a chain with an alarm 'interactive' or 'timeout', here threadid:interactive at least";
}

int talk(const Request& request) {
    std::vector<Target> targets = find_targets(request.wanted);
    std::vector<std::filesystem::path> paths(targets.size());
    std::ranges::transform(targets, paths.begin(), &Target::path);
    bool lists = request.command == "list";
    std::vector<Answer> answers = ask(paths, lists ? "status" : request.text, request.timeout);
    std::vector<std::string> names = names_of(targets);
    double seconds = std::chrono::duration<double>(request.timeout).count();
    bool is_any = false, are_all_good = true;
    for (size_t i = 0; i < targets.size(); ++i) {
        Outcome outcome = lists ? print_state(targets[i], answers[i])
                                : print_answer(targets[i], names[i], answers[i], seconds);
        if (answers[i].from == Answer::From::nobody) remove_left_behind(targets[i]);
        is_any = is_any || outcome != Outcome::nobody;
        are_all_good = are_all_good && outcome != Outcome::bad;
    }
    if (!is_any) throw Error(why_nobody(request.wanted));
    return are_all_good ? 0 : 1;
}

std::string about_commands() {
    std::string text = "Commands:\n\n";
    for (const Command& command : commands)
        text += fmt::format("- `{}{}{}`: {}\n", command.name, command.argument.empty() ? "" : " ",
                            command.argument, command.text);
    return text;
}

Request parse_request(const Cli& cli) {
    Request request;
    take_words(cli.words, request);
    take_options(rows, cli, request);
    return request;
}

Cli control_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnictl",
        .summary = "talk to traced programs while they run",
        .usage = "ovnictl [OPTIONS] [TARGET...] [COMMAND]",
        .words = "DIR|fire|start|stop|status|chains|flush|list",
        .description =
            R"(Talks to traced processes while they run: those of this user on this node, or TARGETs. A TARGET
is a control socket, a directory of them (as OVNI_RUNDIR), or a pattern of both. For a job on several nodes:

    mpirun --npernode 1 ovnictl stop

The exit status is 0 if all answer ok, else 1.)",
        .options = {},
        .lists = about_commands(),
        .topics = {&topics::control},
    };
    append_rows(cli.manual.options, rows);
    return cli;
}

int run(int argc, char** argv) {
    Cli cli = control_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    return talk(parse_request(cli));
}

}  // namespace

}  // namespace ovni::run

int main(int argc, char** argv) {
    return ovni::run_main("ovnictl", [&] { return ovni::run::run(argc, argv); });
}
