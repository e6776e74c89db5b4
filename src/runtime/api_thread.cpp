// The C API: threads and what they require.
#include <cstring>

#include "core/semver.hpp"
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "runtime/thread.hpp"

using namespace ovni;
using namespace ovni::writer;

void ovni_thread_init(pid_t tid) {
    if (process().is_inherited() || is_inside()) return;
    ThreadState& thread = this_thread();
    if (thread.stream && !thread.stream->is_ours())
        return warn("ovni_thread_init: thread %d is already initialized, ignored", tid);
    if (thread.phase == ThreadPhase::ended) return;
    if (thread.phase == ThreadPhase::finished) fatal(__func__, "thread %d is already finished", tid);
    if (tid == 0) fatal(__func__, "the thread id is 0");
    if (!process().is_ready()) fatal(__func__, "the process is not initialized");
    SlowPath slow;
    Stream* stream = thread.stream ? thread.stream : open_stream(tid, Owner::program, slow);
    if (!stream) return;
    stream->open_for_program(tid);
    stream->with_metadata([](Metadata& metadata) { metadata.set("ovni.require.ovni", OVNI_MODEL_VERSION); });
}

int ovni_thread_isready() {
    const Stream* stream = this_thread().stream;
    return stream && !stream->is_ours();
}

void ovni_thread_require(const char* model, const char* version) {
    constexpr size_t key_room = 128;
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    if (!model) fatal(__func__, "the model is NULL");
    if (strpbrk(model, " .")) fatal(__func__, "the model '%s' has a blank or a dot in its name", model);
    if (strlen(model) <= 1) fatal(__func__, "the name of the model '%s' is too short", model);
    if (!version) fatal(__func__, "the version is NULL");
    if (!parse_version(version)) fatal(__func__, "cannot understand version '%s'", version);
    SlowPath slow;
    std::string key = std::string("ovni.require.") + model;
    if (key.size() >= key_room) fatal(__func__, "the name of the model is too long: %s", model);
    bool ok = stream->with_metadata([&](Metadata& metadata) { return metadata.set(key.c_str(), version); });
    if (!ok) fatal(__func__, "cannot set %s", key.c_str());
}

void ovni_thread_free() {
    if (program_stream(__func__)) free_stream();
}
