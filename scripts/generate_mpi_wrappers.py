#!/usr/bin/env python3
"""Writes the wrappers of the MPI functions listed in a table.

usage: generate_mpi_wrappers.py TABLE OUTPUT_DIRECTORY COMPILER [ARGS...]

Makes functions.hpp (the enumeration and the rows of the table) and wrappers.cpp (one wrapper per function
that mpi.h declares, as preprocessed by COMPILER ARGS -E).
"""
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"(\w+)\s+(\S{3})\s+(\S{3})\s+(\w+)\((.*)\)$")


class Function:
    def __init__(self, line):
        match = ROW.match(line)
        if not match:
            sys.exit(f"generate_mpi_wrappers: not a row of the table: {line}")
        self.kind, self.enter, self.leave, self.name, declared = match.groups()
        self.parameters = [] if declared == "void" else [p.strip() for p in declared.split(",")]

    def arguments(self):
        return ", ".join(re.search(r"(\w+)(\[\])?$", p).group(1) for p in self.parameters)

    def wrapper(self):
        parameters = ", ".join(self.parameters)
        return (f"int MPI_{self.name}({parameters}) {{\n"
                f"    auto* real = pmpi<decltype(MPI_{self.name})>(Function::{self.name});\n"
                f"    return {self.kind}(Function::{self.name}, [&] {{ return real({self.arguments()}); }});\n"
                f"}}\n")


def declared_functions(compiler):
    source = subprocess.run([*compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", text=True,
                            check=True, stdout=subprocess.PIPE).stdout
    return set(re.findall(r"\bMPI_(\w+)\s*\(", source))


def header(functions):
    names = "".join(f"    {f.name},\n" for f in functions)
    rows = "".join(f'    {{"MPI_{f.name}", "PMPI_{f.name}", "{f.enter}", "{f.leave}"}},\n' for f in functions)
    return f"""// Generated from mpi/trace/functions.txt: the traced functions, by their values in the mpi event model.
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
}};

inline constexpr FunctionRow function_rows[] = {{
    {{"", "", {{}}, {{}}}},
{rows}}};

constexpr const FunctionRow& row_of(Function function) {{
    return function_rows[static_cast<uint16_t>(function)];
}}

}}  // namespace ovni::mpi
"""


def wrappers(functions):
    body = "\n".join(f.wrapper() for f in functions)
    return f"""// Generated from mpi/trace/functions.txt: what the program calls instead of MPI.
#include <mpi.h>

#include "mpi/trace/calls.hpp"
#include "mpi/trace/pmpi.hpp"

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
    table, output, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    lines = [line.strip() for line in table.read_text().splitlines()]
    functions = [Function(line) for line in lines if line and not line.startswith("#")]
    declared = declared_functions(compiler)
    output.mkdir(parents=True, exist_ok=True)
    (output / "functions.hpp").write_text(header(functions))
    (output / "wrappers.cpp").write_text(wrappers([f for f in functions if f.name in declared]))


main()
