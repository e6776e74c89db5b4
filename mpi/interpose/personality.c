/* Wrappers are C++ with tables for exceptions, but only to end a call: nothing is caught. The personality of
 * C does that with what libgcc has. */
struct _Unwind_Exception;
struct _Unwind_Context;

int __gcc_personality_v0(int version, int actions, unsigned long long exception_class,
                         struct _Unwind_Exception* exception, struct _Unwind_Context* context);

int __gxx_personality_v0(int version, int actions, unsigned long long exception_class,
                         struct _Unwind_Exception* exception, struct _Unwind_Context* context) {
    return __gcc_personality_v0(version, actions, exception_class, exception, context);
}
