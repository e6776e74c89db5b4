#include "region/plan.hpp"

#include <algorithm>
#include <optional>

#include "region/alarm_kinds.hpp"
#include "region/chain_parser.hpp"

namespace ovni::region {

namespace {

using Chains = std::vector<Chain>;

Error wrong_alarm(const Chain& chain, size_t offset, std::string what) {
    return {std::move(what), chain.source, offset};
}

std::optional<size_t> find_chain(const Chains& chains, const std::string& name) {
    for (size_t i = 0; i < chains.size(); ++i)
        if (chains[i].name == name) return i;
    return {};
}

Fault check_names(const Chains& chains) {
    for (size_t i = 0; i < chains.size(); ++i)
        if (!chains[i].name.empty() && find_chain(chains, chains[i].name) != i)
            return wrong_alarm(chains[i], chains[i].name_offset, "duplicate chain name " + chains[i].name);
    return {};
}

Fault link(Plan& plan) {
    plan.waiters.resize(plan.chains.size());
    for (size_t i = 0; i < plan.chains.size(); ++i) {
        const Chain& chain = plan.chains[i];
        if (chain.waits_for.empty()) continue;
        std::optional<size_t> awaited = find_chain(plan.chains, chain.waits_for);
        if (!awaited) return wrong_alarm(chain, chain.waits_for_offset, "unknown chain " + chain.waits_for);
        plan.waiters[*awaited].push_back(i);
        if (plan.chains[*awaited].repeat == endless)
            plan.warnings.push_back(
                wrong_alarm(chain, chain.waits_for_offset,
                            "chain " + chain.waits_for + " repeats endlessly: the wait never ends")
                    .message());
    }
    return {};
}

// Every chain waits for at most one, so a walk longer than the list runs in a circle.
Fault check_cycles(const Chains& chains) {
    for (const Chain& first : chains) {
        const Chain* chain = &first;
        for (size_t steps = 0; !chain->waits_for.empty(); ++steps) {
            if (steps > chains.size()) return wrong_alarm(first, first.waits_for_offset, "waitfor cycle");
            chain = &chains[*find_chain(chains, chain->waits_for)];
        }
    }
    return {};
}

Fault check_alarms(const Chains& chains) {
    size_t alarms = 0;
    size_t uniforms = 0;
    for (const Chain& chain : chains) {
        for (const Alarm& alarm : chain.alarms) {
            if (alarm.kind == AlarmKind::uniform && ++uniforms > 1)
                return wrong_alarm(chain, alarm.offset, "only one uniform");
            if (++alarms > most_alarms)
                return wrong_alarm(chain, alarm.offset,
                                   "more than " + std::to_string(most_alarms) + " alarms");
        }
    }
    return {};
}

}  // namespace

bool Plan::begins_recording(DefaultStart default_start) const noexcept {
    auto starts = [](const Alarm& alarm) { return alarm.event == Event::start; };
    auto starts_somewhere = [&](const Chain& chain) { return std::ranges::any_of(chain.alarms, starts); };
    return default_start == DefaultStart::on && std::ranges::none_of(chains, starts_somewhere);
}

Fault make_plan(std::span<const std::string> chains, const KnownNames& known, Plan& plan) noexcept {
    plan = {};
    for (const std::string& text : chains)
        if (Fault fault = parse_chain(text, known, plan.chains.emplace_back(), plan.warnings)) return fault;
    if (Fault fault = check_names(plan.chains)) return fault;
    if (Fault fault = link(plan)) return fault;
    if (Fault fault = check_cycles(plan.chains)) return fault;
    return check_alarms(plan.chains);
}

Fault split_chains(std::string_view text, std::vector<std::string>& chains) noexcept {
    std::vector<Letter> letters;
    if (Fault fault = read_letters(text, letters)) return fault;
    size_t begin = 0;
    for (const Letter& letter : letters) {
        if (letter.c != ';' || letter.is_quoted) continue;
        chains.emplace_back(text.substr(begin, letter.offset - begin));
        begin = letter.offset + 1;
    }
    chains.emplace_back(text.substr(begin));
    return {};
}

// A text that cannot be read is copied as it is; split_chains() reports it.
std::string join_chains(std::span<const std::string> chains) noexcept {
    std::string text;
    for (const std::string& chain : chains) {
        std::vector<Letter> letters;
        if (&chain != chains.data()) text += ';';
        size_t begin = text.size();
        text += chain;
        if (read_letters(chain, letters)) continue;
        size_t escapes = 0;
        for (const Letter& letter : letters)
            if (letter.c == ';' && !letter.is_quoted) text.insert(begin + letter.offset + escapes++, 1, '\\');
    }
    return text;
}

std::string text_of(const Chain& chain, const Alarm& alarm) noexcept {
    std::vector<Letter> letters;
    read_letters(chain.source, letters);
    size_t end = chain.source.size();
    for (const Letter& letter : letters)
        if (letter.c == ',' && !letter.is_quoted && letter.offset > alarm.offset) {
            end = letter.offset;
            break;
        }
    std::string text = chain.source.substr(alarm.offset, end - alarm.offset);
    for (char& c : text)
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

bool waits_for_code(const Plan& plan) noexcept {
    return has_alarm(plan,
                     [](const Alarm& alarm) { return row_of(alarm.kind).back_end == BackEnd::code_library; });
}

bool has_fixed_address(const Plan& plan) noexcept {
    return has_alarm(plan, [](const Alarm& alarm) { return alarm.address_form == AddressForm::absolute; });
}

Fault find_missing_back_end(const Plan& plan, CodeLibrary code_library) noexcept {
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) {
            const KindRow& row = row_of(alarm.kind);
            const std::string alarms = "alarms of type " + std::string(row.name);
            if (row.back_end == BackEnd::code_library && code_library == CodeLibrary::absent)
                return wrong_alarm(chain, alarm.offset,
                                   alarms + " need libovni-code.so: ovnirun loads it, where it is installed");
        }
    return {};
}

}  // namespace ovni::region
