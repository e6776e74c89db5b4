// The names under which users know a function.
#pragma once

#include <string>
#include <string_view>

namespace ovni::code {

// The name in the symbol table without its version ("@GLIBC_2.2.5"), and without what the compiler puts
// behind the name of a variant (".isra.0", ".constprop.0").
std::string_view plain_symbol(std::string_view symbol);

// True for a part of a function that the compiler moved away: it is no beginning.
bool is_fragment(std::string_view symbol);

// Demangled if it is a name of C++.
std::string demangled(std::string_view plain_symbol);

// A demangled name without scopes, arguments of templates and parameters: "push" of
// "ns::Stack<int>::push(int)". A function of Fortran has the name that its source gives it: "solve" of
// "solve_" and of "__solvers_MOD_solve".
std::string bare_name(std::string_view name);

}  // namespace ovni::code
