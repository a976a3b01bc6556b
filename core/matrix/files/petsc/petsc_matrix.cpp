#include "core/matrix/files/petsc/petsc_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/stored_entries.hpp"

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

std::string place(std::uint64_t byte, const char* what) {
  return "at byte " + std::to_string(byte) + ": " + what;
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

PetscMatrix::PetscMatrix(const ByteSource& file) : file_(file) {
  // A class is far below 2^32: of 64 bits the upper half is 0.
  if (integer_at(0) == 0) integer_bytes_ = 8;
  require_matrix(integer_at(0));
  const std::size_t integer = integer_bytes_;
  rows_ = integer_at(integer);
  columns_ = integer_at(2 * integer);
  entries_ = integer_at(3 * integer);
  lengths_ = 4 * integer;
  constexpr std::int64_t dense = -1;
  if (entries_ == dense) {
    fail(3 * integer, "the matrix is dense; expected a sparse one (type aij)");
  }
  for (const std::int64_t size : {rows_, columns_, entries_}) {
    if (size < 0) fail(integer, "a size is negative: " + std::to_string(size) + "; expected sizes");
  }
  if (std::cmp_greater(rows_, (file_.size() - lengths_) / integer)) {
    fail(integer, std::to_string(rows_) + " rows, but the file has " +
                      std::to_string(file_.size()) + " bytes; expected the length of each row");
  }
}

Buffer<std::int64_t> PetscMatrix::offsets(std::int64_t begin, std::int64_t end) const {
  Buffer<std::int64_t> offsets(end - begin + 1);
  offsets[0] = 0;
  for_each_piece(
      lengths_, begin, end - begin, integer_bytes_,
      [&](std::string_view bytes, std::int64_t first, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) {
          const std::uint64_t at = static_cast<std::uint64_t>(k) * integer_bytes_;
          const std::int64_t length =
              integer_bytes_ == 4 ? number_at<std::int32_t>(bytes.data() + at, std::endian::big)
                                  : number_at<std::int64_t>(bytes.data() + at, std::endian::big);
          const std::int64_t row = first + k;
          const std::int64_t before = offsets[row - begin];
          // More than the file has bytes cannot follow, and a sum of such does not overflow.
          if (length < 0 || std::cmp_greater(length, file_.size() - before)) {
            fail(lengths_ + static_cast<std::uint64_t>(row) * integer_bytes_,
                 "row " + std::to_string(row + 1) + " has " + std::to_string(length) +
                     " entries; expected 0 or more, as many as the file holds");
          }
          offsets[row - begin + 1] = before + length;
          if (std::cmp_greater(before + length, file_.size())) {
            fail(lengths_, "the rows have more entries than the file bytes; expected fewer");
          }
        }
      });
  return offsets;
}

void PetscMatrix::set_entries(std::int64_t entries) {
  // MatLoad: a count that does not fit into 32 bits is written as the largest one.
  const bool unknown = integer_bytes_ == 4 && entries_ == std::numeric_limits<std::int32_t>::max();
  if (!unknown && entries != entries_) {
    fail(3 * integer_bytes_, std::to_string(entries_) + " nonzeros, but the rows have " +
                                 std::to_string(entries) + "; expected the same number");
  }
  entries_ = entries;
  const std::string wrong = wrong_sizes(rows_, columns_, entries_);
  if (!wrong.empty()) fail(integer_bytes_, wrong);
  indices_ = lengths_ + static_cast<std::uint64_t>(rows_) * integer_bytes_;
  values_ = indices_ + static_cast<std::uint64_t>(entries_) * integer_bytes_;
  value_bytes_ = value_bytes();
}

void PetscMatrix::read(std::int64_t first, std::span<std::int32_t> columns,
                       std::span<double> values, int threads) const {
  const NumberType value_type{NumberType::Kind::floating, value_bytes_, std::endian::big};
  const auto stretch = [first](auto all, std::int64_t begin, std::int64_t count) {
    return all.subspan(static_cast<std::size_t>(begin - first), static_cast<std::size_t>(count));
  };
  for_each_piece(indices_, first, std::ssize(columns), integer_bytes_,
                 [&](std::string_view piece, std::int64_t begin, std::int64_t count) {
                   convert_indices(piece, integer_type(), 0, columns_ - 1,
                                   stretch(columns, begin, count), place(indices_, "columns"),
                                   threads, begin);
                 });
  for_each_piece(values_, first, std::ssize(values), value_bytes_,
                 [&](std::string_view piece, std::int64_t begin, std::int64_t count) {
                   convert_values(piece, value_type, stretch(values, begin, count),
                                  place(values_, "values"), threads, begin);
                 });
}

std::int64_t PetscMatrix::integer_at(std::uint64_t byte) const {
  if (byte > file_.size() || file_.size() - byte < integer_bytes_) {
    fail(file_.size(), "the file ends within its header; expected a matrix of PETSc");
  }
  Buffer<char> scratch;
  const std::string_view bytes = file_.view(byte, byte + integer_bytes_, scratch);
  return integer_bytes_ == 4 ? number_at<std::int32_t>(bytes.data(), std::endian::big)
                             : number_at<std::int64_t>(bytes.data(), std::endian::big);
}

/// Whether the file ends here, or another object begins.
bool PetscMatrix::may_end_at(std::uint64_t byte) const {
  if (byte == file_.size()) return true;
  return byte < file_.size() && file_.size() - byte >= integer_bytes_ && is_class(integer_at(byte));
}

void PetscMatrix::require_matrix(std::int64_t object_class) const {
  if (!is_class(object_class)) {
    fail(0, "the class of the object is not in big-endian order; expected PETSc's binary format");
  }
  if (object_class == matrix_class) return;
  const auto other = std::ranges::find(other_classes, object_class, &OtherClass::id);
  fail(0,
       "this is " +
           (other != other_classes.end() ? std::string(other->name)
                                         : "an object of class " + std::to_string(object_class)) +
           " of PETSc; expected a matrix (Mat) first in the file");
}

/// Bytes of a value: the matrix ends where the file does, or another object begins.
std::size_t PetscMatrix::value_bytes() const {
  const auto end = [&](std::size_t bytes) {
    return values_ + static_cast<std::uint64_t>(entries_) * bytes;
  };
  for (const std::size_t bytes : {sizeof(double), sizeof(float)}) {
    if (may_end_at(end(bytes))) return bytes;
  }
  if (may_end_at(end(2 * sizeof(double)))) {
    fail(values_, "complex values are not supported; expected real ones of 8 bytes");
  }
  if (end(sizeof(double)) > file_.size()) {
    fail(file_.size(), "the file ends before its " + std::to_string(entries_) +
                           " values; expected " + std::to_string(end(sizeof(double))) + " bytes");
  }
  fail(end(sizeof(double)), "what follows the values is no object of PETSc; expected the end");
}

NumberType PetscMatrix::integer_type() const {
  return {NumberType::Kind::signed_integer, integer_bytes_, std::endian::big};
}

/// Calls `use(bytes, begin, count)` for pieces of numbers of an array, one after the other.
template <class Use>
void PetscMatrix::for_each_piece(std::uint64_t array, std::int64_t first, std::int64_t count,
                                 std::size_t number_bytes, const Use& use) const {
  constexpr std::int64_t piece = std::int64_t{1} << 20;
  Buffer<char> scratch;
  const std::int64_t end = first + count;
  for (std::int64_t begin = first; begin < end; begin += piece) {
    const std::int64_t here = std::min(piece, end - begin);
    const std::uint64_t from = array + static_cast<std::uint64_t>(begin) * number_bytes;
    use(file_.view(from, from + static_cast<std::uint64_t>(here) * number_bytes, scratch), begin,
        here);
  }
}

}  // namespace sparsecast
