#pragma once

namespace sparsecast {

/// Whether this build has a sanitizer, under which tests take long and memory is not what it was.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

/// Why a test is skipped then that computes for half a minute, through code that others reach too.
constexpr const char* long_under_sanitizers = "takes long under a sanitizer";

}  // namespace sparsecast
