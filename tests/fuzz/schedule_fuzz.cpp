// Feeds any bytes to the reader of files of methods. Built by the preset `asan`.

#include "core/schedule/method/method_json.hpp"

#include "fuzz/text_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sparsecast::require_promise(
      data, size, [](std::string_view text) { return sparsecast::read_method(text, "input"); },
      [](const auto& read) { return sparsecast::to_json(read); });
  return 0;
}
