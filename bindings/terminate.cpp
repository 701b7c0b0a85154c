// The C++ library's last words on an exception that nobody caught would bring printf into the
// module. None passes `guard`; what ends the engine elsewhere reaches JavaScript as a trap.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }
