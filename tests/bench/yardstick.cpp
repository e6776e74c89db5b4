// yardstick: the least that an emulator has to do, done once: reads every stream of a trace, writes as many
// bytes of PRV lines as the emulator. The lines come from a small cyclic table, with the text of rows and of
// types and values ready and the time by to_chars, as a good formatter would; nothing is decoded, merged or
// emulated. How many of its times an emulator takes is comparable among machines.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace ovni::bench {

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

// Text that is copied with one store of 16 bytes.
struct Piece {
    Piece() = default;
    explicit Piece(const std::string& from) : length(static_cast<uint8_t>(from.size())) {
        std::memcpy(text, from.data(), from.size());
    }
    char text[15]{};
    uint8_t length = 0;
};

// The pieces of which lines are made.
class Lines {
 public:
    explicit Lines(size_t rows) {
        for (size_t row = 1; row <= rows; ++row) rows_.emplace_back("2:0:1:1:" + std::to_string(row) + ":");
        for (int type : {13, 25, 101})
            for (int value = 1; value <= 10; ++value)
                tails_.emplace_back(":" + std::to_string(type) + ":" + std::to_string(value) + "\n");
        // Neighbours in time are different rows and values, as in a merged trace.
        for (size_t i = 0; i < records_.size(); ++i)
            records_[i] = {static_cast<uint32_t>(i * 7919 % rows),
                           static_cast<uint32_t>(i * 31 % tails_.size())};
    }
    static constexpr size_t longest = 64;

    char* put(char* out, uint64_t index, int64_t time) const {
        const auto [row, tail] = records_[index % records_.size()];
        out = copy(out, rows_[row]);
        out = std::to_chars(out, out + 20, time).ptr;
        return copy(out, tails_[tail]);
    }

 private:
    struct Record {
        uint32_t row, tail;
    };
    static char* copy(char* out, const Piece& piece) {
        std::memcpy(out, &piece, sizeof piece);
        return out + piece.length;
    }

    std::vector<Piece> rows_, tails_;
    std::array<Record, 1024> records_{};
};

// One output of a given size: the last line is cut there.
class Output {
 public:
    Output(fs::path path, uint64_t size)
        : path_(std::move(path)), size_(size), buffer_(new char[block + Lines::longest]) {
        fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!fd_) throw system_error("cannot be created", path_);
    }
    uint64_t bytes() const { return std::min(written_ + used_, size_); }
    bool full() const { return bytes() == size_; }
    void line(const Lines& lines, uint64_t index, int64_t time) {
        used_ = static_cast<size_t>(lines.put(buffer_.get() + used_, index, time) - buffer_.get());
        if (used_ >= block) [[unlikely]]
            flush();
    }
    void flush() {
        size_t wanted = std::min<uint64_t>(used_, size_ - written_);
        for (size_t done = 0; done < wanted;) {
            ssize_t n = ::write(fd_.get(), buffer_.get() + done, wanted - done);
            if (n < 0) throw system_error("cannot be written", path_);
            done += static_cast<size_t>(n);
        }
        written_ += wanted;
        used_ = 0;
    }

 private:
    static constexpr size_t block = size_t{256} << 10;

    fs::path path_;
    uint64_t size_, written_ = 0;
    Fd fd_;
    std::unique_ptr<char[]> buffer_;
    size_t used_ = 0;
};

struct Sizes {
    uint64_t thread_bytes = 0, cpu_bytes = 0;
    int64_t duration = 1'000'000'000;
    uint64_t rows = 32;

    uint64_t bytes() const { return thread_bytes + cpu_bytes; }
};

// Sizes, duration and rows of an emulator's output.
Sizes sizes_of(const fs::path& directory) {
    Sizes sizes;
    sizes.thread_bytes = fs::file_size(directory / "thread.prv");
    sizes.cpu_bytes = fs::file_size(directory / "cpu.prv");
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen((directory / "thread.prv").c_str(), "re"),
                                               std::fclose);
    long long duration = 0;
    unsigned long long rows = 0;
    if (!file || std::fscanf(file.get(), "#Paraver (%*[^)]):%lld_ns:0:1:1(%llu:1)", &duration, &rows) != 2 ||
        rows == 0)
        throw Error("no header of a trace with rows", directory / "thread.prv");
    sizes.duration = duration;
    sizes.rows = rows;
    return sizes;
}

struct InputFile {
    fs::path path;
    uint64_t bytes;
};

std::vector<InputFile> list_inputs(const fs::path& trace) {
    std::vector<InputFile> inputs;
    for (const auto& entry :
         fs::recursive_directory_iterator(trace, fs::directory_options::follow_directory_symlink))
        if (entry.path().filename() == "stream.obs") inputs.push_back({entry.path(), entry.file_size()});
    return inputs;
}

class Yardstick {
 public:
    Yardstick(const fs::path& trace, const fs::path& out, const Sizes& sizes)
        : inputs_(list_inputs(trace)),
          sizes_(sizes),
          lines_(sizes.rows),
          thread_(out / "thread.prv", sizes.thread_bytes),
          cpu_(out / "cpu.prv", sizes.cpu_bytes) {
        for (const InputFile& input : inputs_) input_bytes_ += input.bytes;
        constexpr uint64_t bytes_of_line = 26;
        step_ = sizes.duration / static_cast<int64_t>(1 + sizes.thread_bytes / bytes_of_line);
    }

    void run() {
        for (const InputFile& input : inputs_) read(input);
        write_until(sizes_.bytes());
        thread_.flush();
        cpu_.flush();
    }

 private:
    void read(const InputFile& input) {
        Fd fd(::open(input.path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!fd) throw system_error("cannot be opened", input.path);
        for (ssize_t n; (n = ::read(fd.get(), block_.data(), block_.size())) != 0;) {
            if (n < 0) throw system_error("cannot be read", input.path);
            done_ += static_cast<uint64_t>(n);
            double share = static_cast<double>(done_) / static_cast<double>(input_bytes_);
            write_until(static_cast<uint64_t>(share * static_cast<double>(sizes_.bytes())));
        }
    }

    // A line in both files at a time, as an event makes.
    void write_until(uint64_t bytes) {
        while (thread_.bytes() + cpu_.bytes() < bytes && !(thread_.full() && cpu_.full())) {
            if (!thread_.full()) thread_.line(lines_, index_, time_);
            if (!cpu_.full()) cpu_.line(lines_, index_, time_);
            ++index_;
            time_ += step_;
        }
    }

    std::vector<InputFile> inputs_;
    Sizes sizes_;
    Lines lines_;
    Output thread_, cpu_;
    std::array<char, 65536> block_{};
    uint64_t input_bytes_ = 0, done_ = 0, index_ = 0;
    int64_t time_ = 0, step_ = 1;
};

constexpr OptionRow rows[] = {
    {"like", "", "DIR", "", "As many bytes as the PRV files in DIR."},
    {"thread-bytes", "", "N", "", "Size of thread.prv."},
    {"cpu-bytes", "", "N", "", "Size of cpu.prv."},
};

int measure(int argc, char** argv) {
    Cli cli;
    cli.manual.program = "yardstick";
    cli.manual.usage = "yardstick TRACE OUT {--like DIR | --thread-bytes N --cpu-bytes N}";
    cli.manual.description =
        "Reads all streams of TRACE once and writes thread.prv and cpu.prv of the given sizes into OUT.";
    cli.manual.options = {std::begin(rows), std::end(rows)};
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    if (cli.words.size() != 2) throw UsageError("two directories are needed, see --help");
    Sizes sizes;
    if (cli.has("like"))
        sizes = sizes_of(cli.get("like"));
    else if (!cli.has("thread-bytes") || !cli.has("cpu-bytes"))
        throw UsageError("how much to write? see --help");
    if (cli.has("thread-bytes")) sizes.thread_bytes = cli.get<uint64_t>("thread-bytes");
    if (cli.has("cpu-bytes")) sizes.cpu_bytes = cli.get<uint64_t>("cpu-bytes");
    fs::create_directories(cli.words[1]);
    Yardstick(cli.words[0], cli.words[1], sizes).run();
    return 0;
}

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::run_main("yardstick", [&] { return ovni::bench::measure(argc, argv); });
}
