#include "code/cache/code_cache.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "code/cache/cache_switch.hpp"
#include "code/near_memory.hpp"
#include "core/probing.hpp"

namespace ovni::code {

namespace {

void* map_pages(size_t size, int rights = PROT_READ | PROT_WRITE, int flags = 0) {
    void* pages = ::mmap(nullptr, size, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

constexpr size_t entry_alignment = 16;

}  // namespace

class CodeCache::Guard {
 public:
    explicit Guard(CodeCache& cache) noexcept : lock_(cache.lock_) {
        while (lock_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
    }
    ~Guard() { lock_.clear(std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

 private:
    std::atomic_flag& lock_;
};

CodeCache::CodeCache(const Sites& sites, const InstructionMatch& match) noexcept
    : translation_(*this, sites, match) {}

bool CodeCache::prepare(std::string_view counted_images) noexcept {
    map_.count_only(counted_images);
    // A jump finds its table by an address of 32 bits.
    tables_ = static_cast<uint64_t*>(
        map_pages(tables * targets * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_32BIT));
    slots_ = static_cast<Slot*>(map_pages(slots * sizeof(Slot)));
    void* code = map_pages(entry_alignment, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (tables_ == nullptr || slots_ == nullptr || code == nullptr) return false;
    ::munmap(code, entry_alignment);
    fill_tables();
    return true;
}

void CodeCache::fill_tables() noexcept {
    std::fill_n(tables_, tables * targets, reinterpret_cast<uint64_t>(ovni_code_miss));
}

// A table holds places on one side of the border between our code and other code.
uint64_t CodeCache::table(Work work, Owner owner) const noexcept {
    const size_t number = owner == Owner::tracer ? tables - 1 : static_cast<size_t>(work);
    return reinterpret_cast<uint64_t>(tables_ + number * targets);
}

void* CodeCache::take(size_t size) noexcept {
    constexpr size_t chunk = size_t{1} << 20;
    size = (size + entry_alignment - 1) / entry_alignment * entry_alignment;
    if (size > store_left_) {
        store_ = static_cast<uint8_t*>(map_pages(chunk));
        store_left_ = store_ == nullptr ? 0 : chunk;
        if (size > store_left_) return nullptr;
    }
    uint8_t* taken = store_;
    store_ += size;
    store_left_ -= size;
    return taken;
}

// There is always room: make() sees to it.
const Request* CodeCache::keep(const Request& request) noexcept {
    return new (take(sizeof(Request))) Request(request);
}

uint64_t CodeCache::key_of(uint64_t address, Form form) noexcept {
    constexpr int above_addresses = 56;
    const uint64_t bits = uint64_t{1} | uint64_t{form.is_behind} << 1 | uint64_t{form.is_step} << 2 |
                          static_cast<uint64_t>(form.work) << 3;
    return address | bits << above_addresses;
}

CodeCache::Slot* CodeCache::slot_of(uint64_t key) const noexcept {
    constexpr int bits_of_slots = 20;
    static_assert(slots == size_t{1} << bits_of_slots);
    for (size_t slot = golden_hash(key, bits_of_slots);; slot = (slot + 1) % slots) {
        const uint64_t held = slots_[slot].key.load(std::memory_order_acquire);
        if (held == key || held == 0) return &slots_[slot];
    }
}

Piece* CodeCache::known_piece(uint64_t address, Form form) const noexcept {
    Piece* piece = slot_of(key_of(address, form))->piece.load(std::memory_order_acquire);
    return piece != nullptr && !piece->is_stale ? piece : nullptr;
}

uint8_t* CodeCache::known(uint64_t address, Work work, Owner from) noexcept {
    const Piece* piece = known_piece(address, {work, false, false});
    if (piece == nullptr || piece->program != nullptr) return nullptr;
    return piece->owner == from ? piece->begin : nullptr;
}

const MappedCode* CodeCache::mapped(uint64_t address) noexcept {
    if (const MappedCode* code = map_.find(address)) return code;
    map_.refresh([this](uint64_t begin, uint64_t end) { forget_locked(begin, end); });
    return map_.find(address);
}

bool CodeCache::is_counted(uint64_t address) noexcept {
    Guard guard(*this);
    const MappedCode* code = mapped(address);
    return code != nullptr && code->is_counted;
}

Owner CodeCache::owner_at(uint64_t address) noexcept {
    Guard guard(*this);
    const MappedCode* code = mapped(address);
    return code == nullptr ? Owner::program : code->owner;
}

uint64_t CodeCache::end_of_code(uint64_t address) noexcept {
    Guard guard(*this);
    const MappedCode* code = mapped(address);
    return code == nullptr ? address : code->end;
}

const Piece* CodeCache::block(uint64_t address, Form form) noexcept {
    Guard guard(*this);
    Piece* known = known_piece(address, form);
    if (known != nullptr && known->program != nullptr &&
        memcmp(known->program, reinterpret_cast<const void*>(address), known->program_bytes) != 0) {
        make_stale(*known);
        known = nullptr;
    }
    return known != nullptr ? known : make(address, form);
}

Piece* CodeCache::make(uint64_t address, Form form) noexcept {
    constexpr size_t fullest = slots / 8 * 7;
    constexpr size_t most_stored = sizeof(Piece) + BlockTranslation::most_marks * sizeof(Mark) +
                                   8 * (sizeof(Request) + entry_alignment) +
                                   BlockTranslation::most_instructions * ZYDIS_MAX_INSTRUCTION_LENGTH;
    const MappedCode* code = mapped(address);
    Region* region = code == nullptr || piece_count_ >= fullest ? nullptr : region_near(address);
    if (region == nullptr) return nullptr;
    if (store_left_ < most_stored) store_left_ = 0;
    if (store_left_ == 0) {
        void* begin = take(entry_alignment);
        if (begin == nullptr) return nullptr;
    }
    map_.use(*code);
    Piece made;
    uint8_t* to = region->used.load(std::memory_order_relaxed);
    if (!translation_.translate({address, code->end, code->owner, code->is_counted}, form, to, made))
        return nullptr;
    Piece* piece = add(*region, made);
    if (piece == nullptr) return nullptr;
    if (code->is_writable) {
        auto* bytes = static_cast<uint8_t*>(take(made.program_bytes));
        if (bytes == nullptr) return nullptr;
        memcpy(bytes, reinterpret_cast<const void*>(address), made.program_bytes);
        piece->program = bytes;
    }
    Slot* slot = slot_of(key_of(address, form));
    if (slot->key.load(std::memory_order_relaxed) == 0) ++piece_count_;
    slot->piece.store(piece, std::memory_order_release);
    slot->key.store(key_of(address, form), std::memory_order_release);
    return piece;
}

Piece* CodeCache::add(Region& region, const Piece& made) noexcept {
    auto* marks = static_cast<Mark*>(take(made.mark_count * sizeof(Mark)));
    void* room = take(sizeof(Piece));
    const size_t count = region.count.load(std::memory_order_relaxed);
    if (marks == nullptr || room == nullptr) return nullptr;
    std::copy_n(made.marks, made.mark_count, marks);
    auto* piece = new (room) Piece(made);
    piece->marks = marks;
    region.pieces[count] = piece;
    const auto end = reinterpret_cast<uintptr_t>(made.begin + made.bytes);
    region.used.store(reinterpret_cast<uint8_t*>((end + entry_alignment - 1) & ~(entry_alignment - 1)),
                      std::memory_order_release);
    region.count.store(count + 1, std::memory_order_release);
    return piece;
}

CodeCache::Region* CodeCache::region_near(uint64_t address) noexcept {
    for (size_t i = region_count_.load(std::memory_order_relaxed); i-- > 0;) {
        Region& region = regions_[i];
        const uint8_t* used = region.used.load(std::memory_order_relaxed);
        if (is_near(reinterpret_cast<uintptr_t>(region.begin), address) &&
            region.end - used > static_cast<ptrdiff_t>(BlockTranslation::most_bytes))
            return &region;
    }
    return add_region(address);
}

CodeCache::Region* CodeCache::add_region(uint64_t address) noexcept {
    const size_t count = region_count_.load(std::memory_order_relaxed);
    if (count == most_regions) return nullptr;
    const uintptr_t begin = map_near(address, region_bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
    auto* pieces = static_cast<Piece**>(map_pages(region_bytes / entry_alignment * sizeof(Piece*)));
    if (begin == 0 || pieces == nullptr) return nullptr;
    Region& region = regions_[count];
    region.begin = reinterpret_cast<uint8_t*>(begin);
    region.end = region.begin + region_bytes;
    region.used.store(region.begin, std::memory_order_relaxed);
    region.pieces = pieces;
    region_count_.store(count + 1, std::memory_order_release);
    return &region;
}

void CodeCache::expect(const Piece& block) noexcept {
    Guard guard(*this);
    auto& to = const_cast<Piece&>(block);
    if (to.is_stale || to.program != nullptr) return;
    Region* region = to.by_jump == nullptr ? region_near(to.address) : nullptr;
    if (region != nullptr && store_left_ >= sizeof(Piece) + 8 * sizeof(Mark)) {
        std::array<Mark, 8> marks;
        Piece made;
        BlockTranslation::translate_arrival(to, region->used.load(std::memory_order_relaxed), made, marks);
        to.by_jump = add(*region, made);
    }
    if (to.by_jump == nullptr) return;
    auto* place = reinterpret_cast<uint64_t*>(table(to.form.work, to.owner)) + to.address % targets;
    __atomic_store_n(place, reinterpret_cast<uint64_t>(to.by_jump->begin), __ATOMIC_RELEASE);
}

void CodeCache::link(uint8_t* slot, const Piece& block) noexcept {
    Guard guard(*this);
    if (!block.is_stale && block.program == nullptr) BlockTranslation::link(slot, block.begin);
}

// Jumps to the piece stay, so its own begin becomes a jump: to a request for the same address.
void CodeCache::make_stale(Piece& piece) noexcept {
    constexpr uint8_t near_jump = 0xe9;
    constexpr size_t bytes_of_jump = 5;
    piece.is_stale = true;
    Region* region = region_near(piece.address);
    void* room = take(sizeof(Request));
    if (region == nullptr || room == nullptr) return;
    const auto* request = new (room) Request{RequestKind::jump, piece.address, nullptr};
    uint8_t* to = region->used.load(std::memory_order_relaxed);
    Emitter emitter(to);
    const Mark leaving{0, 0, State::leaving, 0};
    emitter.save_rax();
    emitter.set_rax(reinterpret_cast<uint64_t>(request));
    emitter.jump_far(reinterpret_cast<uint64_t>(ovni_code_resolve));
    Piece made{};
    made.address = piece.address;
    made.begin = to;
    made.bytes = static_cast<uint32_t>(emitter.here() - to);
    made.marks = &leaving;
    made.mark_count = 1;
    if (add(*region, made) == nullptr) return;
    uint64_t first = 0;
    memcpy(&first, piece.begin, sizeof first);
    uint8_t bytes[sizeof first];
    memcpy(bytes, &first, sizeof first);
    bytes[0] = near_jump;
    const auto distance = static_cast<int32_t>(to - (piece.begin + bytes_of_jump));
    memcpy(bytes + 1, &distance, sizeof distance);
    memcpy(&first, bytes, sizeof first);
    __atomic_store_n(reinterpret_cast<uint64_t*>(piece.begin), first, __ATOMIC_RELEASE);
}

void CodeCache::forget_locked(uint64_t begin, uint64_t end) noexcept {
    for (size_t i = 0; i < region_count_.load(std::memory_order_relaxed); ++i) {
        const size_t count = regions_[i].count.load(std::memory_order_relaxed);
        for (size_t k = 0; k < count; ++k) {
            Piece& piece = *regions_[i].pieces[k];
            const bool is_hit = piece.address < end && begin < piece.address + piece.program_bytes;
            if (is_hit && piece.is_block && !piece.is_stale) make_stale(piece);
        }
    }
}

void CodeCache::forget(uint64_t begin, uint64_t end) noexcept {
    Guard guard(*this);
    forget_locked(begin, end);
}

void CodeCache::forget_mapping(uint64_t begin, uint64_t end) noexcept {
    Guard guard(*this);
    map_.forget(begin, end, [this](uint64_t first, uint64_t last) { forget_locked(first, last); });
}

void CodeCache::look_again() noexcept {
    Guard guard(*this);
    map_.refresh([this](uint64_t begin, uint64_t end) { forget_locked(begin, end); });
}

const Piece* CodeCache::find(uint64_t host) const noexcept {
    const auto* place = reinterpret_cast<const uint8_t*>(host);
    for (size_t i = 0; i < region_count_.load(std::memory_order_acquire); ++i) {
        const Region& region = regions_[i];
        if (place < region.begin || place >= region.end) continue;
        Piece** end = region.pieces + region.count.load(std::memory_order_acquire);
        Piece** behind =
            std::upper_bound(region.pieces, end, place,
                             [](const uint8_t* wanted, const Piece* piece) { return wanted < piece->begin; });
        if (behind == region.pieces) return nullptr;
        const Piece* piece = *(behind - 1);
        return place < piece->begin + piece->bytes ? piece : nullptr;
    }
    return nullptr;
}

}  // namespace ovni::code
