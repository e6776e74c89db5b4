#include "run/run_directories.hpp"

#include <algorithm>
#include <chrono>

#include "ring/session.hpp"

namespace ovni::run {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> directories_in_all_places() {
    std::vector<fs::path> found;
    for (uint32_t choice = 0; choice < writer::session_places; ++choice) {
        std::error_code fault;
        for (const auto& entry : fs::directory_iterator(writer::session_place(choice, ""), fault))
            found.push_back(entry.path());
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

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
    std::vector<fs::path> found = directories_in_all_places();
    std::erase_if(found, [](const fs::path& directory) { return !is_run_directory(directory); });
    return found;
}

void remove_ruins() {
    constexpr std::chrono::minutes time_to_make_one{1};
    for (const fs::path& directory : directories_in_all_places()) {
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
