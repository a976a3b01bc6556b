#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace sparsecast {

/// What readers of texts promise of any bytes: an error of one line that names the input, or
/// something that is written as a text which reads back as what is written alike. Aborts otherwise.
/// `read` takes a text and throws `Error`; `write` takes what was read.
template <class Read, class Write>
void require_promise(const std::uint8_t* data, std::size_t size, const Read& read,
                     const Write& write) {
  const auto require = [](bool kept, const char* promise, const std::string& seen) {
    if (kept) return;
    std::fprintf(stderr, "%s: %s\n", promise, seen.c_str());
    std::abort();
  };
  std::string written;
  try {
    written = write(read(std::string_view(reinterpret_cast<const char*>(data), size)));
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("input"), "the file is not named", message);
    require(message.find('\n') == std::string::npos, "more than a line", message);
    return;
  }
  try {
    const std::string again = write(read(written));
    require(again == written, "read back otherwise", written + "\n---\n" + again);
  } catch (const Error& error) {
    require(false, "what was written is not read", error.what() + ("\n" + written));
  }
}

}  // namespace sparsecast
