// The ranks that hold rows of a growing column until whole chunks are written: chunk c of column k belongs to
// rank (c + k) mod ranks. Arithmetic only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ovni {

struct ChunkOwners {
    size_t rows_in_chunk;
    size_t ranks;

    size_t owner(size_t column, uint64_t chunk) const { return (chunk + column) % ranks; }
    // The first chunk from `chunk` on that belongs to the rank.
    uint64_t first_of(size_t rank, size_t column, uint64_t chunk) const {
        return chunk + (rank + ranks - owner(column, chunk)) % ranks;
    }
    // Calls visit(owner, chunk, first row within it, count) for the parts of rows [from, from + count).
    template <class Visit>
    void split(size_t column, uint64_t from, uint64_t count, Visit visit) const {
        while (count > 0) {
            uint64_t chunk = from / rows_in_chunk, place = from % rows_in_chunk;
            uint64_t part = std::min(count, rows_in_chunk - place);
            visit(owner(column, chunk), chunk, static_cast<size_t>(place), static_cast<size_t>(part));
            from += part;
            count -= part;
        }
    }
};

}  // namespace ovni
