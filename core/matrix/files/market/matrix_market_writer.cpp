#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/market/matrix_market.hpp"

namespace sparsecast {
namespace {

/// Entries in a piece of text that one thread writes, and that is one member of a gzip file: fixed,
/// so that the same matrix gives the same bytes with any number of threads.
constexpr std::int64_t piece_entries = 65536;
constexpr std::size_t longest_entry = 48;  // two indices of 10 digits, a value of 24 characters

std::string describe(std::int64_t row, std::int64_t column) {
  return "entry (" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
}

/// Throws unless every entry meets an equal one across the diagonal, and none is written twice.
void check_symmetric(const std::filesystem::path& path, const CsrView<double>& matrix,
                     bool pattern) {
  const auto fail = [&](const std::string& what) {
    throw Error(path.string() + ": cannot be written as symmetric: " + what +
                "; expected a symmetric matrix with columns that rise within rows");
  };
  if (matrix.rows != matrix.columns) {
    fail("the matrix is " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns));
  }
  parallel_for(matrix.rows, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = matrix.row_offsets[row];
      const std::int64_t last = matrix.row_offsets[row + 1];
      for (std::int64_t k = first; k < last; ++k) {
        const std::int64_t column = matrix.column_indices[k];
        if (k > first && column <= matrix.column_indices[k - 1]) {
          fail("the columns of row " + std::to_string(row + 1) + " do not rise");
        }
        const auto mirrored = matrix.column_indices.subspan(
            matrix.row_offsets[column],
            matrix.row_offsets[column + 1] - matrix.row_offsets[column]);
        const auto found =
            std::lower_bound(mirrored.begin(), mirrored.end(), static_cast<std::int32_t>(row));
        if (found == mirrored.end() || *found != row) {
          fail(describe(row, column) + " has no counterpart across the diagonal");
        }
        const std::int64_t at = matrix.row_offsets[column] + (found - mirrored.begin());
        if (!pattern && matrix.values[at] != matrix.values[k]) {
          fail(describe(row, column) + " differs from its counterpart across the diagonal");
        }
      }
    }
  });
}

void check_finite(const std::filesystem::path& path, const CsrView<double>& matrix) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t last = matrix.row_offsets[row + 1];
    for (std::int64_t k = matrix.row_offsets[row]; k < last; ++k) {
      if (!std::isfinite(matrix.values[k])) {
        throw Error(path.string() + ": " + describe(row, matrix.column_indices[k]) +
                    " is not finite; expected numbers that a Matrix Market file can hold");
      }
    }
  }
}

std::string comment_text(const std::string& comment) {
  std::string text;
  for (std::size_t begin = 0; begin < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', begin), comment.size());
    text += "% " + comment.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

std::string header_text(const CsrView<double>& matrix, const MatrixMarketWriteOptions& options,
                        std::int64_t entries) {
  std::string text = std::string("%%MatrixMarket matrix coordinate ") +
                     (options.pattern ? "pattern " : "real ") +
                     (options.symmetric ? "symmetric\n" : "general\n");
  return text + comment_text(options.comment) + std::to_string(matrix.rows) + " " +
         std::to_string(matrix.columns) + " " + std::to_string(entries) + "\n";
}

/// The entries of rows [begin, end), each a line.
std::string entries_text(const CsrView<double>& matrix, const MatrixMarketWriteOptions& options,
                         std::int64_t begin, std::int64_t end) {
  std::string text((matrix.row_offsets[end] - matrix.row_offsets[begin]) * longest_entry, '\0');
  char* at = text.data();
  char* const last = at + text.size();
  for (std::int64_t row = begin; row < end; ++row) {
    std::array<char, 24> row_digits;
    const auto row_length =
        std::to_chars(row_digits.data(), row_digits.data() + row_digits.size(), row + 1).ptr -
        row_digits.data();
    const std::int64_t row_end = matrix.row_offsets[row + 1];
    for (std::int64_t k = matrix.row_offsets[row]; k < row_end; ++k) {
      const std::int64_t column = matrix.column_indices[k];
      if (options.symmetric && column > row) break;
      at = std::copy_n(row_digits.data(), row_length, at);
      *at++ = ' ';
      at = std::to_chars(at, last, column + 1).ptr;
      if (!options.pattern) {
        *at++ = ' ';
        at = std::to_chars(at, last, matrix.values[k]).ptr;
      }
      *at++ = '\n';
    }
  }
  text.resize(static_cast<std::size_t>(at - text.data()));
  return text;
}

/// Rows where pieces of text begin, and the end.
std::vector<std::int64_t> cut_rows(const CsrView<double>& matrix) {
  std::vector<std::int64_t> begins = {0};
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (matrix.row_offsets[row + 1] - matrix.row_offsets[begins.back()] > piece_entries &&
        row > begins.back()) {
      begins.push_back(row);
    }
  }
  begins.push_back(matrix.rows);
  return begins;
}

}  // namespace

bool write_matrix_market(const std::filesystem::path& path, const CsrView<double>& matrix,
                         const MatrixMarketWriteOptions& options) {
  if (!options.pattern) check_finite(path, matrix);
  std::int64_t entries = matrix.nonzeros();
  if (options.symmetric) {
    check_symmetric(path, matrix, options.pattern);
    std::int64_t diagonal = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const auto columns = matrix.column_indices.subspan(
          matrix.row_offsets[row], matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
      diagonal +=
          std::binary_search(columns.begin(), columns.end(), static_cast<std::int32_t>(row));
    }
    entries = (entries + diagonal) / 2;
  }

  const bool compress = path.extension() == ".gz";
  OutputFile file(path);
  const std::string header = header_text(matrix, options, entries);
  file.write(compress ? gzip_member(header) : header);

  const std::vector<std::int64_t> begins = cut_rows(matrix);
  const std::size_t pieces = begins.size() - 1;
  ThreadTeam team(static_cast<int>(std::min<std::size_t>(pieces, available_threads())));
  std::vector<std::string> texts(4 * static_cast<std::size_t>(team.size()));
  for (std::size_t first = 0; first < pieces; first += texts.size()) {
    if (options.keep_going &&
        !options.keep_going(static_cast<double>(first) / static_cast<double>(pieces))) {
      return false;
    }
    const std::size_t count = std::min(texts.size(), pieces - first);
    std::atomic<std::size_t> next{0};
    team.run([&](int) {
      for (std::size_t k; (k = next.fetch_add(1)) < count;) {
        std::string text = entries_text(matrix, options, begins[first + k], begins[first + k + 1]);
        texts[k] = compress && !text.empty() ? gzip_member(text) : std::move(text);
      }
    });
    for (std::size_t k = 0; k < count; ++k) file.write(texts[k]);
  }
  file.commit();
  return true;
}

std::string matrix_market_vector_head(const std::filesystem::path& path, std::int64_t values,
                                      const std::string& comment) {
  return text_for(path, "%%MatrixMarket matrix array real general\n" + comment_text(comment) +
                            std::to_string(values) + " 1\n");
}

std::string matrix_market_vector_text(const std::filesystem::path& path,
                                      std::span<const double> values, std::int64_t before) {
  std::string text;
  std::array<char, 32> number{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Error(path.string() + ": value " +
                  std::to_string(before + static_cast<std::int64_t>(i) + 1) +
                  " is not finite; expected numbers that a Matrix Market file can hold");
    }
    const auto end = std::to_chars(number.data(), number.data() + number.size(), values[i]).ptr;
    text.append(number.data(), end);
    text += '\n';
  }
  return text.empty() ? text : text_for(path, std::move(text));
}

void write_matrix_market_vector(const std::filesystem::path& path, std::span<const double> values,
                                const std::string& comment) {
  OutputFile file(path);
  file.write(matrix_market_vector_head(path, std::ssize(values), comment));
  file.write(matrix_market_vector_text(path, values, 0));
  file.commit();
}

}  // namespace sparsecast
