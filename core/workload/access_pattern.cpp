#include "core/workload/access_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

/// Takes a text apart from its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  bool next_is(char expected) const { return !rest_.empty() && rest_.front() == expected; }
  void skip(char expected) {
    if (!next_is(expected)) fail();
    rest_.remove_prefix(1);
  }
  double count() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || !(value >= 0) || std::isinf(value)) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::size_t place(std::size_t places) {
    const double value = count();
    if (value != std::floor(value) || value >= static_cast<double>(places)) fail();
    return static_cast<std::size_t>(value);
  }
  void end() const {
    if (!rest_.empty()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("access pattern " + in_quotes(text_) +
                ": expected PLACE:COUNT;...|STEPS;... (6 of them)|LONGEST|DEVIATION|BANDWIDTH");
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

double distinct_sectors(const AccessPattern& pattern, double rows) {
  const auto& lookups = pattern.sector_lookups;
  const double last = static_cast<double>(lookups.size() - 2);
  const double exponent = rows > 1 ? std::min(std::log2(rows), last) : 0;
  const auto whole = static_cast<std::size_t>(exponent);
  // A look-up finds the sector new in its window of 2^k rows if bit_width(row ^ last_row) > k.
  double beyond = 0;
  for (std::size_t k = lookups.size() - 1; k > whole; --k) beyond += lookups[k];
  return beyond - (exponent - static_cast<double>(whole)) * lookups[whole + 1];
}

std::string to_text(const AccessPattern& pattern) {
  std::string text;
  for (std::size_t k = 0; k < pattern.sector_lookups.size(); ++k) {
    if (pattern.sector_lookups[k] == 0) continue;
    if (!text.empty()) text += ';';
    text += std::to_string(k) + ':' + number_text(pattern.sector_lookups[k]);
  }
  char separator = '|';
  for (const double steps : pattern.warp_steps) {
    text += separator + number_text(steps);
    separator = ';';
  }
  for (const double value : {pattern.longest_row, pattern.row_deviation, pattern.bandwidth}) {
    text += '|' + number_text(value);
  }
  return text;
}

AccessPattern parse_access_pattern(std::string_view text) {
  AccessPattern pattern;
  Reader reader(text);
  while (!reader.next_is('|')) {
    if (pattern != AccessPattern{}) reader.skip(';');
    const std::size_t place = reader.place(pattern.sector_lookups.size());
    reader.skip(':');
    pattern.sector_lookups[place] = reader.count();
  }
  char separator = '|';
  for (double& steps : pattern.warp_steps) {
    reader.skip(separator);
    steps = reader.count();
    separator = ';';
  }
  for (double* value : {&pattern.longest_row, &pattern.row_deviation, &pattern.bandwidth}) {
    reader.skip('|');
    *value = reader.count();
  }
  reader.end();
  return pattern;
}

}  // namespace sparsecast
