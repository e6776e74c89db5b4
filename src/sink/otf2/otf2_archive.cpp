#include "sink/otf2/otf2_archive.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"

namespace ovni {

namespace {

constexpr const char* name = "traces";

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

// Errors are thrown, not printed.
OTF2_ErrorCode keep_quiet(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                          va_list) {
    return code;
}

}  // namespace

Otf2Archive::Otf2Archive(std::filesystem::path directory) : directory_(std::move(directory)) {
    static constexpr OTF2_FlushCallbacks callbacks{flush, nullptr};
    OTF2_Error_RegisterCallback(keep_quiet, nullptr);
    archive_ =
        OTF2_Archive_Open(directory_.c_str(), name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive_) throw Error("OTF2 cannot make an archive here", directory_);
    check(OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "ovni-mpi"));
    check(OTF2_Archive_OpenEvtFiles(archive_));
}

Otf2Archive::~Otf2Archive() {
    if (archive_) OTF2_Archive_Close(archive_);
}

void Otf2Archive::check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS)
        throw Error(fmt::format("OTF2: {}", OTF2_Error_GetDescription(code)), directory_);
}

OTF2_EvtWriter* Otf2Archive::events_of(uint64_t location) {
    OTF2_EvtWriter*& writer = writers_[location];
    if (!writer) writer = OTF2_Archive_GetEvtWriter(archive_, location);
    if (!writer) throw Error(fmt::format("OTF2 cannot write events of location {}", location), directory_);
    return writer;
}

void Otf2Archive::end_events(std::span<const OfLocation> locations) {
    for (auto [location, writer] : writers_) check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    writers_.clear();
    check(OTF2_Archive_CloseEvtFiles(archive_));
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (const auto& [location, regions] : locations) {
        OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location);
        if (!writer) throw Error(fmt::format("OTF2 cannot define location {}", location), directory_);
        if (!regions.empty()) {
            OTF2_IdMap* numbers = OTF2_IdMap_CreateFromUint32Array(regions.size(), regions.data(), false);
            const OTF2_ErrorCode code =
                OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, numbers);
            OTF2_IdMap_Free(numbers);
            check(code);
        }
        check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
}

OTF2_GlobalDefWriter* Otf2Archive::definitions() {
    OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (!writer) throw Error("OTF2 cannot write definitions", directory_);
    return writer;
}

void Otf2Archive::close() {
    check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
}

// The number stands as eight bytes in the anchor file, whose layout is the library's: they are found by what
// the library reads there.
void set_trace_number(const std::filesystem::path& directory, uint64_t number) {
    const std::filesystem::path anchor = directory / (std::string(name) + ".otf2");
    OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
    uint64_t old = 0;
    const bool is_read = reader && OTF2_Reader_GetTraceId(reader, &old) == OTF2_SUCCESS;
    if (reader) OTF2_Reader_Close(reader);
    if (!is_read) throw Error("OTF2 cannot read it", anchor);
    std::string bytes = read_file(anchor);
    const auto as_bytes = [](uint64_t value) {
        return std::string(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const size_t at = bytes.find(as_bytes(old));
    if (at == std::string::npos) throw Error("OTF2 has written no number of the trace", anchor);
    bytes.replace(at, sizeof number, as_bytes(number));
    write_file(anchor, bytes);
}

}  // namespace ovni
