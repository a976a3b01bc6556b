#include "core/matrix/files/matrix_file_part.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/text/hash.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/market/matrix_market_part.hpp"
#include "core/matrix/files/petsc/petsc_part.hpp"

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

/// The part of an open file that a reader of one kind has begun.
template <class Reader>
class OpenPart final : public MatrixFilePart {
 public:
  OpenPart(std::string name, std::unique_ptr<InputFile> file, std::uint64_t identity, int part,
           int parts, int threads)
      : name_(std::move(name)),
        file_(std::move(file)),
        bytes_(*file_),
        identity_(identity),
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
    auto file = std::make_unique<InputFile>(path, "a matrix file");
    const FileBytes bytes(*file);
    const std::uint64_t identity = identity_of(bytes);
    Buffer<char> scratch;
    switch (kind_of(bytes.view(0, std::min(bytes.size(), kind_bytes), scratch))) {
      case FileKind::matrix_market:
        return std::make_unique<OpenPart<MatrixMarketPart>>(name, std::move(file), identity, part,
                                                            parts, threads);
      case FileKind::petsc:
        return std::make_unique<OpenPart<PetscPart>>(name, std::move(file), identity, part, parts,
                                                     threads);
      default:
        throw Error(
            "this file is not read in parts, as several processes do; expected plain Matrix Market "
            "('%%MatrixMarket matrix coordinate ...', not compressed), or PETSc's binary format");
    }
  });
}

}  // namespace sparsecast
