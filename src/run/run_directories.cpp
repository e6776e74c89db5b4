#include "run/run_directories.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "ring/session.hpp"

namespace ovni::run {

namespace fs = std::filesystem;

namespace {

bool is_run_directory(const fs::path& directory) {
    return writer::Session::open(directory.string()).is_valid();
}

// Or whatever else a run directory of another version may hold.
bool holds_rings(const fs::path& directory) {
    std::error_code fault;
    return std::ranges::any_of(fs::directory_iterator(directory, fault),
                               [](const auto& entry) { return entry.path().filename() != "session"; });
}

}  // namespace

std::vector<fs::path> run_directories() {
    std::vector<fs::path> found;
    for (const std::string& directory : writer::in_session_places(""))
        if (is_run_directory(directory)) found.emplace_back(directory);
    return found;
}

RunName name_of_run(const fs::path& run_directory) {
    const std::string name = run_directory.filename();
    const size_t rank = std::min(name.find('.'), name.size()), pid = name.find('.', rank + 1);
    RunName found{name.substr(0, rank), 0};
    if (pid != name.npos) std::from_chars(&name[pid + 1], name.data() + name.size(), found.pid);
    return found;
}

std::string age_of(const fs::path& run_directory) {
    using namespace std::chrono;
    std::error_code fault;
    const auto made = fs::last_write_time(run_directory, fault);
    const auto age = fault ? seconds(0) : duration_cast<seconds>(fs::file_time_type::clock::now() - made);
    if (age < minutes(2)) return std::to_string(std::max(age, seconds(0)).count()) + " s";
    if (age < hours(2)) return std::to_string(duration_cast<minutes>(age).count()) + " min";
    if (age < hours(48)) return std::to_string(duration_cast<hours>(age).count()) + " h";
    return std::to_string(age / hours(24)) + " d";
}

void remove_ruins() {
    constexpr std::chrono::minutes time_to_make_one{1};
    for (const fs::path directory : writer::in_session_places("")) {
        std::error_code fault;
        bool is_new =
            fs::last_write_time(directory, fault) + time_to_make_one > fs::file_time_type::clock::now();
        if (fault || is_new || is_run_directory(directory) || holds_rings(directory)) continue;
        fs::remove(directory / "session", fault);
        fs::remove(directory, fault);
    }
}

bool is_abandoned(const fs::path& run_directory) {
    writer::Session session = writer::Session::open(run_directory.string());
    return session.is_valid() && !session.is_served();
}

}  // namespace ovni::run
