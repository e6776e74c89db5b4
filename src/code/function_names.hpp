// The names of a function as users write them.
#pragma once

#include <string>
#include <string_view>

namespace ovni::code {

// The symbol's name without its version ("@GLIBC_2.2.5"), and without the compiler's suffix of a variant
// (".isra.0", ".constprop.0").
std::string_view plain_symbol(std::string_view symbol);

// True for a part that the compiler split off a function: no function begins there.
bool is_fragment(std::string_view symbol);

// The name, demangled if it is a C++ name.
std::string demangled(std::string_view plain_symbol);

// A demangled name without scopes, template arguments and parameters: "push" of "ns::Stack<int>::push(int)".
// A Fortran function has its name in the source: "solve" of "solve_" and of "__solvers_MOD_solve".
std::string bare_name(std::string_view name);

}  // namespace ovni::code
