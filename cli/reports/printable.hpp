#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace sparsecast::cli {

/// The text with everything that a terminal could take for a command (control characters but line
/// ends and tabs, and bytes that are not UTF-8) written as \xNN. Names of files and texts of
/// profiles come from anywhere.
std::string printable(std::string_view text);

/// The same for what is to stay on one line, as an error or a cell of a table: line ends and tabs,
/// too.
std::string printable_line(std::string_view text);

/// While one of these lives, a stream prints `printable` text only, line by line.
class PrintableStream {
 public:
  explicit PrintableStream(std::ostream& stream);
  ~PrintableStream();
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  class Filter;
  std::ostream& stream_;
  std::unique_ptr<Filter> filter_;
  std::streambuf* before_;
};

}  // namespace sparsecast::cli
