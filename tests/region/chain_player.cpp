#include "tests/region/chain_player.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <sstream>

#include "region/engine.hpp"

namespace ovni::region::test {

namespace {

constexpr std::array<std::string_view, 4> function_names = {"MPI_Init", "MPI_Send", "MPI_Recv",
                                                            "MPI_Barrier"};

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

class Player {
 public:
    Player(const Plan& plan, unsigned threads)
        : engine_(plan, {threads, DefaultStart::on, {this, fired, nullptr}}) {}

    void token(size_t index, const std::string& text);
    std::string firings() const { return firings_; }

 private:
    static void fired(void* context, const Firing& firing) noexcept {
        static_cast<Player*>(context)->note(firing);
    }
    void note(const Firing& firing);
    Thread thread(uint32_t number);
    void instructions(Thread thread, uint64_t count);
    void site(Thread thread, const std::string& what);
    void pcontrol(Thread thread, const std::string& what);

    Engine engine_;
    std::map<uint32_t, Thread> threads_;
    std::string place_;
    std::string instruction_;
    std::string firings_;
};

void Player::note(const Firing& firing) {
    std::string scope = firing.is_broadcast ? ",bcast" : "";
    firings_ += std::string(firings_.empty() ? "" : " ") + std::string(name_of(firing.event)) + "(t" +
                std::to_string(firing.thread) + scope + ")" + (firing.alarm == no_alarm ? "*" : "") + place_ +
                instruction_;
}

Thread Player::thread(uint32_t number) {
    auto found = threads_.find(number);
    if (found == threads_.end()) found = threads_.emplace(number, engine_.attach(number)).first;
    return found->second;
}

void Player::instructions(Thread thread, uint64_t count) {
    for (uint64_t done = 0; done < count;) {
        uint64_t part = std::min(engine_.instructions_until_next(thread), count - done);
        done += part;
        instruction_ = "#" + std::to_string(done);
        engine_.instructions(thread, part);
    }
}

void Player::pcontrol(Thread thread, const std::string& what) {
    size_t at = what.find('@');
    int64_t level = at == std::string::npos ? 1 : std::atoll(what.c_str() + at + 1);
    engine_.hit(thread, AlarmKind::pcontrol, what.substr(0, at), level);
}

void Player::site(Thread thread, const std::string& what) {
    constexpr double ns_per_second = 1e9;
    std::vector<std::string> parts = parts_of(what, '.');
    auto number = [&](size_t i) {
        return i < parts.size() ? std::strtoull(parts[i].c_str(), nullptr, 0) : 0;
    };
    const std::string& head = parts[0];
    std::string rest = parts.size() > 1 ? what.substr(head.size() + 1) : "";
    if (parts.size() == 1 && what != "int3" && what != "interactive")
        return engine_.hit(thread, AlarmKind::address, what);
    if (head == "int3") return engine_.hit(thread, AlarmKind::int3);
    if (head == "interactive") return engine_.hit(thread, AlarmKind::interactive);
    if (head == "e") return engine_.hit(thread, AlarmKind::enter_function, rest);
    if (head == "x") return engine_.hit(thread, AlarmKind::exit_function, rest);
    if (head == "ssc") return engine_.hit(thread, AlarmKind::ssc, std::strtoull(rest.c_str(), nullptr, 16));
    if (head == "pc") return pcontrol(thread, rest);
    if (head == "cpuid")
        return engine_.hit(thread, AlarmKind::cpuid, number(1), static_cast<int64_t>(number(2)));
    if (head == "magic")
        return engine_.hit(thread, AlarmKind::magic,
                           magic_value(static_cast<uint32_t>(number(1)), static_cast<uint32_t>(number(2))));
    if (head == "mpi") return engine_.hit(thread, AlarmKind::mpi, number(1));
    if (head == "slow")
        return engine_.hit(thread, AlarmKind::slow_call, number(1), static_cast<int64_t>(number(2)));
    if (head == "timeout")
        return engine_.hit(thread, AlarmKind::timeout,
                           static_cast<uint64_t>(std::stod(rest) * ns_per_second));
    firings_ += " unknown:" + what;
}

void Player::token(size_t index, const std::string& text) {
    size_t colon = text.find(':');
    std::string what = text.substr(colon + 1);
    bool is_number = what.size() > 1 && what.find_first_not_of("0123456789", 1) == std::string::npos;
    bool is_exact = is_number && what[0] == 'i';
    place_ = "@" + std::to_string(index) + ":" + text;
    instruction_ = is_exact ? "#1" : "";
    Thread who = thread(static_cast<uint32_t>(std::strtoul(text.c_str() + 1, nullptr, 10)));
    if (is_exact)
        instructions(who, std::strtoull(what.c_str() + 1, nullptr, 10));
    else if (is_number && what[0] == 'b')
        engine_.block(who, std::strtoull(what.c_str() + 1, nullptr, 10));
    else
        site(who, what);
}

}  // namespace

std::span<const std::string_view> functions() {
    return function_names;
}

std::string play(const std::vector<std::string>& chains, std::string_view trace, unsigned threads) {
    Plan plan;
    if (Fault fault = make_plan(chains, {functions()}, plan)) return "error: " + fault->message();
    Player player(plan, threads);
    size_t index = 0;
    for (const std::string& token : parts_of(std::string(trace), ' '))
        if (!token.empty()) player.token(index++, token);
    return player.firings();
}

}  // namespace ovni::region::test
