// ^C ends an emulation in one process in order. Many ranks are ended by their launcher.
#pragma once

namespace ovni {

// From now on the first ^C ends the emulation in order, the second one the process at once.
void stop_in_order();
bool is_interrupted();

}  // namespace ovni
