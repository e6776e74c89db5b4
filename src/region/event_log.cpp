#include "region/event_log.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string_view>

#include "ring/diagnostics.hpp"
#include "ring/posix_io.hpp"

namespace ovni::region {

namespace {

constexpr std::array<const char*, 4> outcomes = {"done", "was so", "ignored", "wished"};

std::string rank_text(std::optional<uint32_t> rank, const char* none) {
    return rank ? std::to_string(*rank) : none;
}

// As alarms of type `address` spell it. Handlers may call this.
std::array<char, 128> place_text(uint64_t address) {
    std::array<char, 128> text{"-"};
    dl_find_object found{};
    if (address == 0) return text;
    if (::_dl_find_object(reinterpret_cast<void*>(address), &found) != 0 || found.dlfo_link_map == nullptr) {
        snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(address));
        return text;
    }
    std::string_view path = found.dlfo_link_map->l_name;
    if (path.empty()) path = program_invocation_short_name;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    snprintf(text.data(), text.size(), "%.*s+0x%llx", static_cast<int>(std::min<size_t>(name.size(), 96)),
             name.data(),
             static_cast<unsigned long long>(address - reinterpret_cast<uint64_t>(found.dlfo_map_start)));
    return text;
}

}  // namespace

const char* name_of(Outcome outcome) noexcept {
    return outcomes[static_cast<size_t>(outcome)];
}

void EventLog::set_name(const std::string& name, std::optional<uint32_t> rank) {
    rank_ = rank;
    if (name.empty()) return;
    name_ = {{}, name};
    char directory[PATH_MAX];
    if (name[0] != '/' && getcwd(directory, sizeof directory))
        name_->directory = std::string(directory) + "/";
}

bool EventLog::open(writer::OwnFile& file) noexcept {
    std::string path = name_->directory;
    const std::string& name = name_->file;
    for (size_t i = 0; i < name.size(); ++i) {
        char letter = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
        if (letter == 'r')
            path += rank_text(rank_, "0");
        else if (letter == 'p')
            path += std::to_string(getpid());
        else {
            path += name[i];
            continue;
        }
        ++i;
    }
    constexpr mode_t mode = 0644;
    if (file.open(path, O_WRONLY | O_CREAT | O_APPEND, mode, writer::OwnFile::Links::trusted)) return true;
    writer::complain(writer::Trouble::open, "ovni", "cannot write the log of regions %s:", path.c_str());
    return false;
}

void EventLog::write(const LogLine& line, Descriptors descriptors, Urgency urgency) noexcept {
    if (!name_) return;
    char text[1024];
    constexpr int most_of_cause = 800;
    const Firing& firing = line.firing;
    int size = snprintf(text, sizeof text, "%llu\t%s\t%d\t%u\t%.*s\t%s\t%.*s\t%s\t%s\n",
                        static_cast<unsigned long long>(line.clock), rank_text(rank_, "-").c_str(), getpid(),
                        firing.thread, static_cast<int>(name_of(firing.event).size()),
                        name_of(firing.event).data(), firing.is_broadcast ? "bcast" : "-",
                        std::min(static_cast<int>(line.cause.size()), most_of_cause), line.cause.data(),
                        name_of(line.outcome), place_text(line.address).data());
    if (urgency == Urgency::at_once ? !mutex_.try_lock() : (mutex_.lock(), false)) return;
    writer::FileSizeSignalHeld held;
    std::optional<writer::OwnFile>& file = files_[static_cast<size_t>(descriptors)];
    if (!file) file.emplace();
    if (file->is_open() || (urgency == Urgency::usual && open(*file))) {
        ssize_t written = ::write(file->get(), text, static_cast<size_t>(size));
        if (written != size)
            writer::complain(writer::Trouble::write, "ovni", "cannot write the log of regions:");
    }
    mutex_.unlock();
}

void EventLog::start_over_in_child() noexcept {
    mutex_.forget();
    for (std::optional<writer::OwnFile>& file : files_) file.reset();
}

}  // namespace ovni::region
