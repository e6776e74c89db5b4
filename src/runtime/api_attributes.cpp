// The C API: attributes.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "runtime/memory.hpp"
#include "runtime/thread.hpp"

using namespace ovni;
using namespace ovni::writer;

namespace {

// Runs where the thread has its metadata, else gives `nothing`.
template <class Result, class Use>
Result with_metadata(const char* function, const char* key, Result nothing, Use use) {
    Stream* stream = program_stream(function);
    if (!stream) return nothing;
    if (!key) fatal(function, "the key is NULL");
    return stream->with_metadata(use);
}

template <class Value>
void set(const char* function, const char* key, Value&& value) {
    bool ok = with_metadata(function, key, true, [&](Metadata& metadata) {
        return metadata.set(key, Json(std::forward<Value>(value)));
    });
    if (!ok) fatal(function, "cannot set '%s': a part of the key is no object", key);
}

bool has_room_for(const char* key, size_t bytes) {
    if (metadata_fit(bytes)) return true;
    complain(Trouble::memory, "ovni", "no memory for the attribute '%s'", key ? key : "");
    return false;
}

std::optional<Json> parse(const char* json) {
    SlowPath slow;
    return json_parse(json);
}

const Json& get(const char* function, const char* key, const Metadata& metadata) {
    const Json* value = metadata.find(key);
    if (!value) fatal(function, "there is no attribute '%s'", key);
    return *value;
}

[[noreturn]] void wrong_type(const char* function, const char* key, const char* type) {
    fatal(function, "the attribute '%s' is no %s", key, type);
}

}  // namespace

int ovni_attr_has(const char* key) {
    return with_metadata(__func__, key, 0, [&](Metadata& metadata) { return metadata.find(key) ? 1 : 0; });
}

void ovni_attr_set_double(const char* key, double num) {
    if (!std::isfinite(num)) fatal(__func__, "the value of '%s' is not a finite number", key);
    set(__func__, key, num);
}

void ovni_attr_set_boolean(const char* key, int value) {
    set(__func__, key, value != 0);
}

void ovni_attr_set_str(const char* key, const char* value) {
    if (!value) fatal(__func__, "the value is NULL");
    if (has_room_for(key, strlen(value))) set(__func__, key, value);
}

void ovni_attr_set_json(const char* key, const char* json) {
    if (!program_stream(__func__)) return;
    if (!json) fatal(__func__, "the JSON text is NULL");
    constexpr size_t parsed = 4;  // times 16: an empty object of three bytes takes 144
    if (!has_room_for(key, parsed * strlen(json))) return;
    std::optional<Json> value = parse(json);
    if (!value) fatal(__func__, "cannot understand the JSON text '%s'", json);
    set(__func__, key, std::move(*value));
}

double ovni_attr_get_double(const char* key) {
    constexpr const char* function = "ovni_attr_get_double";
    return with_metadata(function, key, 0.0, [&](Metadata& metadata) {
        const Json& value = get(function, key, metadata);
        if (!value.is_number()) wrong_type(function, key, "number");
        return value.get<double>();
    });
}

int ovni_attr_get_boolean(const char* key) {
    constexpr const char* function = "ovni_attr_get_boolean";
    return with_metadata(function, key, 0, [&](Metadata& metadata) {
        const Json& value = get(function, key, metadata);
        if (!value.is_boolean()) wrong_type(function, key, "boolean");
        return value.get<bool>() ? 1 : 0;
    });
}

const char* ovni_attr_get_str(const char* key) {
    constexpr const char* function = "ovni_attr_get_str";
    return with_metadata(function, key, "", [&](Metadata& metadata) {
        const auto* text = get(function, key, metadata).get_ptr<const std::string*>();
        if (!text) wrong_type(function, key, "string");
        return text->c_str();
    });
}

char* ovni_attr_get_json(const char* key) {
    constexpr const char* function = "ovni_attr_get_json";
    if (!program_stream(function)) return strdup("null");
    return with_metadata(function, key, static_cast<char*>(nullptr), [&](Metadata& metadata) {
        return strdup(json_text(get(function, key, metadata), JsonStyle::compact).c_str());
    });
}

void ovni_attr_flush() {
    if (Stream* stream = program_stream(__func__)) stream->write_metadata();
}
