// Rows of a model's tables that the compiler refuses: CASE says which row is wrong, without it all are right.
#include "model/well_formed.hpp"

using namespace ovni;

#ifndef CASE
#define CASE 0
#endif

constexpr StateRule states[] = {
    {"XA[", "XA]", 1, "one"},
    {CASE == 1 ? "YB[" : "XB[", "XB]", 2, "two"},    // of another model
    {CASE == 2 ? "XA[" : "XC[", "XC]", 3, "three"},  // a code twice
    {"XD[", "XD]", CASE == 3 ? 0 : 4, "four"},       // 0 is no value
    {"XE[", "XE]", CASE == 4 ? 4 : 5, "five"},       // two labels for a value
};

constexpr ChannelSpec channels[] = {
    {.name = "a", .kind = ChannelKind::stack, .prv_type = 300, .title = "A", .states = states},
    {.name = "b", .prv_type = CASE == 5 ? 300 : 301, .title = "B"},  // two channels of one type
};

constexpr Action hook = Action::hook;

constexpr EventSpec events[] = {
    {CASE == 6 ? "XFa(i33 cpu)" : "XFa(i32 cpu)", "moves to %{cpu}", hook, stateless},     // no such type
    {"XFb(i32 cpu)", CASE == 7 ? "moves to %{gpu}" : "moves to %{cpu}", hook, stateless},  // no such argument
    {"XFc(i32 cpu)", CASE == 8 ? "moves to %s{cpu}" : "moves to %x{cpu}", hook,
     stateless},  // a format of another type
    {CASE == 9 ? "XFd(str name, i32 cpu)" : "XFd+(str name)", "named %{name}", hook,
     stateless},                                                 // str is last
    {"XGa", "runs", hook, CASE == 12 ? undeclared : stateless},  // a hook that says nothing of states
    {"XGx(u32 id)",
     "runs %{id}",
     hook,
     {.kind = StateKind::run,
      .channel = CASE == 13 ? 2 : 0,           // no such channel
      .opposite = CASE == 14 ? "XGq" : "XGp",  // no such event
      .key_size = 4,
      .kept = CASE == 15 ? 5 : 4}},  // more than the payload has
    {"XGp(u32 id)",
     "pauses %{id}",
     hook,
     {.kind = CASE == 16 ? StateKind::end : StateKind::pause,  // a run has to pause
      .channel = 0,
      .key_at = CASE == 17 ? 2 : 0,  // a key behind the payload
      .key_size = 4}},
    {"XGr(u32 id)", "goes on with %{id}", hook, {.kind = StateKind::resume, .channel = 0, .key_size = 4}},
    {"XGe(u32 id)",
     "ends %{id}",
     hook,
     {.kind = CASE == 18 ? StateKind::resume : StateKind::end,
      .channel = 0,
      .key_size = 4}},  // a run has to end
    {"XGi", "ignored", Action::ignore,
     CASE == 19 ? HookState{.kind = StateKind::pop} : undeclared},  // but pops
    {"XG[(u32 id)",
     "begins %{id}",
     hook,
     {.kind = StateKind::push,
      .channel = 1,
      .opposite = CASE == 20 ? "" : "XG]",  // nothing closes it
      .key_size = CASE == 21 ? 2 : 4}},     // another key than that which closes it
    {"XG](u32 id)", "ends %{id}", hook, {.kind = StateKind::pop, .channel = 1, .key_size = 4}},
};

constexpr ModelSpec model{.id = 'X',
                          .name = "example",
                          .version = CASE == 10 ? "1.0" : "1.0.0",  // no patch number
                          .linter_channel = CASE == 11 ? 2 : 0,     // no such channel
                          .channels = channels,
                          .events = events};
static_assert(well_formed(model));
