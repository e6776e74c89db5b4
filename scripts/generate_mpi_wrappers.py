#!/usr/bin/env python3
"""Writes the wrappers of the MPI functions listed in a table.

usage: generate_mpi_wrappers.py TABLE OUTPUT_DIRECTORY COMPILER [ARGS...]

Makes functions.hpp (the enumeration and the rows of the table), wrappers.cpp (one wrapper per function that
mpi.h declares, as preprocessed by COMPILER ARGS -E), fortran_routines.hpp and fortran_wrappers.cpp (one
wrapper per Fortran routine and spelling).
"""
import pathlib
import re
import subprocess
import sys

from mpi_arguments import details, stand_in
from mpi_table import FOLLOWED, FREQUENT, read_table, record_of

# Templates of calls.hpp for functions that are more than a call.
KINDS = {"Init": "init", "Init_thread": "init", "Finalize": "finalize_world",
         "Session_init": "session_init", "Session_finalize": "finalize"}
# Written by hand, in control.cpp.
BY_HAND = {"Pcontrol", "Abort"}

# Functions that MPI 3.0 removed: Open MPI still has them, and declares them for who asks.
MPI_HEADER = """#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define __mpi_interface_removed__(function, replacement)
#include <mpi.h>
"""


# The arguments that the real function gets.
def forwarded(parameters, record, read):
    return [stand_in(record, parameter, read) or parameter.name for parameter in parameters]


# Whether a wrapper looks at the arguments of its function.
def asked(record):
    return "is_changed" if record == "SpawnMaker" else "is_looked_at"


def wrapper(function):
    name, record = function.name, record_of(function)
    real = f"    auto* real = next<decltype(MPI_{name})>(Function::{name});\n"
    head = f"{function.result} MPI_{name}({function.declared}) {{\n"
    plain = f"real({function.arguments()})"
    if record == "Plain":
        kind = KINDS.get(name, "call")
        return f"{head}{real}    return {kind}(Function::{name}, caller_of_wrapper(), [&] {{ return {plain}; }});\n}}\n"
    arguments = ", ".join(forwarded(function.parameters, record, "for_c()"))
    inline = record in FREQUENT
    attribute, template = ("[[gnu::flatten]] ", "record_here") if inline else ("", "record")
    return (f"{attribute}{head}{real}    if (!{asked(record)}(Function::{name})) return {plain};\n"
            f"    {record} details{details(function, record, 'c')};\n"
            f"    return {template}(Function::{name}, caller_of_wrapper(), details,\n"
            f"                  [&] {{ return real({arguments}); }});\n}}\n")


# A function that mpi.h lacks, handed over to the successor: all its arguments are numbers and addresses, each in a
# register or a place of the stack of its own.
def forwarder(function):
    parameters = ", ".join(f"Word {p.name}" for p in function.parameters)
    return (f"Word MPI_{function.name}({parameters}) {{\n"
            f"    return next<decltype(MPI_{function.name})>(Function::{function.name})({function.arguments()});\n}}\n")


def declared_functions(compiler):
    source = subprocess.run([*compiler, "-E", "-x", "c", "-"], input=MPI_HEADER, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    return set(re.findall(r"\bMPI_(\w+)\s*\(", source))


def header(functions, declared):
    names = "".join(f"    {f.name},\n" for f in functions)
    rows = "".join(f'    {{"MPI_{f.name}", "PMPI_{f.name}", "{f.enter}", "{f.leave}", {f.number}, {f.tier}, '
                   f'{str(record_of(f).endswith(FOLLOWED)).lower()}, {str(f.name in declared).lower()}, "{f.family}"}},\n'
                   for f in functions)
    return f"""// Generated from src/model/mpi_functions.txt: the MPI functions, in the order of the table.
#pragma once

#include <cstdint>

#include "ovni/event_code.hpp"

namespace ovni::mpi {{

enum class Function : uint16_t {{
    none,
{names}}};

struct FunctionRow {{
    const char* name;
    const char* symbol;  // of the function that does the work
    EventCode enter, leave;
    uint16_t number;  // payload of these events; 0: none
    uint8_t tier;
    bool is_followed;  // also where it is not recorded
    bool is_declared;  // by the mpi.h of the build
    const char* family;
}};

inline constexpr FunctionRow function_rows[] = {{
    {{"", "", {{}}, {{}}, 0, 0, false, false, ""}},
{rows}}};

constexpr const FunctionRow& row_of(Function function) {{
    return function_rows[static_cast<uint16_t>(function)];
}}

}}  // namespace ovni::mpi
"""


def wrappers(functions, others):
    body = "\n".join(wrapper(f) for f in functions)
    forwarders = "\n".join(forwarder(f) for f in others)
    return f"""// Generated from src/model/mpi_functions.txt: what the program calls instead of MPI.
{MPI_HEADER}
#include "mpi/interpose/calls.hpp"
#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"

using namespace ovni::mpi;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
extern "C" {{

{body}
#ifdef OVNI_HAS_SUCCESSORS
using Word = uintptr_t;
{forwarders}
#endif
}}  // extern "C"
#pragma GCC visibility pop
"""


# The spellings of a routine, by the names of Spelling in fortran.hpp; those of its variant for large counts. A wrapper
# is called ovni_ and the name: library/imports.hpp.
SPELLINGS = {"plain": "mpi_{}", "underscore": "mpi_{}_", "underscores": "mpi_{}__", "capital": "MPI_{}",
             "f08": "mpi_{}_f08_", "f08ts": "mpi_{}_f08ts_"}
LARGE_SPELLINGS = {"f08_large": "mpi_{}_f08_large_", "f08ts_large": "mpi_{}_f08ts_large_"}

# Routines of their own for the same function, where a pointer is a C_PTR; only in the older modules.
FOR_C_POINTERS = {"Alloc_mem", "Win_allocate", "Win_allocate_shared", "Win_shared_query"}


class Routine:
    # `id`: its name in the code; `name`: what its symbols have.
    def __init__(self, function, id, name, spellings):
        self.function, self.id, self.name, self.spellings = function, id, name, spellings


def fortran_routines(functions):
    for function in functions:
        if not function.in_fortran():
            continue
        name = function.name.lower()
        if function.is_large:
            yield Routine(function, name, name.removesuffix("_c"), LARGE_SPELLINGS)
            continue
        yield Routine(function, name, name, SPELLINGS)
        if function.name in FOR_C_POINTERS:
            yield Routine(function, name + "_cptr", name + "_cptr", dict(list(SPELLINGS.items())[:4]))


# The code around the call of the real routine: a call of a template of fortran.hpp.
def fortran_template(function):
    templates = {
        "Init": "fortran_init(Function::Init, caller_of_wrapper(), ierror, ",
        "Init_thread": "fortran_init(Function::Init_thread, caller_of_wrapper(), ierror, ",
        "Finalize": "fortran_finalize(Function::Finalize, caller_of_wrapper(), ",
        "Session_init": "fortran_session_init(Function::Session_init, caller_of_wrapper(), ierror, ",
        "Session_finalize": "fortran_finalize(Function::Session_finalize, caller_of_wrapper(), ",
        "Abort": "fortran_abort(Function::Abort, caller_of_wrapper(), errorcode, ",
        "Pcontrol": "fortran_pcontrol(Function::Pcontrol, caller_of_wrapper(), level, text, length0, ",
    }
    return templates.get(function.name, f"fortran_call(Function::{function.name}, caller_of_wrapper(), ")


class FortranCall:
    """Names and types of what a routine passes on."""

    def __init__(self, function):
        self.arguments = [*function.fortran_arguments(), "ierror"]
        lengths = function.fortran_lengths()
        if function.name == "Pcontrol":
            self.arguments, lengths = ["level", "text"], 1
        if function.result == "double":
            self.arguments = []
        self.lengths = [f"length{i}" for i in range(lengths)]
        self.names = self.arguments + self.lengths
        self.parameters = ", ".join([f"Address {a}" for a in self.arguments] +
                                    [f"size_t {length}" for length in self.lengths])
        self.result = function.result if function.result == "double" else "void"


# Whether the spelling of a routine says how to read its arguments.
def needs_spelling(function):
    return "spelling)" in details(function, record_of(function), "fortran")


# The work that all spellings of a routine share if its call is recorded with details; empty for other routines.
def fortran_body(routine):
    function, record = routine.function, record_of(routine.function)
    if record == "Plain":
        return ""
    call = FortranCall(function)
    passed = dict(zip((p.name for p in function.parameters),
                      forwarded(function.parameters, record, "passed()")))
    arguments = ", ".join(passed.get(name, name) for name in call.names)
    return (f"[[gnu::noinline]] static void {routine.id}_body({call.result} (*real)({call.parameters}), "
            f"Caller caller, {'Spelling spelling, ' if needs_spelling(function) else ''}{call.parameters}) {{\n"
            f"    MPI_Fint error = MPI_SUCCESS;\n"
            f"    if (!ierror) ierror = &error;\n"
            f"    {record} details{details(function, record, 'fortran')};\n"
            f"    record(Function::{function.name}, caller, details, [&] {{\n"
            f"        BindingCall binding(Function::{function.name});\n"
            f"        real({arguments});\n"
            f"        return result_of(ierror);\n"
            f"    }});\n}}\n")


def fortran_wrapper(routine, spelling):
    function, record = routine.function, record_of(routine.function)
    call = FortranCall(function)
    name = routine.name.upper() if spelling == "capital" else routine.name
    symbol = "ovni_" + routine.spellings[spelling].format(name)
    names = ", ".join(call.names)
    head = (f"{call.result} {symbol}({call.parameters}) {{\n"
            f"    auto* real = real_routine<decltype({symbol})>(Routine::{routine.id}, Spelling::{spelling});\n")
    if record == "Plain":
        return f"{head}    return {fortran_template(function)}[&] {{ return real({names}); }});\n}}\n"
    return (f"{head}    if (!{asked(record)}(Function::{function.name})) return real({names});\n"
            f"    {routine.id}_body(real, caller_of_wrapper(), "
            f"{f'Spelling::{spelling}, ' if needs_spelling(function) else ''}{names});\n}}\n")


def routines_header(routines):
    names = "".join(f"    {r.id},\n" for r in routines)
    rows = "".join(f'    {{"{r.name}"}},\n' for r in routines)
    return f"""// Generated from src/model/mpi_functions.txt: the Fortran routines.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::mpi {{

enum class Routine : uint16_t {{
{names}}};

struct RoutineRow {{
    const char* name;  // without mpi_ and what else is part of a spelling
}};

inline constexpr RoutineRow routine_rows[] = {{
{rows}}};

constexpr const RoutineRow& row_of(Routine routine) {{
    return routine_rows[static_cast<size_t>(routine)];
}}

}}  // namespace ovni::mpi
"""


def fortran_wrappers(routines):
    body = "\n".join(fortran_body(r) + "\n".join(fortran_wrapper(r, s) for s in r.spellings) for r in routines)
    return f"""// Generated from src/model/mpi_functions.txt: what a Fortran program calls instead of MPI.
#include "mpi/interpose/fortran.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"

using namespace ovni::mpi;

#pragma GCC visibility push(default)
extern "C" {{

{body}
}}  // extern "C"
#pragma GCC visibility pop
"""


def main():
    if {"-h", "--help"} & set(sys.argv[1:2]):
        print(__doc__.strip())
        return
    if len(sys.argv) < 4:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    table, output, compiler = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    try:
        functions = read_table(table)
    except ValueError as error:
        sys.exit(f"generate_mpi_wrappers: {error}")
    declared = declared_functions(compiler)
    output.mkdir(parents=True, exist_ok=True)
    (output / "functions.hpp").write_text(header(functions, declared))
    routines = list(fortran_routines(functions))
    (output / "fortran_routines.hpp").write_text(routines_header(routines))
    (output / "fortran_wrappers.cpp").write_text(fortran_wrappers(routines))
    others = [f for f in functions if f.name not in declared and f.result == "int"]
    (output / "wrappers.cpp").write_text(wrappers([f for f in functions if f.name in declared - BY_HAND], others))


main()
