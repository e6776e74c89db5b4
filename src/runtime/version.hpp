// Version and commit that this library was built from.
#pragma once

namespace ovni::writer {

extern const char* const library_version;
extern const char* const library_commit;

}  // namespace ovni::writer
