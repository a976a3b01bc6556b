#include "core/matrix/files/petsc/petsc.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/binary_numbers.hpp"

namespace sparsecast {
namespace {

/// include/petscmat.h and its like: classes of objects in files.
constexpr std::int64_t matrix_class = 1211216;
struct OtherClass {
  std::int64_t id;
  const char* name;
};
constexpr std::array other_classes{OtherClass{1211214, "a vector (Vec)"},
                                   OtherClass{1211218, "an index set (IS)"},
                                   OtherClass{1211219, "a bag of parameters (PetscBag)"},
                                   OtherClass{1211221, "an array's layout (DM)"}};
constexpr std::int64_t lowest_class = 1211211;
constexpr std::int64_t highest_class = 1211230;

bool is_class(std::int64_t id) {
  return id >= lowest_class && id <= highest_class;
}

[[noreturn]] void fail(std::uint64_t byte, const std::string& what) {
  throw Error("at byte " + std::to_string(byte) + ": " + what);
}

class PetscFile {
 public:
  explicit PetscFile(const ByteSource& file) : file_(file) {
    // A class is far below 2^32: of 64 bits the upper half is 0.
    integer_bytes_ = 4;
    if (integer_at(0) == 0) integer_bytes_ = 8;
    class_ = integer_at(0);
  }

  std::size_t integer_bytes() const { return integer_bytes_; }
  std::int64_t object_class() const { return class_; }

  std::int64_t integer_at(std::uint64_t byte) const {
    Buffer<char> scratch;
    require(byte, integer_bytes_);
    const std::string_view bytes = file_.view(byte, byte + integer_bytes_, scratch);
    return integer_bytes_ == 4 ? number_at<std::int32_t>(bytes.data(), std::endian::big)
                               : number_at<std::int64_t>(bytes.data(), std::endian::big);
  }

  /// Whether the file ends here, or another object begins.
  bool may_end_at(std::uint64_t byte) const {
    if (byte == file_.size()) return true;
    return byte < file_.size() && file_.size() - byte >= integer_bytes_ &&
           is_class(integer_at(byte));
  }

  /// Calls `use(bytes, first, count)` for pieces of an array of numbers, one after the other.
  template <class Use>
  void for_each_piece(std::uint64_t begin, std::int64_t numbers, std::size_t number_bytes,
                      const Use& use) const {
    constexpr std::int64_t piece = std::int64_t{1} << 20;
    Buffer<char> scratch;
    for (std::int64_t first = 0; first < numbers; first += piece) {
      const std::int64_t count = std::min(piece, numbers - first);
      const std::uint64_t from = begin + static_cast<std::uint64_t>(first) * number_bytes;
      use(file_.view(from, from + static_cast<std::uint64_t>(count) * number_bytes, scratch), first,
          count);
    }
  }

  NumberType integer_type() const {
    return {NumberType::Kind::signed_integer, integer_bytes_, std::endian::big};
  }
  std::uint64_t size() const { return file_.size(); }

 private:
  void require(std::uint64_t byte, std::size_t bytes) const {
    if (byte > file_.size() || file_.size() - byte < bytes) {
      fail(file_.size(), "the file ends within its header; expected a matrix of PETSc");
    }
  }

  const ByteSource& file_;
  std::size_t integer_bytes_ = 4;
  std::int64_t class_ = 0;
};

/// The header, and where the arrays behind it begin.
struct Header {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  std::uint64_t lengths = 0;
  std::uint64_t indices = 0;
  std::uint64_t values = 0;
};

void require_matrix(const PetscFile& file) {
  if (file.object_class() == matrix_class) return;
  const auto other = std::ranges::find(other_classes, file.object_class(), &OtherClass::id);
  fail(0, "this is " +
              (other != other_classes.end()
                   ? std::string(other->name)
                   : "an object of class " + std::to_string(file.object_class())) +
              " of PETSc; expected a matrix (Mat) first in the file");
}

/// The lengths of the rows, as offsets.
Buffer<std::int64_t> read_offsets(const PetscFile& file, const Header& header) {
  Buffer<std::int64_t> offsets(header.rows + 1);
  offsets[0] = 0;
  file.for_each_piece(
      header.lengths, header.rows, file.integer_bytes(),
      [&](std::string_view bytes, std::int64_t first, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) {
          const std::uint64_t at = static_cast<std::uint64_t>(k) * file.integer_bytes();
          const std::int64_t length =
              file.integer_bytes() == 4
                  ? number_at<std::int32_t>(bytes.data() + at, std::endian::big)
                  : number_at<std::int64_t>(bytes.data() + at, std::endian::big);
          const std::int64_t row = first + k;
          // More than the file has bytes cannot follow, and a sum of such does not overflow.
          if (length < 0 || std::cmp_greater(length, file.size() - offsets[row])) {
            fail(header.lengths + static_cast<std::uint64_t>(row) * file.integer_bytes(),
                 "row " + std::to_string(row + 1) + " has " + std::to_string(length) +
                     " entries; expected 0 or more, as many as the file holds");
          }
          offsets[row + 1] = offsets[row] + length;
          if (std::cmp_greater(offsets[row + 1], file.size())) {
            fail(header.lengths, "the rows have more entries than the file bytes; expected fewer");
          }
        }
      });
  return offsets;
}

/// Bytes of a value: the matrix ends where the file does, or another object begins.
std::size_t value_bytes(const PetscFile& file, const Header& header) {
  const auto end = [&](std::size_t bytes) {
    return header.values + static_cast<std::uint64_t>(header.nonzeros) * bytes;
  };
  for (const std::size_t bytes : {sizeof(double), sizeof(float)}) {
    if (file.may_end_at(end(bytes))) return bytes;
  }
  if (file.may_end_at(end(2 * sizeof(double)))) {
    fail(header.values, "complex values are not supported; expected real ones of 8 bytes");
  }
  if (end(sizeof(double)) > file.size()) {
    fail(file.size(), "the file ends before its " + std::to_string(header.nonzeros) +
                          " values; expected " + std::to_string(end(sizeof(double))) + " bytes");
  }
  fail(end(sizeof(double)), "what follows the values is no object of PETSc; expected the end");
}

}  // namespace

bool is_petsc(std::string_view beginning) {
  if (beginning.size() < 4) return false;
  const auto id = number_at<std::uint32_t>(beginning.data(), std::endian::big);
  if (id == 0 && beginning.size() >= 8) {
    return is_class(number_at<std::uint32_t>(beginning.data() + 4, std::endian::big));
  }
  return is_class(id) || is_class(number_at<std::uint32_t>(beginning.data(), std::endian::little));
}

MatrixFromFile parse_petsc(const ByteSource& bytes, const MatrixFileOptions& options) {
  const PetscFile file(bytes);
  if (!is_class(file.object_class())) {
    fail(0, "the class of the object is not in big-endian order; expected PETSc's binary format");
  }
  require_matrix(file);
  const std::size_t integer = file.integer_bytes();
  Header header;
  header.rows = file.integer_at(integer);
  header.columns = file.integer_at(2 * integer);
  header.nonzeros = file.integer_at(3 * integer);
  header.lengths = 4 * integer;
  constexpr std::int64_t dense = -1;
  if (header.nonzeros == dense) {
    fail(3 * integer, "the matrix is dense; expected a sparse one (type aij)");
  }
  for (const std::int64_t size : {header.rows, header.columns, header.nonzeros}) {
    if (size < 0) fail(integer, "a size is negative: " + std::to_string(size) + "; expected sizes");
  }
  if (std::cmp_greater(header.rows, (file.size() - header.lengths) / integer)) {
    fail(integer, std::to_string(header.rows) + " rows, but the file has " +
                      std::to_string(file.size()) + " bytes; expected the length of each row");
  }
  Buffer<std::int64_t> offsets = read_offsets(file, header);
  // MatLoad: a count that does not fit into 32 bits is written as the largest one.
  const bool unknown = integer == 4 && header.nonzeros == std::numeric_limits<std::int32_t>::max();
  if (!unknown && offsets.back() != header.nonzeros) {
    fail(3 * integer, std::to_string(header.nonzeros) + " nonzeros, but the rows have " +
                          std::to_string(offsets.back()) + "; expected the same number");
  }
  header.nonzeros = offsets.back();
  const std::string wrong = wrong_sizes(header.rows, header.columns, header.nonzeros);
  if (!wrong.empty()) fail(integer, wrong);
  header.indices = header.lengths + static_cast<std::uint64_t>(header.rows) * integer;
  header.values = header.indices + static_cast<std::uint64_t>(header.nonzeros) * integer;
  const NumberType value_type{NumberType::Kind::floating, value_bytes(file, header),
                              std::endian::big};

  CsrMatrix<double> matrix;
  matrix.rows = header.rows;
  matrix.columns = header.columns;
  matrix.row_offsets = std::move(offsets);
  matrix.column_indices.resize(header.nonzeros);
  matrix.values.resize(header.nonzeros);
  const auto place = [](std::uint64_t byte, const char* what) {
    return "at byte " + std::to_string(byte) + ": " + what;
  };
  file.for_each_piece(header.indices, header.nonzeros, integer,
                      [&](std::string_view piece, std::int64_t first, std::int64_t count) {
                        convert_indices(piece, file.integer_type(), 0, header.columns - 1,
                                        std::span(matrix.column_indices).subspan(first, count),
                                        place(header.indices, "columns"), options.threads, first);
                      });
  file.for_each_piece(header.values, header.nonzeros, value_type.bytes,
                      [&](std::string_view piece, std::int64_t first, std::int64_t count) {
                        convert_values(piece, value_type,
                                       std::span(matrix.values).subspan(first, count),
                                       place(header.values, "values"), options.threads, first);
                      });
  auto [assembled, duplicates] = assemble_rows(std::move(matrix), options);
  return {std::move(assembled), StoredSymmetry::general, false, duplicates};
}

}  // namespace sparsecast
