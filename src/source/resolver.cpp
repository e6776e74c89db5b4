#include "source/resolver.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>

namespace ovni {

namespace {

struct EndDwfl {
    void operator()(Dwfl* session) const { dwfl_end(session); }
};
struct Free {
    void operator()(void* memory) const { free(memory); }
};

char* debuginfo_path = nullptr;  // that of elfutils
const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                  dwfl_offline_section_address, &debuginfo_path};

// A file, at the addresses that it has itself.
struct File {
    std::unique_ptr<Dwfl, EndDwfl> session;
    Dwfl_Module* module = nullptr;  // null: not to be used
    Dwarf_Addr bias = 0;
};

std::string build_id_of(Dwfl_Module* module) {
    const unsigned char* bits = nullptr;
    GElf_Addr at = 0;
    int size = dwfl_module_build_id(module, &bits, &at);
    std::string text;
    for (unsigned char byte : std::span(bits, size > 0 ? static_cast<size_t>(size) : 0))
        text += fmt::format("{:02x}", byte);
    return text;
}

// A path in a trace may name anything: opening what is not a file could wait for ever.
File open_file(const std::string& path) {
    File file;
    std::error_code fault;
    if (!std::filesystem::is_regular_file(path, fault)) return file;
    file.session.reset(dwfl_begin(&callbacks));
    if (!file.session) return file;
    dwfl_report_begin(file.session.get());
    file.module = dwfl_report_elf(file.session.get(), path.c_str(), path.c_str(), -1, 0, true);
    dwfl_report_end(file.session.get(), nullptr, nullptr);
    if (file.module && !dwfl_module_getelf(file.module, &file.bias)) file.module = nullptr;
    return file;
}

std::string demangled(const char* name) {
    int status = 0;
    std::unique_ptr<char, Free> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status));
    return status == 0 && readable ? readable.get() : name;
}

bool is_mangled(const char* name) {
    return name[0] == '_' && name[1] == 'Z';
}

// Names of Fortran and C are those of the source; a C++ name is whole only in what the linker sees.
std::string name_of(Dwarf_Die& function) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute))
        if (const char* name = dwarf_formstring(&attribute); name && is_mangled(name)) return demangled(name);
    if (dwarf_attr_integrate(&function, DW_AT_name, &attribute))
        if (const char* name = dwarf_formstring(&attribute)) return name;
    return "";
}

// The part of the debug information that has the address, which is `address` in it; or no part.
struct Unit {
    Dwarf_Die* die = nullptr;
    Dwarf_Addr address = 0;
};

// elfutils looks only into the table of address ranges, which clang does not write: then all parts are asked.
Unit unit_of(Dwfl_Module* module, Dwarf_Addr address) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* die = dwfl_module_addrdie(module, address, &bias);
    if (die) return {die, address - bias};
    do die = dwfl_module_nextcu(module, die, &bias);
    while (die && dwarf_haspc(die, address - bias) <= 0);
    return {die, address - bias};
}

std::string function_by_symbol(Dwfl_Module* module, Dwarf_Addr address) {
    const char* name = dwfl_module_addrname(module, address);
    return name ? demangled(name) : "";
}

SourcePlace line_of(const Unit& unit) {
    SourcePlace place;
    Dwarf_Line* line = unit.die ? dwarf_getsrc_die(unit.die, unit.address) : nullptr;
    int number = 0;
    const char* file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (!file || dwarf_lineno(line, &number) != 0 || number == 0) return place;
    place.file = file;
    place.line = number;
    return place;
}

// The line that calls the function that is inlined there.
SourcePlace line_of_inlined(Dwarf_Die& inlined) {
    SourcePlace place;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Die unit;
    Dwarf_Files* files = nullptr;
    if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &line) != 0 || line == 0 ||
        !dwarf_diecu(&inlined, &unit, nullptr, nullptr) || dwarf_getsrcfiles(&unit, &files, nullptr) != 0)
        return place;
    const char* name = dwarf_filesrc(files, file, nullptr, nullptr);
    if (!name) return place;
    place.file = name;
    place.line = static_cast<int>(line);
    return place;
}

struct Scopes {
    std::unique_ptr<Dwarf_Die, Free> memory;
    std::span<Dwarf_Die> all;
};

// The scopes around the address as the code is nested, the innermost first. elfutils finds the innermost one,
// but what it lists around an inlined function is where that is written.
Scopes scopes_around(const Unit& unit) {
    Dwarf_Die *innermost = nullptr, *all = nullptr;
    int count = unit.die ? dwarf_getscopes(unit.die, unit.address, &innermost) : 0;
    std::unique_ptr<Dwarf_Die, Free> found(innermost);
    if (count > 0) count = dwarf_getscopes_die(&innermost[0], &all);
    return {std::unique_ptr<Dwarf_Die, Free>(all),
            std::span(all, count > 0 ? static_cast<size_t>(count) : 0)};
}

SourceFrames frames_by_dwarf(const Unit& unit) {
    SourceFrames frames;
    SourcePlace place = line_of(unit);
    const Scopes scopes = scopes_around(unit);
    for (Dwarf_Die& scope : scopes.all) {
        const int tag = dwarf_tag(&scope);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        place.function = name_of(scope);
        frames.push_back(place);
        if (tag == DW_TAG_subprogram) return frames;
        place = line_of_inlined(scope);
    }
    if (frames.empty()) frames.push_back(place);
    return frames;
}

}  // namespace

struct Resolver::Files {
    std::map<CodeModule, File> open;
};

Resolver::Resolver() : files_(std::make_unique<Files>()) {}
Resolver::~Resolver() = default;

SourceFrames Resolver::frames_of(const CodeModule& module, uint64_t return_address) {
    auto [known, is_new] = files_->open.try_emplace(module);
    File& file = known->second;
    if (is_new) {
        file = open_file(module.path);
        std::string build_id = file.module ? build_id_of(file.module) : "";
        if (!file.module)
            remarks_.push_back(
                fmt::format("{}: cannot be read, so its call sites are addresses", module.path));
        else if (build_id != module.build_id)
            remarks_.push_back(
                fmt::format("{}: has changed since it was traced (build id {}, then {}), so its call sites "
                            "are addresses",
                            module.path, build_id.empty() ? "none" : build_id,
                            module.build_id.empty() ? "none" : module.build_id));
        if (build_id != module.build_id) file.module = nullptr;
    }
    if (!file.module || return_address == 0) return {SourcePlace()};
    // The call ends at the byte before: what it returns to may be another line, or another function.
    const Dwarf_Addr address = return_address - 1 + file.bias;
    SourceFrames frames = frames_by_dwarf(unit_of(file.module, address));
    if (frames.back().function.empty()) frames.back().function = function_by_symbol(file.module, address);
    return frames;
}

}  // namespace ovni
