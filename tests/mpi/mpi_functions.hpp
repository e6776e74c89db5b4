// The table of MPI functions as the tests read it.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ovni::test {

struct MpiFunction {
    int tier = 0;
    std::string family;
    std::string enter, leave;  // with the number behind MX: "MX[70"
    std::string name;          // without MPI_

    bool has_codes() const { return !enter.starts_with("MX"); }
    bool in_fortran() const { return family != "conversion" && family != "tool"; }
    bool is_newer_than_mpi_3() const {
        constexpr int first_of_mpi_4 = 369;
        return name.starts_with("Isendrecv") ||
               (!has_codes() && std::stoi(enter.substr(enter.find('[') + 1)) >= first_of_mpi_4);
    }
};

inline std::vector<MpiFunction> mpi_functions() {
    std::vector<MpiFunction> functions;
    std::ifstream table(std::string(SOURCE_DIR) + "/src/model/mpi_functions.txt");
    for (std::string line; std::getline(table, line);) {
        if (line.empty() || line[0] == '#') continue;
        MpiFunction function;
        std::istringstream row(line);
        row >> function.tier >> function.family >> function.enter >> function.leave;
        if (function.enter == "MX") {
            function.enter = "MX[" + function.leave;
            function.leave = "MX]" + function.leave;
        }
        std::string before = line.substr(0, line.find('('));
        function.name = before.substr(before.rfind(' ') + 1);
        functions.push_back(function);
    }
    return functions;
}

}  // namespace ovni::test
