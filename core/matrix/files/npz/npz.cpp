#include "core/matrix/files/npz/npz.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/archives/zip.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/npz/npy.hpp"
#include "core/matrix/files/text_tokens.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// An array that is in the archive and not yet in memory.
struct ArrayMember {
  std::string name;  ///< of the member
  ZipMember member;
  NpyHeader header;
};

/// An array in memory.
struct LoadedArray {
  std::string name;
  NpyHeader header;
  Buffer<char> content;

  std::string_view bytes() const {
    return std::string_view(content.data(), content.size()).substr(header.begin);
  }
};

/// The archive as `save_npz` writes it: an array a member.
class Npz {
 public:
  explicit Npz(const ByteSource& file) : file_(file), members_(read_zip_directory(file)) {}

  /// The array of this name, whose shape must have so many dimensions.
  ArrayMember find(const std::string& name, std::size_t dimensions) const {
    const auto found = std::ranges::find(members_, name + ".npy", &ZipMember::name);
    if (found == members_.end()) {
      throw Error("the archive has no member " + name +
                  ".npy; expected a sparse matrix as scipy.sparse.save_npz writes it");
    }
    try {
      NpyHeader header =
          parse_npy_header(beginning_of_member(file_, *found, npy_header_bytes), found->size);
      if (header.shape.size() != dimensions) {
        throw Error("the array has " + std::to_string(header.shape.size()) +
                    " dimensions; expected " + std::to_string(dimensions));
      }
      return {found->name, *found, std::move(header)};
    } catch (const Error& error) {
      throw Error(found->name + ": " + error.what());
    }
  }

  LoadedArray load(const ArrayMember& array) const {
    try {
      return {array.name, array.header, read_zip_member(file_, array.member)};
    } catch (const Error& error) {
      throw Error(array.name + ": " + error.what());
    }
  }

 private:
  const ByteSource& file_;
  std::vector<ZipMember> members_;
};

[[noreturn]] void fail(const ArrayMember& array, const std::string& what) {
  throw Error(array.name + ": " + what);
}

void require_numbers(const ArrayMember& array) {
  if (array.header.content != NpyHeader::Content::numbers) {
    fail(array, "the array holds texts; expected numbers");
  }
}

void require_integers(const ArrayMember& array) {
  require_numbers(array);
  if (array.header.type.kind == NumberType::Kind::floating) {
    fail(array, "the array holds floating-point numbers; expected integers");
  }
}

void require_count(const ArrayMember& array, std::int64_t count, const std::string& why) {
  if (array.header.count() == count) return;
  fail(array, number_of(array.header.count(), "element", "elements") + "; expected " +
                  std::to_string(count) + ", " + why);
}

/// "csr": a text of a few bytes, or of as many characters of four.
std::string format_of(const Npz& npz) {
  const ArrayMember member = npz.find("format", 0);
  constexpr std::size_t longest = 32;
  if (member.header.content == NpyHeader::Content::numbers || member.header.type.bytes > longest) {
    fail(member, "the array holds no short text; expected the name of a format");
  }
  const LoadedArray array = npz.load(member);
  const std::size_t step = array.header.content == NpyHeader::Content::unicode ? 4 : 1;
  const bool last_byte = step == 4 && array.header.type.order == std::endian::big;
  std::string format;
  for (std::size_t k = 0; k < array.bytes().size(); k += step) {
    const char c = array.bytes()[k + (last_byte ? 3 : 0)];
    if (c != '\0') format += c;
  }
  return format;
}

/// Rows and columns.
std::pair<std::int64_t, std::int64_t> sizes_of(const Npz& npz) {
  const ArrayMember member = npz.find("shape", 1);
  require_integers(member);
  require_count(member, 2, "rows and columns");
  const LoadedArray array = npz.load(member);
  Buffer<std::int32_t> sizes(2);
  convert_indices(array.bytes(), array.header.type, 0, largest_matrix_size, sizes, array.name, 1);
  return {sizes[0], sizes[1]};
}

/// How elements of an array lie behind each other: C's order, or Fortran's.
struct Strides {
  std::array<std::int64_t, 3> of;

  explicit Strides(const NpyHeader& header) : of{} {
    std::int64_t stride = 1;
    const std::size_t dimensions = header.shape.size();
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t d = header.fortran_order ? k : dimensions - 1 - k;
      of[d] = stride;
      stride *= header.shape[d];
    }
  }
};

class Reader {
 public:
  Reader(const ByteSource& file, const MatrixFileOptions& options)
      : npz_(file), options_(options) {}

  AssembledMatrix read() {
    const std::string format = format_of(npz_);
    std::tie(rows_, columns_) = sizes_of(npz_);
    if (format == "csr") return read_compressed(rows_, columns_, false);
    if (format == "csc") return read_compressed(columns_, rows_, true);
    if (format == "coo") return read_coo();
    if (format == "bsr") return read_bsr();
    if (format == "dia") return read_dia();
    throw Error("format.npy: the format is " + quote(format) +
                "; expected csr, csc, coo, bsr or dia");
  }

 private:
  void check_sizes(std::int64_t entries) const {
    const std::string wrong = wrong_sizes(rows_, columns_, entries);
    if (!wrong.empty()) throw Error("shape.npy: " + wrong);
  }

  /// Offsets of `size` rows among at most `entries` entries.
  Buffer<std::int64_t> load_offsets(const ArrayMember& member, std::int64_t entries) const {
    const LoadedArray array = npz_.load(member);
    return convert_offsets(array.bytes(), array.header.type, entries, array.name, options_.threads);
  }

  /// The first `count` of the indices, below `size`.
  Buffer<std::int32_t> load_indices(const ArrayMember& member, std::int64_t count,
                                    std::int64_t size) const {
    const LoadedArray array = npz_.load(member);
    Buffer<std::int32_t> indices(count);
    convert_indices(array.bytes(), array.header.type, 0, size - 1, indices, array.name,
                    options_.threads);
    return indices;
  }

  Buffer<double> load_values(const ArrayMember& member, std::int64_t count) const {
    const LoadedArray array = npz_.load(member);
    Buffer<double> values(count);
    convert_values(array.bytes(), array.header.type, values, array.name, options_.threads);
    return values;
  }

  /// csr; and csc, which is the transpose in csr.
  AssembledMatrix read_compressed(std::int64_t rows, std::int64_t columns, bool by_columns) {
    const ArrayMember offsets = npz_.find("indptr", 1);
    const ArrayMember indices = npz_.find("indices", 1);
    const ArrayMember data = npz_.find("data", 1);
    require_integers(offsets);
    require_integers(indices);
    require_numbers(data);
    require_count(offsets, rows + 1,
                  "one more than " + std::string(by_columns ? "columns" : "rows"));
    require_count(data, indices.header.count(), "as many as indices");
    CsrMatrix<double> matrix;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.row_offsets = load_offsets(offsets, indices.header.count());
    // SciPy may keep room behind the entries.
    const std::int64_t entries = matrix.row_offsets[rows];
    check_sizes(entries);
    matrix.column_indices = load_indices(indices, entries, columns);
    matrix.values = load_values(data, entries);
    if (by_columns) matrix = transpose<double>(matrix.view(), options_.threads);
    return assemble_rows(std::move(matrix), options_);
  }

  StoredShape shape(std::int64_t entries) const {
    StoredShape stored;
    stored.rows = rows_;
    stored.columns = columns_;
    stored.stored_entries = entries;
    return stored;
  }

  AssembledMatrix read_coo() {
    const ArrayMember row = npz_.find("row", 1);
    const ArrayMember column = npz_.find("col", 1);
    const ArrayMember data = npz_.find("data", 1);
    require_integers(row);
    require_integers(column);
    require_numbers(data);
    const std::int64_t entries = data.header.count();
    require_count(row, entries, "as many as values");
    require_count(column, entries, "as many as values");
    check_sizes(entries);
    constexpr std::int64_t piece = std::int64_t{1} << 18;
    std::vector<EntryChunk> chunks;
    for (std::int64_t first = 0; first < entries; first += piece) {
      chunks.emplace_back().entries = std::min(piece, entries - first);
    }
    const auto fill = [&](const ArrayMember& member, const auto& convert_piece) {
      const LoadedArray array = npz_.load(member);
      std::int64_t first = 0;
      for (EntryChunk& chunk : chunks) {
        convert_piece(array, array.bytes().substr(first * array.header.type.bytes), chunk, first);
        first += chunk.entries;
      }
    };
    const auto fill_indices = [&](const ArrayMember& member, Buffer<std::int32_t> EntryChunk::*of,
                                  std::int64_t size) {
      fill(member, [&](const LoadedArray& array, std::string_view bytes, EntryChunk& chunk,
                       std::int64_t first) {
        (chunk.*of).resize(chunk.entries);
        convert_indices(bytes, array.header.type, 0, size - 1, chunk.*of, array.name,
                        options_.threads, first);
      });
    };
    fill_indices(row, &EntryChunk::rows, rows_);
    fill_indices(column, &EntryChunk::columns, columns_);
    fill(data, [&](const LoadedArray& array, std::string_view bytes, EntryChunk& chunk,
                   std::int64_t first) {
      chunk.values.resize(chunk.entries);
      convert_values(bytes, array.header.type, chunk.values, array.name, options_.threads, first);
    });
    return assemble_entries(chunks, shape(entries), options_);
  }

  AssembledMatrix read_bsr() {
    const ArrayMember offsets = npz_.find("indptr", 1);
    const ArrayMember indices = npz_.find("indices", 1);
    const ArrayMember data = npz_.find("data", 3);
    require_integers(offsets);
    require_integers(indices);
    require_numbers(data);
    const std::int64_t block_rows = data.header.shape[1];
    const std::int64_t block_columns = data.header.shape[2];
    if (block_rows < 1 || block_columns < 1 || rows_ % block_rows != 0 ||
        columns_ % block_columns != 0) {
      fail(data, "blocks of " + std::to_string(block_rows) + " x " + std::to_string(block_columns) +
                     " in a matrix of " + std::to_string(rows_) + " x " + std::to_string(columns_) +
                     "; expected sizes that divide it");
    }
    require_count(offsets, rows_ / block_rows + 1, "one more than rows of blocks");
    if (data.header.shape[0] != indices.header.count()) {
      fail(data, number_of(data.header.shape[0], "block", "blocks") + "; expected " +
                     std::to_string(indices.header.count()) + ", as many as indices");
    }
    const Buffer<std::int64_t> block_offsets = load_offsets(offsets, indices.header.count());
    const std::int64_t blocks = block_offsets.back();
    check_sizes(blocks * block_rows * block_columns);
    const Buffer<std::int32_t> block_indices =
        load_indices(indices, blocks, columns_ / block_columns);
    const Buffer<double> values = load_values(data, data.header.count());
    const Strides strides(data.header);

    CsrMatrix<double> matrix;
    matrix.rows = rows_;
    matrix.columns = columns_;
    matrix.row_offsets.resize(rows_ + 1);
    matrix.row_offsets[0] = 0;
    matrix.column_indices.resize(blocks * block_rows * block_columns);
    matrix.values.resize(blocks * block_rows * block_columns);
    std::int64_t at = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::int64_t block_row = row / block_rows;
      for (std::int64_t b = block_offsets[block_row]; b < block_offsets[block_row + 1]; ++b) {
        for (std::int64_t c = 0; c < block_columns; ++c, ++at) {
          matrix.column_indices[at] =
              static_cast<std::int32_t>(block_indices[b] * block_columns + c);
          matrix.values[at] =
              values[b * strides.of[0] + row % block_rows * strides.of[1] + c * strides.of[2]];
        }
      }
      matrix.row_offsets[row + 1] = at;
    }
    return assemble_rows(std::move(matrix), options_);
  }

  AssembledMatrix read_dia() {
    const ArrayMember offsets = npz_.find("offsets", 1);
    const ArrayMember data = npz_.find("data", 2);
    require_integers(offsets);
    require_numbers(data);
    require_count(offsets, data.header.shape[0], "as many as diagonals");
    check_sizes(data.header.count());
    const LoadedArray array = npz_.load(offsets);
    Buffer<std::int32_t> diagonals(offsets.header.count());
    convert_indices(array.bytes(), array.header.type, -largest_matrix_size, largest_matrix_size,
                    diagonals, array.name, options_.threads);
    if (std::set<std::int32_t>(diagonals.begin(), diagonals.end()).size() != diagonals.size()) {
      fail(offsets, "a diagonal is there twice; expected each once");
    }
    const Buffer<double> values = load_values(data, data.header.count());
    const Strides strides(data.header);
    const std::int64_t length = std::min(data.header.shape[1], columns_);
    std::vector<EntryChunk> chunks;
    std::int64_t entries = 0;
    for (std::size_t d = 0; d < diagonals.size(); ++d) {
      EntryChunk& chunk = chunks.emplace_back();
      const std::int64_t offset = diagonals[d];
      const std::int64_t last = std::min(length, rows_ + offset);
      for (std::int64_t column = std::max<std::int64_t>(offset, 0); column < last; ++column) {
        const double value =
            values[static_cast<std::int64_t>(d) * strides.of[0] + column * strides.of[1]];
        if (value == 0) continue;
        chunk.rows.push_back(static_cast<std::int32_t>(column - offset));
        chunk.columns.push_back(static_cast<std::int32_t>(column));
        chunk.values.push_back(value);
      }
      chunk.entries = static_cast<std::int64_t>(chunk.values.size());
      entries += chunk.entries;
    }
    return assemble_entries(chunks, shape(entries), options_);
  }

  const Npz npz_;
  const MatrixFileOptions options_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

}  // namespace

MatrixFromFile parse_npz(const ByteSource& file, const MatrixFileOptions& options) {
  auto [matrix, duplicates] = Reader(file, options).read();
  return {std::move(matrix), StoredSymmetry::general, false, duplicates};
}

}  // namespace sparsecast
