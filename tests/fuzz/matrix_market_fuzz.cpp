// Feeds any bytes to the Matrix Market reader: each must give a matrix that keeps its promises, or
// an error of one line. Built by the preset `asan` with libFuzzer; ordinary tests replay corpus/.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/market/matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto require = [](bool kept, const char* promise, const std::string& seen) {
    if (kept) return;
    std::fprintf(stderr, "%s: %s\n", promise, seen.c_str());
    std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = sparsecast::parse_matrix_market(text, "input", {.threads = 1});
    sparsecast::check_csr(file.matrix.view());
    require(file.matrix.nonzeros() <= 2 * file.header.stored_entries, "invented entries", "");
  } catch (const sparsecast::Error& error) {
    const std::string message = error.what();
    require(message.starts_with("input:"), "the file is not named", message);
    require(message.find('\n') == std::string::npos, "more than a line", message);
    require(message.find("; expected ") != std::string::npos, "no expectation", message);
  }
  return 0;
}
