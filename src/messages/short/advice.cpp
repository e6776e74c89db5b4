#include "messages/short/advice.hpp"

#include "messages/costs/process_profile.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

struct Advice {
    std::string_view functions, advice;
};
constexpr Advice all_advice[] = {
    {"MPI_File_write", "let all ranks write a part each, by MPI_File_write_at_all"},
    {"MPI_File_iwrite", "let all ranks write a part each, by MPI_File_iwrite_at_all"},
    {"MPI_File_read", "let all ranks read a part each, by MPI_File_read_at_all"},
    {"MPI_File_iread", "let all ranks read a part each, by MPI_File_iread_at_all"},
};

}  // namespace

std::string_view advice_on(uint32_t function) {
    if (function == outside_of_mpi) return "";
    const std::string_view name = mpi_function_rows[function].name;
    const bool is_collective = name.find("_all") != name.npos || name.find("_ordered") != name.npos;
    for (const Advice& of : all_advice)
        if (name.starts_with(of.functions) && !is_collective) return of.advice;
    return "";
}

}  // namespace ovni
