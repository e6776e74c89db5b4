// The files beside stream.obs.
#pragma once

namespace ovni {

inline constexpr const char* metadata_file = "/stream.json";
inline constexpr const char* checksum_file = "/stream.crc";
inline constexpr const char* gaps_file = "/stream.gaps.json";

}  // namespace ovni
