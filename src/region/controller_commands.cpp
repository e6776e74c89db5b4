// Requests of ovnictl.
#include <limits>

#include "region/controller.hpp"
#include "region/own_process.hpp"
#include "region/recorder.hpp"

namespace ovni::region {

namespace {

constexpr std::string_view command_cause = "ovnictl";

std::string_view text_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::done:
            return "ok done";
        case Outcome::was_so:
            return "ok was so";
        case Outcome::wished:
            return "ok wished for";
        case Outcome::ignored:
            break;
    }
    return "err ignored: another change is being made";
}

std::string_view name_of(Scope scope) {
    return scope == Scope::thread ? "thread" : scope == Scope::process ? "process" : "job";
}

}  // namespace

// The thread with the lowest number in which any of them is armed, and of these the first one.
std::optional<uint16_t> RegionController::feed(std::span<const uint16_t> alarms) noexcept {
    uint32_t least = 0;
    while (ThreadTable::Use thread = threads_.next_from(least)) {
        for (uint16_t alarm : alarms)
            if (report(thread, alarm)) return alarm;
        least = thread.thread().number + 1;
    }
    return {};
}

std::vector<uint16_t> RegionController::interactive_alarms() noexcept {
    std::vector<uint16_t> alarms;
    for (uint16_t alarm = 0; alarm < running()->alarm_count(); ++alarm)
        if (running()->facts(alarm).kind == AlarmKind::interactive) alarms.push_back(alarm);
    return alarms;
}

// `number` counts the interactive alarms, from 1; empty: any that is armed.
void RegionController::fire_interactive(std::string_view number, std::string& reply) noexcept {
    uint64_t wanted = 0;
    if (!number.empty() && (read_number(number, wanted) != Number::good || wanted == 0)) {
        reply = "err fire takes the number of an interactive alarm, from 1";
        return;
    }
    const std::vector<uint16_t> alarms = interactive_alarms();
    if (wanted > alarms.size()) {
        reply = "err there is no such alarm";
        return;
    }
    const std::span<const uint16_t> all = alarms;
    if (const auto fed = feed(wanted == 0 ? all : all.subspan(wanted - 1, 1))) {
        reply = "ok " + running()->facts(*fed).text;
        for (const Unannounced& fired : unannounced_)
            reply += ", thread " + std::to_string(fired.firing.thread) + ": " +
                     std::string(name_of(fired.firing.event)) + " " + name_of(fired.outcome);
    } else if (wanted != 0) {
        reply = "err that alarm does not wait";
    } else if (alarms.empty()) {
        reply = "err there is no alarm of type interactive";
    } else {
        reply = "ok the next that waits";
        running()->is_latched.store(true);
    }
}

void RegionController::print_status(std::string& reply) noexcept {
    reply = "ok recording=";
    reply += recorder::state_of_new_streams() == writer::Recording::on ? "on" : "off";
    reply += " scope=" + std::string(name_of(delivery_.scope())) +
             " threads=" + std::to_string(count_program_threads()) +
             " events=" + std::to_string(delivery_.count()) +
             " latched=" + (running()->is_latched.load() ? "1" : "0");
}

// A line for each alarm, and the threads for which it is armed.
void RegionController::print_chains(std::string& reply) noexcept {
    constexpr size_t most_threads = 32;
    reply = "ok";
    for (uint16_t alarm = 0; alarm < running()->alarm_count(); ++alarm) {
        const AlarmFacts& facts = running()->facts(alarm);
        reply += "\n" + std::to_string(facts.chain + 1) + " " + facts.text + " armed:";
        size_t printed = 0;
        for (uint32_t least = 0; ThreadTable::Use thread = threads_.next_from(least);) {
            uint32_t number = thread.thread().number;
            least = number + 1;
            if (!running()->engine().is_armed(thread.thread(), alarm)) continue;
            if (++printed > most_threads) {
                reply += " ...";
                break;
            }
            reply += " " + std::to_string(number);
        }
        if (printed == 0) reply += " -";
    }
}

void RegionController::command(std::string_view words, std::string& reply) noexcept {
    own_thread.phase = Phase::helper;
    std::string_view name = words.substr(0, words.find(' '));
    std::string_view rest = name.size() < words.size() ? words.substr(name.size() + 1) : "";
    if (name == "fire") return fire_interactive(rest, reply);
    if (!rest.empty()) {
        reply = "err " + std::string(name) + " takes no argument";
        return;
    }
    if (name == "status") return print_status(reply);
    if (name == "chains") return print_chains(reply);
    if (name == "flush") {
        recorder::flush();
        reply = "ok";
    } else if (name == "start" || name == "stop") {
        Firing firing{name == "start" ? Event::start : Event::stop, 0, true, no_alarm};
        Outcome outcome = delivery_.deliver(firing, command_cause, nullptr);
        unannounced_.push_back({firing, outcome});
        reply = text_of(outcome);
    } else {
        reply = "err no such request: " + std::string(name);
    }
}

}  // namespace ovni::region
