// Messages of another rank: what the two ranks of a job put together, of which the other one sends anything.
#include "base/wire.hpp"

#include <algorithm>
#include <cstring>

#include "session/gather.hpp"
#include "session/trace_wire.hpp"
#include "tests/fuzz/target.hpp"

namespace ovni::fuzz {

namespace {

// Rank 0 of two. What rank 1 gives to each gather are the next bytes of the input.
class ForgedRanks : public Ranks {
 public:
    explicit ForgedRanks(std::string_view input) : Ranks(0, 2), messages_(files_of(input, most)) {}

 private:
    static constexpr size_t most = 8;

    void settle(const std::exception_ptr& failure) const override {
        if (failure) std::rethrow_exception(failure);
    }
    void broadcast_bytes(void*, size_t, int) const override {}
    void reduce_in_place(Op, int64_t*, size_t) const override {}
    void reduce_in_place(Op, uint64_t*, size_t) const override {}
    // The lengths, first for gathering and then for handing out.
    void allgather_bytes(const void* mine, size_t bytes, void* all) const override {
        const uint64_t length = message().size();
        require(bytes == sizeof length);
        std::memcpy(all, mine, bytes);
        std::memcpy(static_cast<uint8_t*>(all) + bytes, &length, bytes);
        if (is_sent_) ++next_;
        is_sent_ = false;
    }
    void exchange(const PerRank<std::span<const std::byte>>& outgoing,
                  const PerRank<std::span<std::byte>>& incoming) const override {
        std::ranges::copy(outgoing[0], incoming[0].begin());
        for (size_t at = 0; at < incoming[1].size(); ++at)
            incoming[1][at] = static_cast<std::byte>(message()[at % message().size()]);
        is_sent_ = true;
    }

    std::string_view message() const { return next_ < messages_.size() ? messages_[next_] : ""; }

    std::vector<std::string_view> messages_;
    mutable size_t next_ = 0;
    mutable bool is_sent_ = false;
};

// A message that was packed from what another one says is read as that.
template <class Item>
void unpack(const std::string& message) {
    ends([&] {
        const std::string packed = wire::pack(wire::unpack<Item>(message));
        require(wire::pack(wire::unpack<Item>(packed)) == packed);
    });
}

}  // namespace

void take(std::string_view input) {
    for (std::string_view part : files_of(input, 2)) {
        const std::string message(part);
        unpack<Listing>(message);
        unpack<FoundStreams>(message);
        unpack<ReadShare>(message);
        unpack<ClockSources>(message);
    }
    ends([&] { gather(ForgedRanks(input), std::vector<GapFact>{}); });
    ends([&] { gather(ForgedRanks(input), std::vector<LabelledType>{}); });
    ends([&] { gather(ForgedRanks(input), Findings{}); });
    ends([&] { gather(ForgedRanks(input), EndChecks{}); });
    ends([&] { gather_warnings(ForgedRanks(input)); });
}

}  // namespace ovni::fuzz
