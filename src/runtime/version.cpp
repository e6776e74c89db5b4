#include "runtime/version.hpp"

#include "ovni.h"

namespace ovni::writer {

const char* const library_version = OVNI_LIB_VERSION;
const char* const library_commit = OVNI_GIT_COMMIT;

}  // namespace ovni::writer
