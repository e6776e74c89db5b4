// An event code has exactly three characters.
#include "ovni/event_code.hpp"

#ifdef GOOD
constexpr ovni::EventCode code("OHx");
#else
constexpr ovni::EventCode code("OH");
#endif
static_assert(code.model() == 'O');
