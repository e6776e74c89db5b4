#include "sink/otf2/otf2_location.hpp"

#include <algorithm>
#include <utility>

namespace ovni {

Otf2Location::Otf2Location(Otf2Archive& archive, uint64_t number, const Otf2MpiType& mpi)
    : file_(archive, number), object_events_(file_, number), mpi_(mpi) {}

uint32_t Otf2Location::number_of(const Otf2Region& region) {
    const auto [number, is_new] = numbers_.emplace(region, static_cast<uint32_t>(regions_.size()));
    if (is_new) regions_.push_back(region);
    return number->second;
}

void Otf2Location::enter(int64_t time, const Otf2Region& region) {
    file_.add(OTF2_EvtWriter_Enter, time, number_of(region));
    stack_.push_back(region);
}

void Otf2Location::leave(int64_t time) {
    file_.add(OTF2_EvtWriter_Leave, time, number_of(stack_.back()));
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
    begin_objects(time);
    if (!is_entered || !std::ranges::binary_search(mpi_.posting_receives, region.value)) return;
    posted_[time] = ++requests_;
    file_.add(OTF2_EvtWriter_MpiIrecvRequest, time, requests_);
}

void Otf2Location::begin_collectives(int64_t time) {
    for (; next_collective_ < collectives_.size() && collectives_[next_collective_].begin <= time;
         ++next_collective_) {
        const Otf2CollectiveCall& call = collectives_[next_collective_];
        End end{call.end, ends_made_++, End::What::collective, 0, {}, call, 0};
        if (call.what.blocking == Otf2Collective::Blocking::yes) {
            file_.add(OTF2_EvtWriter_MpiCollectiveBegin, time);
        } else {
            end.request = ++requests_;
            file_.add(OTF2_EvtWriter_NonBlockingCollectiveRequest, time, end.request);
        }
        if (call.end != INT64_MAX) ends_.push(end);
    }
}

void Otf2Location::begin_objects(int64_t time) {
    for (; next_object_ < objects_.size() && objects_[next_object_].begin <= time; ++next_object_) {
        Otf2ObjectCall& call = objects_[next_object_];
        object_events_.begin(call);
        ends_.push({call.end, ends_made_++, End::What::object, 0, {}, {}, 0, next_object_});
        if (call.has_request && call.complete != INT64_MAX)
            ends_.push(
                {call.complete, ends_made_++, End::What::request_of_object, 0, {}, {}, 0, next_object_});
    }
}

void Otf2Location::send(int64_t time, const Otf2Message& message) {
    file_.add(OTF2_EvtWriter_MpiSend, time, message.peer, message.communicator, message.tag, message.bytes);
}

void Otf2Location::send_by_request(int64_t time, int64_t complete, const Otf2Message& message) {
    const uint64_t request = ++requests_;
    file_.add(OTF2_EvtWriter_MpiIsend, time, message.peer, message.communicator, message.tag, message.bytes,
              request);
    if (complete != INT64_MAX) ends_.push({complete, ends_made_++, End::What::send, 0, message, {}, request});
}

void Otf2Location::count(int64_t time, uint32_t counter, int64_t value) {
    write_ends(time);
    const OTF2_Type kind = OTF2_TYPE_INT64;
    OTF2_MetricValue count;
    count.signed_int = value;
    file_.add(OTF2_EvtWriter_Metric, time, counter, uint8_t{1}, &kind, &count);
}

void Otf2Location::write_ends(int64_t until) {
    for (; !ends_.empty() && ends_.top().time <= until; ends_.pop()) write(ends_.top());
}

void Otf2Location::write(const End& end) {
    switch (end.what) {
        case End::What::receive:
            return receive(end);
        case End::What::send:
            return file_.add(OTF2_EvtWriter_MpiIsendComplete, end.time, end.request);
        case End::What::object:
            return object_events_.end(objects_[end.object]);
        case End::What::request_of_object:
            return object_events_.complete(objects_[end.object]);
        case End::What::collective:
            return end_collective(end);
    }
}

void Otf2Location::end_collective(const End& end) {
    const Otf2CollectiveCall& call = end.collective;
    if (end.request == 0)
        return file_.add(OTF2_EvtWriter_MpiCollectiveEnd, end.time, call.what.operation, call.communicator,
                         call.root, call.sent, call.received);
    file_.add(OTF2_EvtWriter_NonBlockingCollectiveComplete, end.time, call.what.operation, call.communicator,
              call.root, call.sent, call.received, end.request);
}

void Otf2Location::receive(const End& end) {
    const Otf2Message& message = end.message;
    const auto posted = posted_.find(end.posted);
    if (posted == posted_.end())
        return file_.add(OTF2_EvtWriter_MpiRecv, end.time, message.peer, message.communicator, message.tag,
                         message.bytes);
    file_.add(OTF2_EvtWriter_MpiIrecv, end.time, message.peer, message.communicator, message.tag,
              message.bytes, posted->second);
    posted_.erase(posted);
}

void Otf2Location::finish(int64_t time) {
    write_ends(time);
    while (!stack_.empty()) leave(time);
    write_ends(INT64_MAX);
}

}  // namespace ovni
