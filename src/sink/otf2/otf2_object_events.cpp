#include "sink/otf2/otf2_object_events.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ovni {

using Events = Otf2ObjectEvents;

const Events::Steps Events::all_steps[] = {
    {What::make_window, &Events::begin_collective, &Events::make_window, &Events::nothing},
    {What::free_window, &Events::begin_collective, &Events::free_window, &Events::nothing},
    {What::put, &Events::put, &Events::leave_open, &Events::complete_locally},
    {What::get, &Events::get, &Events::leave_open, &Events::complete_locally},
    {What::update, &Events::update, &Events::leave_open, &Events::complete_locally},
    {What::fence, &Events::begin_collective, &Events::fence, &Events::nothing},
    {What::synchronise, &Events::nothing, &Events::synchronise, &Events::nothing},
    {What::open, &Events::nothing, &Events::open, &Events::nothing},
    {What::close, &Events::nothing, &Events::close, &Events::nothing},
    {What::transfer, &Events::begin_transfer, &Events::end_transfer, &Events::complete_transfer},
    {What::begin_transfer, &Events::begin_transfer, &Events::issue_split, &Events::nothing},
    {What::end_transfer, &Events::nothing, &Events::end_split, &Events::nothing},
    {What::flush, &Events::begin_transfer, &Events::complete_transfer, &Events::nothing},
};

const Events::Steps& Events::steps_of(const Otf2ObjectCall& call) {
    return *std::ranges::find(all_steps, call.use.what, &Steps::what);
}

void Events::begin(Otf2ObjectCall& call) {
    (this->*steps_of(call).begin)(call);
}

void Events::end(Otf2ObjectCall& call) {
    (this->*steps_of(call).end)(call);
}

void Events::complete(Otf2ObjectCall& call) {
    (this->*steps_of(call).complete)(call);
}

void Events::begin_collective(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_RmaCollectiveBegin, call.begin);
}

void Events::end_collective(const Otf2ObjectCall& call, OTF2_CollectiveOp operation,
                            OTF2_RmaSyncLevel level) {
    file_.add(OTF2_EvtWriter_RmaCollectiveEnd, call.end, operation, level, call.object,
              uint32_t{OTF2_COLLECTIVE_ROOT_NONE}, uint64_t{0}, uint64_t{0});
}

void Events::make_window(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_RmaWinCreate, call.end, call.object);
    end_collective(call, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS);
}

void Events::free_window(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_RmaWinDestroy, call.end, call.object);
    end_collective(call, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS);
}

void Events::put(Otf2ObjectCall& call) {
    call.number = next_number();
    file_.add(OTF2_EvtWriter_RmaPut, call.begin, call.object, call.target, call.bytes, call.number);
}

void Events::get(Otf2ObjectCall& call) {
    call.number = next_number();
    file_.add(OTF2_EvtWriter_RmaGet, call.begin, call.object, call.target, call.result, call.number);
}

void Events::update(Otf2ObjectCall& call) {
    call.number = next_number();
    file_.add(OTF2_EvtWriter_RmaAtomic, call.begin, call.object, call.target, call.use.update, call.bytes,
              call.result, call.number);
}

// A get is complete when its request is, a put only locally.
void Events::leave_open(Otf2ObjectCall& call) {
    const bool is_get = call.use.what == What::get;
    const bool ends_by_request = call.has_request && call.complete != INT64_MAX;
    if (!is_get || !ends_by_request) open_[call.object].push_back({call.number, call.target, is_get});
}

void Events::complete_locally(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_RmaOpCompleteNonBlocking, call.complete, call.object, call.number);
}

void Events::synchronise(Otf2ObjectCall& call) {
    std::vector<Operation>& all = open_[call.object];
    const bool is_remote = call.use.completes == Otf2ObjectUse::Completes::everywhere;
    const auto takes_part = [&](const Operation& operation) {
        return call.target == Otf2ObjectCall::no_target || call.target == operation.target;
    };
    for (const Operation& operation : all) {
        if (!takes_part(operation)) continue;
        if (is_remote && !operation.is_get)
            file_.add(OTF2_EvtWriter_RmaOpCompleteRemote, call.end, call.object, operation.number);
        else
            file_.add(OTF2_EvtWriter_RmaOpCompleteNonBlocking, call.end, call.object, operation.number);
    }
    std::erase_if(all, [&](const Operation& operation) {
        return takes_part(operation) && (is_remote || operation.is_get);
    });
}

void Events::fence(Otf2ObjectCall& call) {
    synchronise(call);
    end_collective(call, OTF2_COLLECTIVE_OP_BARRIER,
                   OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
}

// The trace does not have the mode in which a file is opened.
void Events::open(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_IoCreateHandle, call.end, call.object,
              OTF2_IoAccessMode{OTF2_IO_ACCESS_MODE_READ_WRITE},
              OTF2_IoCreationFlag{OTF2_IO_CREATION_FLAG_NONE}, OTF2_IoStatusFlag{OTF2_IO_STATUS_FLAG_NONE});
}

void Events::close(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_IoDestroyHandle, call.end, call.object);
}

void Events::begin_transfer(Otf2ObjectCall& call) {
    call.number = next_number();
    file_.add(OTF2_EvtWriter_IoOperationBegin, call.begin, call.object, call.use.mode, call.use.flags,
              call.bytes, call.number);
}

void Events::end_transfer(Otf2ObjectCall& call) {
    if (call.has_request) return issue(call);
    call.complete = call.end;
    complete_transfer(call);
}

void Events::issue(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_IoOperationIssued, call.end, call.object, call.number);
}

void Events::issue_split(Otf2ObjectCall& call) {
    issue(call);
    split_[call.object] = call.number;
}

void Events::end_split(Otf2ObjectCall& call) {
    const auto begun = split_.find(call.object);
    if (begun == split_.end()) return;
    file_.add(OTF2_EvtWriter_IoOperationComplete, call.end, call.object, call.result, begun->second);
    split_.erase(begun);
}

void Events::complete_transfer(Otf2ObjectCall& call) {
    file_.add(OTF2_EvtWriter_IoOperationComplete, call.complete, call.object, call.result, call.number);
}

}  // namespace ovni
