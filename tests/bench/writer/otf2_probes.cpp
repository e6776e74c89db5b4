// writer-bench-otf2: entering and leaving a region by OTF2, which writes a block where its buffer is full.
// The headers of OTF2 need what stands before them.
// clang-format off
#include <cstdlib>
#include <otf2/otf2.h>
#include <otf2/OTF2_Pthread_Locks.h>
// clang-format on

#include <atomic>

#include "base/error.hpp"
#include "tests/bench/writer/command_line.hpp"
#include "tests/bench/writer/floors.hpp"

namespace ovni::bench {

namespace {

constexpr uint64_t events_chunk = 1 << 20, definitions_chunk = 1 << 20;

OTF2_Archive* archive;
std::atomic<uint64_t> locations;

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

OTF2_TimeStamp after_flush(void*, OTF2_FileType, OTF2_LocationRef) {
    return nanoseconds(CLOCK_MONOTONIC);
}

void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) throw Error(OTF2_Error_GetDescription(code));
}

void open_archive() {
    const char* directory = std::getenv("OVNI_TRACEDIR");
    archive = OTF2_Archive_Open(directory != nullptr ? directory : "otf2", "traces", OTF2_FILEMODE_WRITE,
                                events_chunk, definitions_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == nullptr) throw Error("the archive cannot be made");
    static const OTF2_FlushCallbacks callbacks{before_flush, after_flush};
    check(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Pthread_Archive_SetLockingCallbacks(archive, nullptr));
    check(OTF2_Archive_OpenEvtFiles(archive));
}

void close_archive() {
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_Close(archive);
}

class Region {
 public:
    void begin() { writer_ = OTF2_Archive_GetEvtWriter(archive, locations++); }
    void end() { OTF2_Archive_CloseEvtWriter(archive, writer_); }

 protected:
    void emit(uint64_t number, uint64_t clock) {
        if (number % 2 == 0)
            OTF2_EvtWriter_Enter(writer_, nullptr, clock, 0);
        else
            OTF2_EvtWriter_Leave(writer_, nullptr, clock, 0);
    }

 private:
    OTF2_EvtWriter* writer_ = nullptr;
};

struct ByMonotonic : Region {
    void operator()(uint64_t number) { emit(number, nanoseconds(CLOCK_MONOTONIC)); }
};

struct ByTsc : Region {
    void operator()(uint64_t number) { emit(number, ticks()); }
};

constexpr Variant variants[] = {
    {"otf2-clock_gettime", 12, loops_of<ByMonotonic>, open_archive, close_archive},
    {"otf2-rdtsc", 12, loops_of<ByTsc>, open_archive, close_archive},
};

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::bench::run_writer_bench("writer-bench-otf2", ovni::bench::variants, argc, argv);
}
