// The files of a stream, in its directory.
#pragma once

namespace ovni::writer {

inline constexpr const char* events_file = "/stream.obs";
inline constexpr const char* metadata_file = "/stream.json";
inline constexpr const char* checksum_file = "/stream.crc";
inline constexpr const char* gaps_file = "/stream.gaps.json";

}  // namespace ovni::writer
