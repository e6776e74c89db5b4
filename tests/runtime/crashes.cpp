// A drainer that dies at any moment: it is followed step by step, and after every system call that changes a
// file, and every change of the ring's header, what is there is set aside. From each of these states the
// thread goes on as far as it sees room, and another drainer takes over.
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <tuple>

#include "core/crc32c.hpp"
#include "core/stream_crc.hpp"
#include "tests/runtime/hand_made_ring.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

#if defined __x86_64__ && !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__

// The words that a drainer writes into the ring.
std::string told(const writer::RingHeader& header) {
    const auto* begin = reinterpret_cast<const char*>(&header.drained);
    return {begin, reinterpret_cast<const char*>(&header.notes)};
}

bool changes_files(long call) {
    for (long other : {SYS_open, SYS_openat, SYS_write, SYS_pwrite64, SYS_ftruncate, SYS_fallocate,
                       SYS_rename, SYS_unlink, SYS_mkdir})
        if (call == other) return true;
    return false;
}

// A child that stops before and behind every system call.
class Followed {
 public:
    explicit Followed(const std::function<void()>& body) : child_(fork()) {
        if (child_ == 0) {
            ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
            raise(SIGSTOP);
            body();
            _exit(0);
        }
        wait();
        ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_EXITKILL);
    }
    ~Followed() {
        if (!stopped_) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    Followed(const Followed&) = delete;
    Followed& operator=(const Followed&) = delete;

    bool is_there() const { return stopped_; }
    void go_to_system_call() { resume(PTRACE_SYSCALL); }
    void step() { resume(PTRACE_SINGLESTEP); }
    long call() const { return peek(ORIG_RAX); }
    long third_argument() const { return peek(RDX); }
    // Its code lies where ours does.
    bool is_before_system_call() const {
        constexpr uint8_t instruction[] = {0x0f, 0x05};
        return memcmp(reinterpret_cast<const void*>(peek(RIP)), instruction, sizeof instruction) == 0;
    }

 private:
    void resume(__ptrace_request how) {
        ptrace(how, child_, nullptr, nullptr);
        wait();
    }
    void wait() {
        int status = 0;
        stopped_ = waitpid(child_, &status, 0) == child_ && WIFSTOPPED(status);
    }
    long peek(int place) const { return ptrace(PTRACE_PEEKUSER, child_, sizeof(long) * place, nullptr); }

    pid_t child_;
    bool stopped_ = false;
};

class CrashTest : public RuntimeTest,
                  public testing::WithParamInterface<std::tuple<int, writer::StreamForm>> {
 protected:
    CrashTest() {
        fs::create_directories(place());
        made_ = std::make_unique<HandMadeRing>(place());
        made_->ring.header().form = form();
    }
    static int passes() { return std::get<0>(GetParam()); }
    static writer::StreamForm form() { return std::get<1>(GetParam()); }
    fs::path place() const { return home() / "now"; }
    fs::path state(size_t number) const { return home() / ("state" + std::to_string(number)); }

    // Does what the thread does: numbered events, while it sees room.
    void fill() {
        constexpr uint64_t slack = OVNI_FORMAT_EVENT_MAX;
        writer::RingHeader& header = made_->ring.header();
        while (header.published + 2 * slack <= header.drained + made_->ring.capacity())
            made_->put("OB.", ++emitted_);
    }

    // Keeps the states of a drain of what is in the ring now.
    void set_states_aside() {
        fs::copy(place(), home() / "begin", fs::copy_options::recursive);
        std::set<size_t> intervals = follow_calls();
        restore(home() / "begin");
        follow_changes(intervals);
    }
    size_t states() const { return states_; }
    void restore(const fs::path& from) {
        fs::remove_all(made_->trace);
        for (const char* name : {"ring", "ring.json"})
            fs::copy_file(from / name, place() / name, fs::copy_options::overwrite_existing);
        if (fs::exists(from / "ovni")) fs::copy(from / "ovni", made_->trace, fs::copy_options::recursive);
    }

    void expect_all_there() {
        RecordedStream recorded = made_->recorded();
        ASSERT_EQ(recorded.events.size(), emitted_);
        for (uint64_t i = 0; i < emitted_; ++i) ASSERT_EQ(recorded.events[i].clock, i + 1);
        EXPECT_TRUE(recorded.gaps.is_discarded()) << recorded.gaps.dump();
        EXPECT_FALSE(recorded.json["ovni"].contains("lost"));
        if (form() == writer::StreamForm::plain) expect_checksums_of(recorded);
    }
    static void expect_checksums_of(const RecordedStream& recorded) {
        std::string sums = file_content(recorded.directory / "stream.crc");
        uint64_t begin = OVNI_FORMAT_STREAM_HEADER;
        StreamCrcRecord record;
        for (size_t at = 8; at + sizeof record <= sums.size(); at += sizeof record) {
            memcpy(&record, sums.data() + at, sizeof record);
            ASSERT_LE(record.end, recorded.bytes.size());
            const auto* bytes = reinterpret_cast<const uint8_t*>(recorded.bytes.data());
            ASSERT_EQ(record.crc, crc32c({bytes + begin, record.end - begin}));
            begin = record.end;
        }
        EXPECT_EQ(begin, recorded.bytes.size());
    }

    std::unique_ptr<HandMadeRing> made_;
    uint64_t emitted_ = 0;

 private:
    std::function<void()> drain() {
        return [this] { made_->drainer()->drain(); };
    }
    void set_aside() { fs::copy(place(), state(states_++), fs::copy_options::recursive); }

    // Between which system calls, by number, the header changes.
    std::set<size_t> follow_calls() {
        std::set<size_t> intervals;
        Followed drainer(drain());
        std::string before = told(made_->ring.header());
        for (size_t interval = 0; drainer.is_there(); ++interval) {
            drainer.go_to_system_call();
            if (told(made_->ring.header()) != before) intervals.insert(interval);
            before = told(made_->ring.header());
            if (!drainer.is_there()) break;
            drainer.go_to_system_call();
            if (!drainer.is_there() || !changes_files(drainer.call())) continue;
            set_aside();
            fs::path events = state(states_ - 1) / "ovni/loom.a/proc.1/thread.1/stream.obs";
            bool is_large = drainer.call() == SYS_pwrite64 && drainer.third_argument() > 1000;
            if (!is_large) continue;
            // Half of it.
            set_aside();
            events = state(states_ - 1) / "ovni/loom.a/proc.1/thread.1/stream.obs";
            auto size = static_cast<long>(fs::file_size(events));
            fs::resize_file(events, static_cast<uintmax_t>(size - drainer.third_argument() / 2 - 5));
        }
        return intervals;
    }

    void follow_changes(const std::set<size_t>& intervals) {
        Followed drainer(drain());
        for (size_t interval = 0; drainer.is_there(); ++interval) {
            std::string before = told(made_->ring.header());
            while (intervals.contains(interval) && drainer.is_there() && !drainer.is_before_system_call()) {
                drainer.step();
                if (told(made_->ring.header()) == before) continue;
                before = told(made_->ring.header());
                set_aside();
            }
            for (int side = 0; side < 2 && drainer.is_there(); ++side) drainer.go_to_system_call();
        }
    }

    size_t states_ = 0;
};

// Parameters: the number of passes of other drainers before, and the form of the stream.
TEST_P(CrashTest, NothingIsLost) {
    for (int pass = 0; pass < passes(); ++pass) {
        fill();
        made_->drainer()->drain();
    }
    fill();
    set_states_aside();
    const uint64_t before = emitted_;
    EXPECT_GT(states(), 10u);
    std::printf("%zu states\n", states());
    for (size_t number = 0; number < states(); ++number)
        for (bool owner_lives : {true, false}) {
            SCOPED_TRACE(testing::Message() << "state " << number << ", the owner lives: " << owner_lives);
            restore(state(number));
            emitted_ = before;
            fill();
            if (!owner_lives) made_->ring.header().process_start = 1;
            auto next = made_->drainer();
            if (owner_lives) {
                next->drain();
                fill();
            }
            EXPECT_TRUE(next->finish({}));
            ASSERT_NO_FATAL_FAILURE(expect_all_there());
        }
}

INSTANTIATE_TEST_SUITE_P(Passes, CrashTest,
                         testing::Combine(testing::Values(0, 1, 2),
                                          testing::Values(writer::StreamForm::plain,
                                                          writer::StreamForm::packed)));

#endif

}  // namespace
}  // namespace ovni::test
