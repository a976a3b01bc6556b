#include "core/matrix/files/harwell_boeing/harwell_boeing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/harwell_boeing/fortran_format.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;
/// What a text may take beside what its matrix needs: right-hand sides, a long line end.
constexpr std::uint64_t spared_bytes = std::uint64_t{64} << 20;

[[noreturn]] void fail(std::int64_t line, const std::string& what) {
  throw Error("line " + std::to_string(line) + ": " + what);
}

/// Characters `begin` to `end - 1` of a line that may be shorter.
std::string_view columns_of(std::string_view line, std::size_t begin, std::size_t end) {
  begin = std::min(begin, line.size());
  return line.substr(begin, std::min(end, line.size()) - begin);
}

/// Letters of a type that is known, each at its place.
bool is_type(std::string_view type) {
  const std::string code = lower_case(type);
  return code.size() == 3 && std::string_view("rcpiq").find(code[0]) != std::string_view::npos &&
         std::string_view("suhzr").find(code[1]) != std::string_view::npos &&
         std::string_view("aep").find(code[2]) != std::string_view::npos;
}

/// The lines of a text that is in memory.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next line, without its end.
  std::string_view next(const char* expected) {
    ++number_;
    if (rest_.empty()) {
      fail(number_, std::string("the file ends; expected ") + expected);
    }
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  std::int64_t number() const { return number_; }
  std::size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

/// What the header says.
struct Header {
  StoredShape shape;
  bool integer = false;
  FortranFormat offsets;
  FortranFormat indices;
  FortranFormat values;
};

/// The counts of a line, each a whole number that is not negative.
std::vector<std::int64_t> counts_of(std::string_view text, std::size_t least, std::int64_t line,
                                    const char* expected) {
  std::vector<std::int64_t> counts;
  for (const std::string_view word : split_words(text)) {
    std::int64_t count = 0;
    if (parse_whole(word, count) != WholeNumber::ok || count < 0) {
      fail(line, quote(word) + " is no count; expected " + expected);
    }
    counts.push_back(count);
  }
  if (counts.size() < least) {
    fail(line, number_of(static_cast<std::int64_t>(counts.size()), "count", "counts") +
                   "; expected " + expected);
  }
  return counts;
}

void read_type(std::string_view type, std::int64_t line, Header& header) {
  if (!is_type(type))
    fail(line, "the type is " + quote(type) + "; expected one such as RUA or RSA");
  const std::string code = lower_case(type);
  if (code[0] == 'c') fail(line, "complex values are not supported; expected type RUA or RSA");
  if (code[0] == 'q' || code[2] == 'p') {
    fail(line,
         "the values are in another file (type " + quote(type) + "); expected them in this one");
  }
  if (code[1] == 'h') fail(line, "Hermitian matrices are not supported; expected type RUA or RSA");
  if (code[2] == 'e') {
    fail(line, "the matrix is not assembled (type " + quote(type) + "); expected type RUA or RSA");
  }
  header.shape.pattern = code[0] == 'p';
  header.integer = code[0] == 'i';
  header.shape.symmetry = code[1] == 's'   ? StoredSymmetry::symmetric
                          : code[1] == 'z' ? StoredSymmetry::skew_symmetric
                                           : StoredSymmetry::general;
}

FortranFormat read_format(std::string_view text, FortranFormat::Kind kind, std::int64_t line,
                          const char* what) {
  FortranFormat format;
  try {
    format = parse_fortran_format(text);
  } catch (const Error& error) {
    fail(line, error.what());
  }
  if (format.kind != kind) {
    fail(line, std::string("the format of ") + what + " is " + quote(text) + "; expected " +
                   (kind == FortranFormat::Kind::integer ? "integers, as (16I5)"
                                                         : "reals, as (4E20.12)"));
  }
  return format;
}

void check_lines(std::int64_t lines, std::int64_t numbers, const FortranFormat& format,
                 const char* what) {
  const std::int64_t needed = numbers / format.per_line + (numbers % format.per_line != 0);
  if (lines == needed) return;
  fail(2, std::to_string(lines) + (lines == 1 ? " line of " : " lines of ") + what + ", but " +
              std::to_string(numbers) + " of them take " + std::to_string(needed) +
              "; expected counts that agree");
}

Header read_header(Lines& lines) {
  lines.next("a title");
  const std::vector<std::int64_t> counts = counts_of(
      lines.next("counts of lines"), 4, 2, "numbers of lines: all, offsets, indices, values");
  const std::string_view third = lines.next("a type and sizes");
  Header header;
  read_type(columns_of(third, 0, 3), 3, header);
  const std::vector<std::int64_t> sizes =
      counts_of(columns_of(third, 3, third.size()), 3, 3, "rows, columns and entries");
  header.shape.rows = sizes[0];
  header.shape.columns = sizes[1];
  header.shape.stored_entries = sizes[2];
  if (header.shape.symmetry != StoredSymmetry::general && sizes[0] != sizes[1]) {
    fail(3, "a symmetric matrix of " + std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) +
                "; expected as many rows as columns");
  }
  const std::string wrong = wrong_sizes(sizes[0], sizes[1], sizes[2]);
  if (!wrong.empty()) fail(3, wrong);
  const std::string_view formats = lines.next("formats");
  using enum FortranFormat::Kind;
  header.offsets = read_format(columns_of(formats, 0, 16), integer, 4, "column offsets");
  header.indices = read_format(columns_of(formats, 16, 32), integer, 4, "row indices");
  check_lines(counts[1], header.shape.columns + 1, header.offsets, "column offsets");
  check_lines(counts[2], header.shape.stored_entries, header.indices, "row indices");
  if (!header.shape.pattern) {
    header.values =
        read_format(columns_of(formats, 32, 52), header.integer ? integer : real, 4, "values");
    check_lines(counts[3], header.shape.stored_entries, header.values, "values");
  }
  // Of Harwell-Boeing files a fifth count says that right-hand sides follow, with a line about
  // them.
  if (counts.size() > 4 && counts[4] > 0) lines.next("a line about right-hand sides");
  return header;
}

/// The numbers of one of the three parts, one after the other. Of a line that has as many words as
/// numbers they are the words: programs are known whose columns are not those of their format
/// (SciPy 1.10 writes a column less). Else the columns of the format are what counts.
class Fields {
 public:
  Fields(Lines& lines, const FortranFormat& format, std::int64_t count, const char* what)
      : lines_(lines), format_(format), left_(count), what_(what) {}

  std::string_view next() {
    if (at_ == fields_.size()) read_line();
    return fields_[at_++];
  }
  std::int64_t line() const { return lines_.number(); }

 private:
  void read_line() {
    std::string_view line = lines_.next(what_);
    const auto expected = static_cast<std::size_t>(std::min(format_.per_line, left_));
    left_ -= static_cast<std::int64_t>(expected);
    at_ = 0;
    fields_ = split_words(line);
    if (fields_.size() == expected) return;
    fields_.clear();
    while (fields_.size() < expected) {
      const std::string_view field = line.substr(0, format_.width);
      line.remove_prefix(field.size());
      if (field.empty()) {
        fail(lines_.number(), std::string("the line ends early; expected ") + what_);
      }
      fields_.push_back(field);
    }
  }

  Lines& lines_;
  const FortranFormat& format_;
  std::int64_t left_;
  const char* what_;
  std::vector<std::string_view> fields_;  ///< of the line
  std::size_t at_ = 0;
};

std::int64_t next_integer(Fields& fields) {
  std::int64_t value = 0;
  std::string error;
  if (!read_fortran_integer(fields.next(), value, error)) fail(fields.line(), error);
  return value;
}

/// Where columns begin among the entries, counted from 1.
std::vector<std::int64_t> read_offsets(Lines& lines, const Header& header) {
  Fields fields(lines, header.offsets, header.shape.columns + 1, "column offsets");
  std::vector<std::int64_t> offsets;
  std::int64_t before = 1;
  const std::int64_t end = header.shape.stored_entries + 1;
  for (std::int64_t column = 0; column <= header.shape.columns; ++column) {
    const std::int64_t offset = next_integer(fields);
    const std::int64_t least = column == header.shape.columns ? end : before;
    const std::int64_t most = column == 0 ? 1 : end;
    if (offset < least || offset > most) {
      fail(fields.line(), "column offset " + std::to_string(offset) + "; expected " +
                              std::to_string(least) + " to " + std::to_string(most));
    }
    offsets.push_back(offset - 1);
    before = offset;
  }
  return offsets;
}

double next_value(Fields& fields, const Header& header) {
  double value = 0;
  if (header.integer) {
    const std::int64_t whole = next_integer(fields);
    if (whole > largest_exact_integer || whole < -largest_exact_integer) {
      fail(fields.line(), "integer value " + std::to_string(whole) +
                              " is too large; expected at most 2^53 in magnitude");
    }
    return static_cast<double>(whole);
  }
  std::string error;
  if (!read_fortran_real(fields.next(), header.values, value, error)) fail(fields.line(), error);
  return value;
}

/// All entries, in pieces that several threads then share.
std::vector<EntryChunk> read_entries(Lines& lines, const Header& header,
                                     const std::vector<std::int64_t>& offsets) {
  constexpr std::int64_t piece = std::int64_t{1} << 16;
  const std::int64_t entries = header.shape.stored_entries;
  std::vector<EntryChunk> chunks;
  Fields indices(lines, header.indices, entries, "row indices");
  std::int64_t column = 0;
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    if (entry % piece == 0) {
      EntryChunk& chunk = chunks.emplace_back();
      chunk.rows.reserve(std::min(piece, entries - entry));
      chunk.columns.reserve(std::min(piece, entries - entry));
    }
    while (entry >= offsets[column + 1]) ++column;
    const std::int64_t row = next_integer(indices) - 1;
    if (row < 0 || row >= header.shape.rows) {
      fail(indices.line(), "row index " + std::to_string(row + 1) +
                               " lies outside the matrix; expected 1 to " +
                               std::to_string(header.shape.rows));
    }
    const std::string wrong = wrong_place(row, column, header.shape.symmetry);
    if (!wrong.empty()) fail(indices.line(), wrong);
    chunks.back().rows.push_back(static_cast<std::int32_t>(row));
    chunks.back().columns.push_back(static_cast<std::int32_t>(column));
    ++chunks.back().entries;
  }
  if (header.shape.pattern) return chunks;
  Fields values(lines, header.values, entries, "values");
  for (EntryChunk& chunk : chunks) {
    chunk.values.resize(chunk.entries);
    for (double& value : chunk.values) value = next_value(values, header);
  }
  return chunks;
}

}  // namespace

bool is_harwell_boeing(std::string_view beginning) {
  std::vector<std::string_view> lines;
  while (lines.size() < 3) {
    const std::size_t end = beginning.find('\n');
    if (end == std::string_view::npos) return false;
    lines.push_back(beginning.substr(0, end));
    beginning.remove_prefix(end + 1);
  }
  const auto counts = split_words(lines[1]);
  std::int64_t ignored = 0;
  const auto is_count = [&](std::string_view token) {
    return parse_whole(token, ignored) == WholeNumber::ok;
  };
  return counts.size() >= 3 && std::all_of(counts.begin(), counts.end(), is_count) &&
         is_type(columns_of(lines[2], 0, 3)) && split_words(lines[2]).size() >= 4;
}

MatrixFromFile parse_harwell_boeing(ByteStream& stream, const MatrixFileOptions& options) {
  // The header says what the rest may take, so that compressed data cannot be without end.
  constexpr std::size_t header_bytes = 4096;
  std::string text = beginning_of(stream, header_bytes);
  {
    Lines lines(text);
    const Header header = read_header(lines);
    const auto entries = static_cast<std::uint64_t>(header.shape.stored_entries);
    const auto columns = static_cast<std::uint64_t>(header.shape.columns);
    const auto need = [](std::uint64_t numbers, const FortranFormat& format) {
      // A line of one number with its end.
      return numbers * (format.width + 2);
    };
    const std::uint64_t needed = need(columns + 1, header.offsets) + need(entries, header.indices) +
                                 need(entries, header.values);
    text += read_all(stream, std::min<std::uint64_t>(needed, std::uint64_t{1} << 50) + spared_bytes,
                     "the text");
  }
  Lines lines(text);
  const Header header = read_header(lines);
  const auto entries = static_cast<std::uint64_t>(header.shape.stored_entries);
  if (entries > lines.bytes_left()) {
    fail(3, std::to_string(entries) + " entries, but " + std::to_string(lines.bytes_left()) +
                " bytes follow; expected fewer entries, or the rest of the file");
  }
  const std::vector<std::int64_t> offsets = read_offsets(lines, header);
  std::vector<EntryChunk> chunks = read_entries(lines, header, offsets);
  auto [matrix, duplicates] = assemble_entries(chunks, header.shape, options);
  return {std::move(matrix), header.shape.symmetry, header.shape.pattern, duplicates};
}

}  // namespace sparsecast
