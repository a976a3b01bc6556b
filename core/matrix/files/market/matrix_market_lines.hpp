#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/matrix/files/market/matrix_market.hpp"

/// @file
/// The lines of a Matrix Market file, one by one and with full explanations. Used by the reader.

namespace sparsecast {

/// A line that is not as it should be; `what` says what is wrong and what was expected.
struct MalformedLine {
  std::int64_t line = 0;  ///< counted from 1
  std::string what;
};

/// Calls `read`; what it throws becomes an `Error` with the file's name, and the line.
template <class Read>
auto with_file_name(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const MalformedLine& malformed) {
    throw Error(name + ":" + std::to_string(malformed.line) + ": " + malformed.what);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

/// Longer lines are refused: a number and a comment need far less (the format's own limit is 1024).
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Reads banner, comments and size line.
class MatrixMarketHeaderReader {
 public:
  /// `beginning`: the first bytes of the text, to say what else the file may be.
  explicit MatrixMarketHeaderReader(std::string_view beginning) : beginning_(beginning) {}

  /// Takes the next line, without its end; true after the size line. Throws `MalformedLine`.
  bool take_line(std::string_view line);

  const MatrixMarketHeader& header() const { return header_; }
  std::int64_t lines() const { return lines_; }  ///< taken so far

 private:
  void take_banner(std::string_view line);
  void take_size_line(std::string_view line);

  std::string_view beginning_;
  MatrixMarketHeader header_;
  std::int64_t lines_ = 0;
};

/// Refuses sizes that the rest of the file, of this many bytes at most, cannot hold. Throws
/// `MalformedLine`.
void check_plausible(const MatrixMarketHeader& header, std::int64_t size_line,
                     std::int64_t bytes_left);

/// One stored entry, counted from 0; for arrays only the value.
struct MatrixMarketEntry {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 1;
};

enum class LineKind { entry, empty, malformed };

/// Reads a line after the size line, without its end. If it is malformed, `error` says why.
LineKind parse_entry_line(std::string_view line, const MatrixMarketHeader& header,
                          MatrixMarketEntry& entry, std::string& error);

/// "row, column and value": what a line after the size line holds.
std::string entry_columns(const MatrixMarketHeader& header);

}  // namespace sparsecast
