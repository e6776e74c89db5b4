#!/usr/bin/env python3
"""Writes what the event model mpi takes from the table of MPI functions.

usage: generate_mpi_model.py TABLE OUTPUT_DIRECTORY

Makes mpi_functions.hpp, with the states of the functions that have event codes of their own, and the names of
the further ones by number; mpi_function_rows.hpp, with codes and records; and mpi_function_choices.hpp, with
names, families and tiers.
"""
import pathlib
import sys

from mpi_table import RECORDS, read_table, record_of


def header(functions):
    states = "".join(f'    {{"{f.enter}", "{f.leave}", {value}, "MPI_{f.name}"}},\n'
                     for value, f in enumerate((f for f in functions if not f.number), 1))
    names = "".join(f'    "MPI_{f.name}",\n' for f in functions if f.number)
    return f"""// Generated from src/model/mpi_functions.txt.
#pragma once

#include <string_view>

#include "model/model_spec.hpp"

namespace ovni {{

inline constexpr StateRule mpi_functions[] = {{
{states}}};

// The first has the number 1.
inline constexpr std::string_view further_mpi_functions[] = {{
{names}}};

}}  // namespace ovni
"""


def choice_header(functions):
    rows = "".join(f'    {{"MPI_{f.name}", "{f.family}", {f.tier}}},\n' for f in functions)
    families = "".join(f'    "{family}",\n' for family in dict.fromkeys(f.family for f in functions))
    return f"""// Generated from src/model/mpi_functions.txt: what a user may choose from.
#pragma once

#include <cstdint>
#include <string_view>

namespace ovni {{

struct MpiFunctionChoice {{
    std::string_view name, family;
    uint8_t tier;
}};

inline constexpr MpiFunctionChoice mpi_function_choices[] = {{
{rows}}};

inline constexpr std::string_view mpi_function_families[] = {{
{families}}};

}}  // namespace ovni
"""


def text_of(truth):
    return "true" if truth else "false"


def row_header(functions):
    records = "".join(f"    {name},\n" for name, _ in RECORDS)
    rows = "".join(f'    {{"MPI_{f.name}", "{f.family}", "{f.enter}", "{f.leave}", {f.number}, '
                   f'MpiRecord::{record_of(f)}, {text_of(f.gives())}, {text_of(f.takes())}}},\n' for f in functions)
    return f"""// Generated from src/model/mpi_functions.txt: the MPI functions, in the order of the table.
#pragma once

#include <cstdint>
#include <string_view>

#include "ovni/event_code.hpp"

namespace ovni {{

// The details that are recorded of a call: see ovni/mpi_events.h.
enum class MpiRecord : uint8_t {{
    Plain,
{records}}};

struct MpiFunctionRow {{
    std::string_view name, family;
    EventCode enter, leave;
    uint16_t number;  // behind MX; 0: the codes are its own
    MpiRecord record;
    bool gives, takes;  // data of the program
}};

inline constexpr MpiFunctionRow mpi_function_rows[] = {{
{rows}}};

}}  // namespace ovni
"""


def main():
    if {"-h", "--help"} & set(sys.argv[1:2]):
        print(__doc__.strip())
        return
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    try:
        functions = read_table(sys.argv[1])
    except ValueError as error:
        sys.exit(f"generate_mpi_model: {error}")
    output = pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    (output / "mpi_functions.hpp").write_text(header(functions))
    (output / "mpi_function_rows.hpp").write_text(row_header(functions))
    (output / "mpi_function_choices.hpp").write_text(choice_header(functions))


main()
