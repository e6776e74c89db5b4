// The ends of messages of one process and its parts in collectives. Memory: what it finds.
//
// A missing end would shift all that follow it. In a pause the process counts its ends, which are added as
// unrecorded ones. Ends are marked if they are behind any other gap, behind a receive that was under way in
// such a gap, or possibly behind a receive from any sender that was not seen to end.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "calls/call_consumer.hpp"
#include "messages/scan/found_ends.hpp"

namespace ovni {

class ProcessEnds : public CallConsumer {
 public:
    // `found` gets the ends, and outlives this.
    ProcessEnds(const ProcessFacts& facts, MessageEnds& found);

    // How much of the process its streams record.
    enum class Recorded : uint64_t { all, but_pauses, but_gaps };

    // The trace lacks what came before the first event.
    void begin_inside() {
        complete_until_ = uninterrupted_until_ = INT64_MIN;
        has_lost_ = true;
    }
    Recorded recorded() const;
    // True if there are gaps with events behind them, besides streams that end too early.
    bool has_lost() const { return has_lost_; }

    void left(const CallThread& caller, const Return& result) override;
    void abandoned(const CallThread& caller, int64_t clock, Abandoned why) override;
    void ended(const CallThread& caller, const Request& request, uint32_t how) override;
    void received(const CallThread& caller, const Request& request, const ReceivedMessage* message) override;
    void unrecorded(const EventView& event, const MpiUnrecorded& count) override;
    void ended_unrecorded(const Request& request, const MpiUnrecordedEnd& end) override;
    void interrupted(const CallThread& caller, const EventView& event, bool is_counted) override;
    void finished() override;

 private:
    using Side = KeyOfProcess::Side;
    using Index = size_t;  // in found_.collectives
    // All that the open call of a thread completes.
    struct Completed {
        std::vector<MessageEnd> ends;
        std::vector<Index> collectives;
    };
    // A receive that may have got any message.
    struct Doubtful {
        int64_t order;
        uint32_t communicator;
        int32_t peer, tag;
        bool is_freed;
    };
    // A call that has found a message.
    struct Probe {
        int64_t enter = 0, leave = 0;
        uint32_t stream = 0;
        uint16_t function = 0;
    };
    // A message that was found, and is not received yet: the last one of each kind.
    struct FoundMessage {
        uint32_t communicator;
        int32_t rank, tag;
        auto operator<=>(const FoundMessage&) const = default;
    };
    // The peer, as far as a key has it.
    struct Peer {
        int32_t rank, tag;
        uint32_t made = 0, start = 0;
    };

    static MessageEnd end_of(const Request& request, bool sends);
    Completed& completed_by(const CallThread& caller);
    void add_probe(const CallThread& caller, const Return& result);
    void add_probed(const MessageEnd& end, uint32_t communicator, Peer peer);
    void add_blocking(const CallThread& caller, const Return& result);
    void add_blocking_collective(const CallThread& caller, const Return& result, uint32_t communicator,
                                 uint32_t turn);
    bool knows_all_members_of(uint32_t communicator) const;
    void take_back_sends(const CallThread& caller);
    void end_all(Completed& completed, int64_t clock);
    void add_uncompleted(const Request& request, bool is_freed);
    void add_collective_ended(const CallThread& caller, const Request& request);
    Index add_collective(const Request& request);
    void add_unrecorded(Side side, uint32_t communicator, Peer peer, const MessageEnd& place, uint64_t count);
    void take_gap(int64_t clock);
    void mark_doubtful();

    static Peer peer_of(const Request& request) {
        return {request.peer, request.tag, request.made, request.turn};
    }
    bool identify(uint32_t communicator, uint64_t& id, uint32_t& scope, int& rank, bool& is_inter) const;
    bool find_key(MessageEnd& end, Side side, uint32_t communicator, Peer peer);
    uint32_t key_of(const KeyOfProcess& key);
    void add(Side side, uint32_t communicator, Peer peer, const MessageEnd& end);
    void add_open(const CallThread& caller, Side side, uint32_t communicator, Peer peer,
                  const MessageEnd& end);

    ProcessFacts facts_;
    MessageEnds& found_;
    size_t first_key_, first_collective_;  // of this process
    std::vector<Completed> completed_;     // by thread
    std::map<KeyOfProcess, uint32_t> keys_;
    uint32_t last_key_ = UINT32_MAX;
    std::vector<Doubtful> doubtful_;
    std::map<FoundMessage, Probe> probes_;
    bool has_lost_ = false;
    int64_t complete_until_ = INT64_MAX;       // ends of messages
    int64_t uninterrupted_until_ = INT64_MAX;  // there is no gap of any kind
};

}  // namespace ovni
