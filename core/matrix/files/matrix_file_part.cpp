#include "core/matrix/files/matrix_file_part.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/archives/compressed.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/files/standard_input.hpp"
#include "core/base/text/hash.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/market/matrix_market_part.hpp"
#include "core/matrix/files/petsc/petsc_part.hpp"
#include "core/matrix/files/tar/tar_part.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t identifying_bytes = 65536;

std::uint64_t identity_of(const ByteSource& bytes) {
  Buffer<char> scratch;
  const std::size_t size = bytes.size();
  const std::size_t some = std::min(size, identifying_bytes);
  const std::uint64_t beginning = hash_of(bytes.view(0, some, scratch), size);
  return hash_of(bytes.view(size - some, size, scratch), beginning);
}

/// One of several parts of a Matrix Market file that is compressed.
class CompressedMarketPart : public StreamedMarketPart {
 public:
  CompressedMarketPart(const ByteSource& compressed, int part, int parts, int threads)
      : StreamedMarketPart(*open_compressed(compressed), compressed.size() * largest_gzip_ratio,
                           part, parts, threads) {}
};

/// The part of an open file that a reader of one kind has begun.
template <class Reader>
class OpenPart final : public MatrixFilePart {
 public:
  OpenPart(std::string name, std::unique_ptr<InputFile> file, int part, int parts, int threads)
      : name_(std::move(name)),
        file_(std::move(file)),
        bytes_(*file_),
        identity_(identity_of(bytes_)),
        reader_(bytes_, part, parts, threads) {}

  const StoredShape& shape() const override { return reader_.shape(); }
  PartCount count() override {
    return read([&] { return reader_.count(); });
  }
  std::uint64_t identity() const override { return identity_; }
  std::vector<EntryChunk> take(const PartCount& before, const PartCount& all) override {
    return read([&] { return reader_.take(before, all); });
  }

 private:
  template <class Body>
  auto read(const Body& body) const {
    return with_file_name(name_, [&] {
      try {
        auto result = body();
        file_->check_unchanged();
        return result;
      } catch (...) {
        file_->check_unchanged();  // else who changed it is to blame
        throw;
      }
    });
  }

  std::string name_;
  std::unique_ptr<InputFile> file_;
  FileBytes bytes_;
  std::uint64_t identity_;
  Reader reader_;
};

}  // namespace

std::unique_ptr<MatrixFilePart> open_matrix_part(const std::filesystem::path& path, int part,
                                                 int parts, int threads) {
  const std::string name = file_label(path);
  return with_file_name(name, [&]() -> std::unique_ptr<MatrixFilePart> {
    if (is_standard_input(path)) {
      throw Error("comes to one of several processes alone; write it to a file that all can read");
    }
    auto file = std::make_unique<InputFile>(path, "a matrix file");
    const auto read_as = [&]<class Reader>(std::type_identity<Reader>) {
      return std::make_unique<OpenPart<Reader>>(name, std::move(file), part, parts, threads);
    };
    const FileBytes bytes(*file);
    if (is_compressed(bytes)) {
      switch (kind_of(beginning_of(*open_compressed(bytes), kind_bytes))) {
        case FileKind::tar:
          return read_as(std::type_identity<TarPart>());
        case FileKind::harwell_boeing:
          throw Error(unreadable_in_parts());
        default:  // its reader says what else it may be
          return read_as(std::type_identity<CompressedMarketPart>());
      }
    }
    Buffer<char> scratch;
    switch (kind_of(bytes.view(0, std::min(bytes.size(), kind_bytes), scratch))) {
      case FileKind::matrix_market:
        return read_as(std::type_identity<MatrixMarketPart>());
      case FileKind::petsc:
        return read_as(std::type_identity<PetscPart>());
      case FileKind::tar:
        return read_as(std::type_identity<TarPart>());
      default:
        throw Error(unreadable_in_parts());
    }
  });
}

}  // namespace sparsecast
