#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/buffer.hpp"
#include "core/base/files/input_file.hpp"

namespace sparsecast {

/// Bytes that lie somewhere and can be read from anywhere on, by any number of threads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::size_t size() const = 0;
  /// Bytes `begin` to `end - 1`, which must be there; `scratch` may hold them. Throws `Error`
  /// ("what; what was expected", without a file name).
  virtual std::string_view view(std::size_t begin, std::size_t end,
                                Buffer<char>& scratch) const = 0;
};

/// Bytes in memory, which somebody else keeps there.
class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  std::string_view view(std::size_t begin, std::size_t end, Buffer<char>&) const override {
    return bytes_.substr(begin, end - begin);
  }

 private:
  std::string_view bytes_;
};

/// Those of an open file.
class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const InputFile& file) : file_(file) {}
  std::size_t size() const override { return file_.size(); }
  std::string_view view(std::size_t begin, std::size_t end, Buffer<char>& scratch) const override {
    scratch.resize(end - begin);
    file_.read(begin, scratch);
    return {scratch.data(), scratch.size()};
  }

 private:
  const InputFile& file_;
};

}  // namespace sparsecast
