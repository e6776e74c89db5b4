#include "run/run_directories.hpp"

#include <algorithm>

#include "runtime/session.hpp"

namespace ovni::run {

namespace fs = std::filesystem;

std::vector<fs::path> run_directories() {
    std::vector<fs::path> found;
    for (uint32_t choice = 0; choice < session_places; ++choice) {
        std::error_code fault;
        for (const auto& entry : fs::directory_iterator(session_place(choice, ""), fault))
            if (fs::exists(entry.path() / "session", fault)) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

bool is_abandoned(const fs::path& run_directory) {
    Session session = Session::open(run_directory.string());
    return session.is_valid() && !session.is_served();
}

}  // namespace ovni::run
