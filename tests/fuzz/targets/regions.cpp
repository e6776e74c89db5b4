// The texts of the region controller: chains as in OVNI_CONTROL, lists of ranks, words of a command line.
// Each is accepted, or refused with a sentence of one line.
#include <algorithm>
#include <string>
#include <vector>

#include "region/control_settings.hpp"
#include "region/option_words.hpp"
#include "region/plan.hpp"
#include "tests/fuzz/target.hpp"

namespace ovni::fuzz {

namespace {

using region::Fault;
using Chains = std::vector<std::string>;

constexpr std::string_view functions[] = {"MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Barrier"};
constexpr std::string_view extensions[] = {"SSE2", "AVX"}, categories[] = {"RET", "COND_BR"};

bool is_good(const Fault& fault) {
    if (!fault) return true;
    const std::string message = fault->message();
    require(!message.empty() && message.find('\n') == message.npos && fault->column() >= 1);
    return false;
}

void plan(const Chains& chains) {
    const region::KnownNames known[] = {{functions, extensions, categories}, {}};
    for (const region::KnownNames& names : known) {
        region::Plan plan;
        if (!is_good(region::make_plan(chains, names, plan))) continue;
        for (const region::Chain& chain : plan.chains)
            for (const region::Alarm& alarm : chain.alarms) {
                const std::string text = region::text_of(chain, alarm);
                require(std::ranges::none_of(text, [](unsigned char c) { return c < ' '; }));
            }
        is_good(region::find_missing_back_end(plan, region::CodeLibrary::present));
        for (auto start : {region::DefaultStart::off, region::DefaultStart::on}) plan.begins_recording(start);
    }
}

void split(std::string_view text) {
    Chains chains, again;
    if (!is_good(region::split_chains(text, chains))) return;
    require(is_good(region::split_chains(region::join_chains(chains), again)));
    require(again == chains);
    plan(chains);
}

void take_words(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
        end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
    }
    region::OptionWords options;
    Fault fault;
    for (std::span<const std::string_view> rest = words; !rest.empty() && is_good(fault);) {
        size_t taken = options.take(rest, fault);
        if (taken == 0) break;
        rest = rest.subspan(taken);
    }
    Chains chains;
    if (is_good(options.finish(chains))) plan(chains);
}

}  // namespace

void take(std::string_view text) {
    split(text);
    plan({std::string(text)});
    take_words(text);
    region::parse_scope(text);
    region::RankList ranks;
    if (is_good(region::RankList::parse(text, ranks))) ranks.holds(3);
}

}  // namespace ovni::fuzz
