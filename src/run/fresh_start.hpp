// Libraries that the user preloads are meant for the program. In ovnirun and its companion they could write
// to descriptors of ovnirun, count its work, or return false times. So ovnirun executes itself again without
// them.
#pragma once

namespace ovni::run {

// Call first. Executes ovnirun again if libraries were loaded that it is not linked with. Returns the user's
// LD_PRELOAD, null if there is none.
const char* start_without_preload(char** argv);

}  // namespace ovni::run
