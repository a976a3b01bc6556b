#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/buffer.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/binary_numbers.hpp"

/// @file
/// The matrix of a file of PETSc, whose arrays are read whole or in stretches of rows. Used by the
/// readers. All throw `Error` ("at byte N: what; what was expected", without a file name).

namespace sparsecast {

/// Does the data start like a file of PETSc, with the class of one of its objects?
bool is_petsc(std::string_view beginning);

class PetscMatrix {
 public:
  /// Reads the header, and refuses what is no sparse matrix with room for the lengths of its rows.
  explicit PetscMatrix(const ByteSource& file);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  /// Offsets of the rows [begin, end) among these rows' entries, from 0 on: one more than there are
  /// rows.
  Buffer<std::int64_t> offsets(std::int64_t begin, std::int64_t end) const;

  /// To be told before entries are read: how many there are in all rows. Throws unless that agrees
  /// with the header and with the file's size.
  void set_entries(std::int64_t entries);

  /// Columns, from 0, and values of so many entries, `first` and following ones, on `threads`
  /// threads (0: all).
  void read(std::int64_t first, std::span<std::int32_t> columns, std::span<double> values,
            int threads) const;

 private:
  std::int64_t integer_at(std::uint64_t byte) const;
  bool may_end_at(std::uint64_t byte) const;
  void require_matrix(std::int64_t object_class) const;
  std::size_t value_bytes() const;
  NumberType integer_type() const;
  template <class Use>
  void for_each_piece(std::uint64_t array, std::int64_t first, std::int64_t count,
                      std::size_t number_bytes, const Use& use) const;

  const ByteSource& file_;
  std::size_t integer_bytes_ = 4;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t entries_ = 0;   ///< as the header says, then as the rows do
  std::uint64_t lengths_ = 0;  ///< where the arrays begin
  std::uint64_t indices_ = 0;
  std::uint64_t values_ = 0;
  std::size_t value_bytes_ = 0;
};

}  // namespace sparsecast
