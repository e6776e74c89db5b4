#include "base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>

#include "base/log.hpp"
#include "base/standard_output.hpp"

namespace ovni {

std::string usual_name(std::string path) {
    constexpr std::string_view opened = "/proc/self/fd/";
    if (!path.starts_with(opened)) return path;
    const size_t end = std::min(path.find('/', opened.size()), path.size());
    std::error_code fault;
    const std::filesystem::path name = std::filesystem::read_symlink(path.substr(0, end), fault);
    return fault ? path : name.string() + path.substr(end);
}

Error system_error(std::string what, std::string path, std::optional<uint64_t> offset) {
    const char* advice = errno == EMFILE ? ": allow more with ulimit -n" : "";
    return Error(fmt::format("{}: {}{}", what, std::strerror(errno), advice), std::move(path), offset);
}

int run_main(const char* tool, const std::function<int()>& body) {
    log::set_program(tool);
    try {
        int status = body();
        flush_stdout();
        return status;
    } catch (const UsageError& e) {
        log::error("{}", e.what());
        return 2;
    } catch (const std::bad_alloc&) {
        log::error("there is not enough memory: see the limits of the job, and ulimit -v");
        return 1;
    } catch (const std::exception& e) {
        log::error("{}", e.what());
        return 1;
    }
}

}  // namespace ovni
