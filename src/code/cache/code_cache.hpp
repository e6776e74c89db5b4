// All translated code of the process: found by the address in the program, made when first needed, abandoned
// when the program's code changes. Abandoned memory is not reused, because threads may be running in it.
#pragma once

#include <atomic>

#include "code/cache/block_translation.hpp"
#include "code/cache/code_map.hpp"

namespace ovni::code {

class CodeCache final : public TranslationHost {
 public:
    CodeCache(const Sites& sites, const InstructionMatch& match) noexcept;
    // False if the system gives no memory that may be written and executed.
    bool prepare(std::string_view counted_images) noexcept;

    // These functions take a lock: call them only in the resolver, or where no code is translated. Returns
    // null if the code cannot be read, or if there is no more room.
    const Piece* block(uint64_t address, Form form) noexcept;
    // Lets later indirect jumps to the block reach it without the resolver.
    void expect(const Piece& block) noexcept;
    // Lets the jump at `slot` in translated code reach the block without the resolver.
    void link(uint8_t* slot, const Piece& block) noexcept;
    // Call when the program's code in the range has changed, or has another site.
    void forget(uint64_t begin, uint64_t end) noexcept;
    // Call when the memory in the range was mapped again.
    void forget_mapping(uint64_t begin, uint64_t end) noexcept;
    // Call when code may have changed while no thread was translated.
    void look_again() noexcept;
    // Call in a child of fork(), which has only one thread.
    void forget_lock() noexcept { lock_.clear(); }

    // The owner of the code at the address; `program` if there is no code.
    Owner owner_at(uint64_t address) noexcept;
    // The piece that contains an address in translated code, or null. Any thread, and handlers.
    const Piece* find(uint64_t host) const noexcept;
    bool is_counted(uint64_t address) noexcept;
    // False if the system does not show where code is.
    bool knows_memory() const noexcept { return map_.is_readable(); }
    // The end of the mapped code at the address; the address itself if there is none.
    uint64_t end_of_code(uint64_t address) noexcept;

 private:
    class Guard;
    struct Region {
        uint8_t *begin, *end;
        std::atomic<uint8_t*> used;
        Piece** pieces;  // by their places
        std::atomic<size_t> count;
    };
    struct Slot {
        std::atomic<uint64_t> key;
        std::atomic<Piece*> piece;
    };
    static constexpr size_t region_bytes = size_t{4} << 20;
    static constexpr size_t most_regions = 256;
    static constexpr size_t slots = size_t{1} << 20;
    static constexpr size_t targets = size_t{1} << 16;
    static constexpr size_t tables = 4;

    const Request* keep(const Request& request) noexcept override;
    uint8_t* known(uint64_t address, Work work, Owner from) noexcept override;
    uint64_t table(Work work, Owner owner) const noexcept override;

    static uint64_t key_of(uint64_t address, Form form) noexcept;
    Slot* slot_of(uint64_t key) const noexcept;
    Piece* known_piece(uint64_t address, Form form) const noexcept;
    const MappedCode* mapped(uint64_t address) noexcept;
    Piece* make(uint64_t address, Form form) noexcept;
    Region* region_near(uint64_t address) noexcept;
    Region* add_region(uint64_t address) noexcept;
    Piece* add(Region& region, const Piece& made) noexcept;
    void forget_locked(uint64_t begin, uint64_t end) noexcept;
    void make_stale(Piece& piece) noexcept;
    void* take(size_t size) noexcept;
    void fill_tables() noexcept;

    std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
    BlockTranslation translation_;
    CodeMap map_;
    Region regions_[most_regions] = {};
    std::atomic<size_t> region_count_{0};
    Slot* slots_ = nullptr;
    size_t piece_count_ = 0;
    uint64_t* tables_ = nullptr;
    uint8_t* store_ = nullptr;  // of requests, pieces and marks
    size_t store_left_ = 0;
};

}  // namespace ovni::code
