// Texts of programs on their way between ranks, in CBOR: any bytes, while JSON's own texts are UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ovni {

inline nlohmann::json packed(const std::string& text) {
    return nlohmann::json::binary({text.begin(), text.end()});
}

inline std::string unpacked(const nlohmann::json& packed) {
    const auto& bytes = packed.get_binary();
    return {bytes.begin(), bytes.end()};
}

}  // namespace ovni
