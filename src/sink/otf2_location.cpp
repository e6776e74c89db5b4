#include "sink/otf2_location.hpp"

#include <algorithm>
#include <utility>

namespace ovni {

Otf2Location::Otf2Location(Otf2Archive& archive, uint64_t number, const Otf2MpiType& mpi)
    : archive_(archive), writer_(archive.events_of(number)), mpi_(mpi) {}

// Times never go back: a message may arrive before it is sent, if clocks are wrong.
uint64_t Otf2Location::at(int64_t time) {
    last_ = std::max(last_, static_cast<uint64_t>(std::max(time, int64_t{0})));
    return last_;
}

void Otf2Location::check(OTF2_ErrorCode code) {
    archive_.check(code);
    ++events_;
}

uint32_t Otf2Location::number_of(const Otf2Region& region) {
    const auto [number, is_new] = numbers_.emplace(region, static_cast<uint32_t>(regions_.size()));
    if (is_new) regions_.push_back(region);
    return number->second;
}

void Otf2Location::enter(int64_t time, const Otf2Region& region) {
    check(OTF2_EvtWriter_Enter(writer_, nullptr, at(time), number_of(region)));
    stack_.push_back(region);
}

void Otf2Location::leave(int64_t time) {
    check(OTF2_EvtWriter_Leave(writer_, nullptr, at(time), number_of(stack_.back())));
    stack_.pop_back();
}

// A value that is on the stack of its type is shown again: what is above it has ended.
void Otf2Location::show(int64_t time, const Otf2Region& region) {
    write_ends(time);
    const auto first = std::ranges::find(stack_, region.type, &Otf2Region::type);
    const auto known = region.value == 0 ? stack_.end() : std::ranges::find(stack_, region);
    const auto keep = known == stack_.end() ? (region.value == 0 ? first : stack_.end()) : known + 1;
    std::vector<Otf2Region> others;
    std::copy_if(keep, stack_.end(), std::back_inserter(others),
                 [&](const Otf2Region& open) { return open.type != region.type; });
    const bool ends_any = static_cast<size_t>(stack_.end() - keep) > others.size();
    if (ends_any) {
        const auto kept = static_cast<size_t>(keep - stack_.begin());
        while (stack_.size() > kept) leave(time);
        for (const Otf2Region& other : others) enter(time, other);
    }
    const bool is_entered = region.value != 0 && known == stack_.end();
    if (is_entered) enter(time, region);
    if (region.value == 0 || region.type != mpi_.type) return;
    begin_collectives(time);
    if (!is_entered || !std::ranges::binary_search(mpi_.posting_receives, region.value)) return;
    posted_[time] = ++requests_;
    check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, at(time), requests_));
}

void Otf2Location::begin_collectives(int64_t time) {
    for (; next_collective_ < collectives_.size() && collectives_[next_collective_].begin <= time;
         ++next_collective_) {
        const Otf2CollectiveCall& call = collectives_[next_collective_];
        End end{call.end, ends_made_++, true, 0, {}, call, 0};
        if (call.what.blocking == Otf2Collective::Blocking::yes) {
            check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, at(time)));
        } else {
            end.request = ++requests_;
            check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, at(time), end.request));
        }
        if (call.end != INT64_MAX) ends_.push(end);
    }
}

void Otf2Location::send(int64_t time, const Otf2Message& message) {
    check(OTF2_EvtWriter_MpiSend(writer_, nullptr, at(time), message.peer, message.communicator, message.tag,
                                 message.bytes));
}

void Otf2Location::count(int64_t time, uint32_t type, int64_t value) {
    write_ends(time);
    const OTF2_Type kind = OTF2_TYPE_INT64;
    OTF2_MetricValue count;
    count.signed_int = value;
    check(OTF2_EvtWriter_Metric(writer_, nullptr, at(time), type, 1, &kind, &count));
}

void Otf2Location::write_ends(int64_t until) {
    for (; !ends_.empty() && ends_.top().time <= until; ends_.pop()) write(ends_.top());
}

void Otf2Location::write(const End& end) {
    const Otf2CollectiveCall& call = end.collective;
    const uint64_t time = at(end.time);
    if (!end.is_collective)
        receive(time, end);
    else if (end.request == 0)
        check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time, call.what.operation, call.communicator,
                                              call.root, call.sent, call.received));
    else
        check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, time, call.what.operation,
                                                           call.communicator, call.root, call.sent,
                                                           call.received, end.request));
}

void Otf2Location::receive(uint64_t time, const End& end) {
    const Otf2Message& message = end.message;
    const auto posted = posted_.find(end.posted);
    if (posted == posted_.end())
        return check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time, message.peer, message.communicator,
                                            message.tag, message.bytes));
    check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time, message.peer, message.communicator, message.tag,
                                  message.bytes, posted->second));
    posted_.erase(posted);
}

void Otf2Location::finish(int64_t time) {
    write_ends(time);
    while (!stack_.empty()) leave(time);
    write_ends(INT64_MAX);
}

}  // namespace ovni
