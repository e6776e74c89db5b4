// packed: what packing costs and saves.
//
//     packed TRACE RUNS    packs all streams of the trace in memory, in blocks of the usual size, and unpacks
//     them
//
// Prints one line of numbers: bytes of the plain streams, packed ones, and by zstd -1 block by block; events;
// and ns for an event (the sum of medians of each block's runs): to pack, to unpack, zstd -1 there and back,
// a copy. Exits 1 if what is unpacked differs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "packed/block.hpp"

#ifdef OVNI_BENCH_ZSTD
#include <zstd.h>
#endif

namespace ovni::bench {

namespace {

using Bytes = std::vector<uint8_t>;

template <class Work>
double median_of(int runs, Work work) {
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::nth_element(times, times.begin() + runs / 2);
    return times[static_cast<size_t>(runs) / 2];
}

class Measurement {
 public:
    explicit Measurement(int runs) : runs_(runs) {}

    bool take(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        Bytes stream{std::istreambuf_iterator<char>(in), {}};
        const size_t size = stream.size();
        stream.resize(size + packed::BlockPacker::slack);
        for (size_t at = OVNI_FORMAT_STREAM_HEADER; at < size;) {
            size_t end = at;
            while (end < size && end - at < packed::usual_block)
                end += ovni_format_event_size(&stream[end], size - end);
            const size_t taken = block({&stream[at], std::min(end, size) - at});
            if (taken == 0) return false;
            at += taken;
        }
        return true;
    }
    void print() const {
        std::printf("%zu %zu %zu %zu", plain_, packed_, zstd_, events_);
        for (const double ns : {pack_, unpack_, compress_, decompress_, copy_})
            std::printf(" %.3f", ns / static_cast<double>(events_));
        std::printf("\n");
    }

 private:
    // Returns the bytes of events that were packed; 0: they did not come back.
    size_t block(std::span<const uint8_t> events) {
        packed::BlockMaker::Made made;
        pack_ += median_of(runs_, [&] { made = maker_.make(events, 0); });
        Bytes block(made.block.begin(), made.block.end());
        const auto header = packed::read_header(block);
        block.resize(made.block.size() + packed::BlockUnpacker::slack_of_columns);
        const std::span<const uint8_t> whole(block.data(), made.block.size());
        Bytes back(made.taken + packed::BlockUnpacker::slack);
        bool is_good = header.has_value();
        unpack_ += median_of(runs_, [&] {
            is_good = is_good && packed::is_intact(*header, whole) &&
                      packed::unpack(*header, whole, unpacker_, std::span(back).first(made.taken));
        });
        if (!is_good || std::memcmp(back.data(), events.data(), made.taken) != 0) return 0;
        copy_ += median_of(runs_, [&] { std::memcpy(back.data(), events.data(), made.taken); });
        compress(events.first(made.taken), back);
        plain_ += made.taken;
        packed_ += made.block.size();
        events_ += header->events;
        return made.taken;
    }
    void compress([[maybe_unused]] std::span<const uint8_t> events, [[maybe_unused]] Bytes& back) {
#ifdef OVNI_BENCH_ZSTD
        Bytes compressed(ZSTD_compressBound(events.size()));
        size_t size = 0;
        compress_ += median_of(runs_, [&] {
            size = ZSTD_compressCCtx(context_, compressed.data(), compressed.size(), events.data(),
                                     events.size(), 1);
        });
        decompress_ +=
            median_of(runs_, [&] { ZSTD_decompress(back.data(), back.size(), compressed.data(), size); });
        zstd_ += size;
#endif
    }

    const int runs_;
    packed::BlockMaker maker_;
    packed::BlockUnpacker unpacker_;
#ifdef OVNI_BENCH_ZSTD
    ZSTD_CCtx* context_ = ZSTD_createCCtx();
#endif
    size_t plain_ = 0, packed_ = 0, zstd_ = 0, events_ = 0;
    double pack_ = 0, unpack_ = 0, compress_ = 0, decompress_ = 0, copy_ = 0;
};

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: packed TRACE RUNS\n"), 2;
    ovni::bench::Measurement all(std::max(1, std::atoi(argv[2])));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1]))
        if (entry.path().filename() == "stream.obs" && !all.take(entry.path()))
            return std::fprintf(stderr, "packed: %s differs\n", entry.path().c_str()), 1;
    all.print();
    return 0;
}
