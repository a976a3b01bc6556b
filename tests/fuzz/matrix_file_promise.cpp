#include "fuzz/matrix_file_promise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/base/archives/deflate.hpp"
#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/read_matrix_file.hpp"

namespace sparsecast {
namespace {

std::uint32_t field(const std::string& bytes, std::size_t at) {
  return number_at<std::uint32_t>(bytes.data() + at, std::endian::little);
}

void repair_zip(std::string& bytes) {
  for (std::size_t entry = bytes.find("PK\x01\x02"); entry != std::string::npos;
       entry = bytes.find("PK\x01\x02", entry + 4)) {
    if (entry + 46 > bytes.size()) return;
    const std::size_t local = field(bytes, entry + 42);
    const std::size_t size = field(bytes, entry + 20);
    const bool stored = bytes[entry + 10] == 0;
    if (!stored || local + 30 > bytes.size()) continue;
    const std::size_t begin =
        local + 30 + (field(bytes, local + 26) & 0xffff) + (field(bytes, local + 26) >> 16);
    if (begin > bytes.size() || size > bytes.size() - begin) continue;
    const std::uint32_t checksum = crc32_of(std::string_view(bytes).substr(begin, size));
    std::memcpy(bytes.data() + entry + 16, &checksum, sizeof(checksum));
    std::memcpy(bytes.data() + local + 14, &checksum, sizeof(checksum));
  }
}

/// Every block that could be a header.
void repair_tar(std::string& bytes) {
  constexpr std::size_t block = 512;
  for (std::size_t at = 0; at + block <= bytes.size(); at += block) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 148, 8, ' ');
    unsigned sum = 0;
    for (std::size_t k = 0; k < block; ++k) sum += static_cast<unsigned char>(bytes[at + k]);
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), "%06o", sum);
    bytes.replace(at + 148, 7, digits.data(), 7);
  }
}

}  // namespace

std::string broken_promise(std::string_view bytes) {
  try {
    const MatrixFromFile file =
        parse_matrix_file(MemoryBytes(bytes), "input", MatrixFileOptions{.threads = 1});
    check_csr(file.matrix.view());
    const bool finite =
        std::ranges::all_of(file.matrix.values, [](double value) { return std::isfinite(value); });
    if (!finite) return "a value is not finite";
    if (file.duplicates < 0) return "fewer than no duplicates";
  } catch (const Error& error) {
    const std::string message = error.what();
    if (!message.starts_with("input:")) return "the file is not named: " + message;
    if (message.find('\n') != std::string::npos) return "more than a line: " + message;
    if (message.find("; expected ") == std::string::npos) return "no expectation: " + message;
  }
  return {};
}

std::string with_right_checksums(std::string bytes) {
  if (bytes.starts_with("PK")) {
    repair_zip(bytes);
  } else {
    repair_tar(bytes);
  }
  return bytes;
}

}  // namespace sparsecast
