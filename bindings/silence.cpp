// What the C and C++ libraries would print: a module has no console, and formatting for one takes a
// tenth of its code.
#include <cstdio>

/// The last words on an exception that nobody caught. None passes `guard`; what ends the engine
/// elsewhere reaches JavaScript as a trap.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }

extern "C" int printf(const char*, ...) { return 0; }
