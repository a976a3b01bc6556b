// Feeds any bytes to the readers of matrix files, with the checksums of archives made right. Which
// reader it is decides the corpus that it begins with: see CMakeLists.txt. Built by the preset
// `fuzz`; ordinary tests change the same files at random.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/matrix_file_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& variant : {bytes, sparsecast::with_right_checksums(bytes)}) {
    const std::string broken = sparsecast::broken_promise(variant);
    if (broken.empty()) continue;
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
