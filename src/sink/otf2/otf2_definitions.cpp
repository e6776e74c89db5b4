#include "sink/otf2/otf2_definitions.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "sink/process_order.hpp"

namespace ovni {

namespace {

constexpr uint64_t ticks_per_second = 1'000'000'000;
constexpr uint32_t locations_group = 0, self_group = 1, first_group = 2;

class Definitions {
 public:
    Definitions(Otf2Archive& archive, const Otf2Content& content)
        : archive_(archive), writer_(archive.definitions()), content_(content), schema_(content.schema) {}

    void write() {
        const uint64_t began = schema_.began ? static_cast<uint64_t>(*schema_.began) * ticks_per_second
                                             : OTF2_UNDEFINED_TIMESTAMP;
        archive_.check(
            OTF2_GlobalDefWriter_WriteClockProperties(writer_, ticks_per_second, 0, content_.end, began));
        archive_.check(OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                                          OTF2_PARADIGM_CLASS_PROCESS));
        write_processes();
        write_threads();
        for (uint32_t number = 0; number < content_.regions.size(); ++number) write_region(number);
        for (uint32_t number = 0; number < content_.counters.size(); ++number) write_counter(number);
        write_communicators();
        write_windows();
        if (!content_.objects.files().empty()) write_files();
    }

 private:
    OTF2_StringRef text(const std::string& text) {
        const auto [known, is_new] = texts_.emplace(valid_utf8(text), static_cast<uint32_t>(texts_.size()));
        if (is_new)
            archive_.check(OTF2_GlobalDefWriter_WriteString(writer_, known->second, known->first.c_str()));
        return known->second;
    }

    uint32_t node(const std::string& host) {
        const auto [known, is_new] = nodes_.emplace(host, static_cast<uint32_t>(nodes_.size()) + 1);
        if (is_new)
            archive_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, known->second, text(host),
                                                                    text("node"), 0));
        return known->second;
    }

    void write_processes() {
        archive_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text("machine"), text("machine"),
                                                                OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        group_of_.resize(schema_.processes.size());
        uint32_t group = 0;
        for (uint32_t p : processes_in_order(schema_)) {
            const ShownProcess& process = schema_.processes[p];
            const std::string name =
                has_rank(process) ? "MPI Rank " + process.rank_name : fmt::format("process {}", process.pid);
            group_of_[p] = group++;
            archive_.check(OTF2_GlobalDefWriter_WriteLocationGroup(
                writer_, group_of_[p], text(name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node(process.host),
                OTF2_UNDEFINED_LOCATION_GROUP));
        }
    }

    void write_threads() {
        for (uint32_t row = 0; row < schema_.threads.size(); ++row)
            archive_.check(OTF2_GlobalDefWriter_WriteLocation(
                writer_, row, text(std::string((*schema_.thread.rows)[row])), OTF2_LOCATION_TYPE_CPU_THREAD,
                content_.events[row], group_of_[schema_.threads[row].process]));
    }

    // Its description is the title of its type.
    void write_region(uint32_t number) {
        const Otf2Region& region = content_.regions[number];
        const EventType& type = schema_.thread.types[region.type];
        const bool is_mpi = type.type == prv_type::mpi_function;
        const std::string label = label_of(type, region.value);
        archive_.check(OTF2_GlobalDefWriter_WriteRegion(
            writer_, number, text(label), text(label), text(type.title),
            is_mpi ? otf2_role(label) : OTF2_RegionRole{OTF2_REGION_ROLE_CODE},
            is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
            0));
    }

    void write_counter(uint32_t number) {
        const std::string& title = schema_.thread.types[content_.counters[number]].title;
        archive_.check(OTF2_GlobalDefWriter_WriteMetricMember(
            writer_, number, text(title), text(title), OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
            OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, text("#")));
        archive_.check(OTF2_GlobalDefWriter_WriteMetricClass(
            writer_, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    }

    void write_group(uint32_t number, const std::string& name, OTF2_GroupType type,
                     const std::vector<uint64_t>& members) {
        archive_.check(OTF2_GlobalDefWriter_WriteGroup(
            writer_, number, text(name), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
            static_cast<uint32_t>(members.size()), members.data()));
    }

    // The first thread of a process stands for it.
    void write_communicators() {
        std::vector<uint64_t> first_thread(schema_.processes.size(), UINT64_MAX), locations;
        for (uint64_t row = schema_.threads.size(); row-- > 0;)
            first_thread[schema_.threads[row].process] = row;
        for (uint32_t process : content_.communicators.processes())
            locations.push_back(first_thread[process]);
        if (locations.empty()) return;
        write_group(locations_group, "MPI ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, locations);
        const auto& all = content_.communicators.all();
        for (uint32_t number = 0; number < all.size(); ++number) {
            const bool is_self = number == Otf2Communicators::of_self;
            const uint32_t group = is_self ? self_group : first_group + number - 1;
            const std::vector<uint64_t> members(all[number].members.begin(), all[number].members.end());
            write_group(group, all[number].name,
                        is_self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP, members);
            archive_.check(OTF2_GlobalDefWriter_WriteComm(writer_, number, text(all[number].name), group,
                                                          OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        }
    }

    void write_windows() {
        const auto& all = content_.objects.windows();
        for (uint32_t number = 0; number < all.size(); ++number)
            archive_.check(OTF2_GlobalDefWriter_WriteRmaWin(
                writer_, number, text(all[number].name), all[number].communicator,
                all[number].is_made ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS : OTF2_RMA_WIN_FLAG_NONE));
    }

    // A file that was opened while recording was off is there from the beginning.
    void write_files() {
        archive_.check(OTF2_GlobalDefWriter_WriteIoParadigm(
            writer_, 0, text("MPI-IO"), text("MPI-IO"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
            OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr));
        const auto& all = content_.objects.files();
        std::map<std::string, uint32_t> files;
        for (uint32_t number = 0; number < all.size(); ++number) {
            const auto [file, is_new] = files.emplace(all[number].name, static_cast<uint32_t>(files.size()));
            if (is_new)
                archive_.check(OTF2_GlobalDefWriter_WriteIoRegularFile(writer_, file->second,
                                                                       text(all[number].name), 0));
            archive_.check(OTF2_GlobalDefWriter_WriteIoHandle(
                writer_, number, text(all[number].name), file->second, 0,
                all[number].is_made ? OTF2_IO_HANDLE_FLAG_NONE : OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                all[number].communicator, OTF2_UNDEFINED_IO_HANDLE));
            if (!all[number].is_made)
                archive_.check(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
                    writer_, number, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_STATUS_FLAG_NONE));
        }
    }

    Otf2Archive& archive_;
    OTF2_GlobalDefWriter* writer_;
    const Otf2Content& content_;
    const Schema& schema_;
    std::map<std::string, uint32_t> texts_, nodes_;
    std::vector<uint32_t> group_of_;  // by process
};

}  // namespace

std::string label_of(const EventType& type, int64_t value) {
    const auto known = type.labels.find(value);
    return known ? std::string(*known) : fmt::format("{}", value);
}

void write_definitions(Otf2Archive& archive, const Otf2Content& content) {
    Definitions(archive, content).write();
}

}  // namespace ovni
