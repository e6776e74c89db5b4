// The symbol hash table of a loaded library (DT_GNU_HASH).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ovni {

// Finds symbols by a hash of their names. Symbols before `first` have none.
class GnuHash {
 public:
    explicit GnuHash(const uint32_t* words) noexcept
        : buckets_(words[0]),
          first_(words[1]),
          filter_words_(words[2]),
          shift_(words[3]),
          filter_(reinterpret_cast<const uint64_t*>(words + 4)),
          bucket_(words + 4 + 2 * size_t{filter_words_}),
          chain_(bucket_ + buckets_) {}

    // Calls visit(index) for symbols that may have the name, until it returns false.
    template <class Visit>
    void find(const char* name, Visit visit) const noexcept {
        const uint32_t hash = hash_of(name);
        constexpr uint32_t bits = 64;
        if (buckets_ == 0 || filter_words_ == 0) return;
        const uint64_t word = filter_[hash / bits % filter_words_];
        if ((word >> hash % bits & word >> (hash >> shift_) % bits & 1) == 0) return;
        const uint32_t begin = bucket_[hash % buckets_];
        if (begin < first_) return;
        for (uint32_t at = begin;; ++at) {
            const uint32_t found = chain_[at - first_];
            if ((found | 1) == (hash | 1) && !visit(at)) return;
            if (found & 1) return;
        }
    }
    // The number of symbols, including those without a hash.
    uint32_t size() const noexcept {
        uint32_t last = 0;
        for (uint32_t i = 0; i < buckets_; ++i) last = std::max(last, bucket_[i]);
        if (last < first_) return first_;
        while ((chain_[last - first_] & 1) == 0) ++last;
        return last + 1;
    }

 private:
    static uint32_t hash_of(const char* name) noexcept {
        uint32_t hash = 5381;
        for (; *name; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
        return hash;
    }
    uint32_t buckets_, first_, filter_words_, shift_;
    const uint64_t* filter_;
    const uint32_t *bucket_, *chain_;
};

}  // namespace ovni
