// Rows of a model's tables that the compiler refuses: CASE says which row is wrong, without it all are right.
#include "model/model_spec.hpp"

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

constexpr EventSpec events[] = {
    {CASE == 6 ? "XFa(i33 cpu)" : "XFa(i32 cpu)", "moves to %{cpu}"},            // no such type
    {"XFb(i32 cpu)", CASE == 7 ? "moves to %{gpu}" : "moves to %{cpu}"},         // no such argument
    {"XFc(i32 cpu)", CASE == 8 ? "moves to %s{cpu}" : "moves to %x{cpu}"},       // a format of another type
    {CASE == 9 ? "XFd(str name, i32 cpu)" : "XFd+(str name)", "named %{name}"},  // str is last
};

constexpr ModelSpec model{.id = 'X',
                          .name = "example",
                          .version = CASE == 10 ? "1.0" : "1.0.0",  // no patch number
                          .linter_channel = CASE == 11 ? 2 : 0,     // no such channel
                          .channels = channels,
                          .events = events};
static_assert(well_formed(model));
