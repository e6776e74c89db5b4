#include "region/control_socket.hpp"

#include <unistd.h>

#include <cstdlib>

#include "ring/diagnostics.hpp"
#include "ring/session.hpp"

namespace ovni::region {
namespace {

constexpr std::string_view prefix = "ctl.", suffix = ".sock";
constexpr size_t longest_word = 40;  // so that a path in /dev/shm is short enough

std::string job_of_environment() {
    for (const char* name :
         {"OVNI_RUN", "SLURM_JOB_ID", "PBS_JOBID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
        if (const char* job = secure_getenv(name); job && *job) return job;
    return "local";
}

bool is_plain(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '-';
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::string socket_word(std::string_view text) {
    std::string word(text.substr(0, longest_word));
    for (char& letter : word)
        if (!is_plain(letter)) letter = '_';
    return word;
}

std::string SocketName::text() const {
    return std::string(prefix) + job + "." + rank + "." + pid + std::string(suffix);
}

SocketName socket_name() {
    return {socket_word(job_of_environment()), socket_word(writer::launcher_rank()),
            std::to_string(getpid())};
}

std::optional<SocketName> parse_socket_name(std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    if (name.size() < prefix.size() + suffix.size()) return std::nullopt;
    name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    size_t rank = name.find('.'), pid = name.rfind('.');
    if (rank == name.npos || rank == pid || !is_number(name.substr(pid + 1))) return std::nullopt;
    return SocketName{std::string(name.substr(0, rank)), std::string(name.substr(rank + 1, pid - rank - 1)),
                      std::string(name.substr(pid + 1))};
}

std::string socket_path() {
    std::string first, shortest;
    for (uint32_t choice = 0; choice < writer::session_places; ++choice) {
        std::string place = writer::session_place(choice, "");
        if (place.empty()) continue;
        if (first.empty()) first = place;
        if (shortest.empty() || place.size() < shortest.size()) shortest = place;
    }
    if (first.empty())
        return writer::complain(writer::Trouble::control, "ovni", "no place for the control socket"), "";
    std::string name = "/" + socket_name().text();
    return (first.size() + name.size() <= longest_socket_path ? first : shortest) + name;
}

std::optional<sockaddr_un> socket_address(std::string_view path) {
    sockaddr_un address{};
    if (path.size() > longest_socket_path) return std::nullopt;
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    return address;
}

}  // namespace ovni::region
