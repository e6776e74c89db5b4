// Libraries that the user preloads are for the program. In ovnirun and its companion they would write to
// descriptors that are ours by then, count what is not the program's, or give false times. So ovnirun starts
// itself anew without.
#pragma once

namespace ovni::run {

// Does so if libraries were loaded that this program is not linked with: call it first. Returns the
// LD_PRELOAD that the user wants, null if there is none.
const char* start_without_preload(char** argv);

}  // namespace ovni::run
