#include "calibrate/links/link_sample.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/network/network_names.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view schema_key = "sparsecast links, schema";
constexpr std::string_view schema_version = "1";
constexpr std::string_view environment_prefix = "environment.";
constexpr std::string_view header =
    "kind,transport,class,ranks,hosts,ranks_per_host,neighbours,near_neighbours,far_neighbours,"
    "leaving,bytes,seconds,noise";

constexpr NamedValues<LinkSample::Kind, 4> kinds{{{"message", LinkSample::Kind::message},
                                                  {"exchange", LinkSample::Kind::exchange},
                                                  {"sum", LinkSample::Kind::sum},
                                                  {"work", LinkSample::Kind::work}}};

/// Reads the lines of a file in order.
class LinkSampleParser {
 public:
  LinkSampleParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  LinkSampleFile parse() {
    next_line();
    while (line_.starts_with("# ")) {
      comment(line_.substr(2));
      if (!next_line()) break;
    }
    if (!has_schema_) {
      fail("no line '# " + std::string(schema_key) + ": " + std::string(schema_version) +
           "'; expected a file of sparsecast calibrate --links");
    }
    if (line_ != header) fail("wrong column names; expected " + std::string(header));
    while (next_line()) file_.samples.push_back(sample());
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(name_ + ':' + std::to_string(std::max(number_, 1)) + ": " + what);
  }

  /// False at the end of the text. Windows line ends are accepted.
  bool next_line() {
    line_ = {};
    if (rest_.empty()) return false;
    ++number_;
    line_ = take_until(rest_, '\n');
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    return true;
  }

  void comment(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) fail("damaged comment; expected '# key: value'");
    const std::string_view key = text.substr(0, colon);
    const std::string_view value = text.substr(colon + 2);
    if (key == schema_key) {
      if (value != schema_version) {
        fail("schema version " + brief(value) + "; this program reads version " +
             std::string(schema_version));
      }
      has_schema_ = true;
    } else if (key == "description") {
      file_.description = value;
    } else if (key == "adapters_per_host") {
      file_.adapters_per_host = count(key, value, 1);
    } else if (key.starts_with(environment_prefix)) {
      file_.environment[std::string(key.substr(environment_prefix.size()))] = value;
    } else {
      fail("unknown comment key " + in_quotes(key) +
           "; expected one that sparsecast calibrate writes");
    }
  }

  LinkSample sample() {
    fields_ = line_;
    constexpr std::ptrdiff_t columns = 13;
    if (std::ranges::count(line_, ',') + 1 != columns) {
      fail(std::to_string(std::ranges::count(line_, ',') + 1) + " fields; expected " +
           std::to_string(columns));
    }
    LinkSample result;
    result.kind = named("kind", kinds);
    result.transport = named("transport", transport_names);
    result.of_class = named("class", link_class_names);
    result.ranks = count("ranks", next(), 1);
    result.hosts = count("hosts", next(), 1);
    result.ranks_per_host = count("ranks_per_host", next(), 1);
    result.neighbours = count("neighbours", next(), 0);
    result.near_neighbours = count("near_neighbours", next(), 0);
    result.far_neighbours = count("far_neighbours", next(), 0);
    result.leaving = count("leaving", next(), 0);
    result.bytes = number("bytes");
    result.seconds = number("seconds");
    result.noise = number("noise");
    if (result.seconds == 0) fail("seconds 0; expected a positive number");
    return result;
  }

  std::string_view next() { return take_until(fields_, ','); }

  template <class Value, std::size_t count>
  Value named(std::string_view column, const NamedValues<Value, count>& names) {
    const std::string_view text = next();
    std::string expected;
    for (const auto& [name, value] : names) {
      if (text == name) return value;
      (expected += expected.empty() ? "" : ", ") += name;
    }
    fail(std::string(column) + ' ' + in_quotes(text) + "; expected one of " + expected);
  }

  int count(std::string_view column, std::string_view text, int least) const {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || value < least) {
      fail(std::string(column) + ' ' + in_quotes(text) + "; expected a whole number from " +
           std::to_string(least) + " on");
    }
    return value;
  }

  double number(std::string_view column) {
    const std::string_view text = next();
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
        value < 0) {
      fail(std::string(column) + ' ' + in_quotes(text) +
           "; expected a number that is not negative");
    }
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
  std::string_view line_;
  std::string_view fields_;  ///< those of the line that are not yet read
  int number_ = 0;           ///< of the line
  bool has_schema_ = false;
  LinkSampleFile file_;
};

}  // namespace

std::string link_samples_to_csv(const LinkSampleFile& file) {
  std::string csv;
  const auto comment = [&csv](std::string_view key, std::string value) {
    std::ranges::replace_if(
        value, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    csv.append("# ").append(key).append(": ").append(value).append("\n");
  };
  comment(schema_key, std::string(schema_version));
  comment("description", file.description);
  comment("adapters_per_host", std::to_string(file.adapters_per_host));
  for (const auto& [key, value] : file.environment) {
    comment(std::string(environment_prefix) + key, value);
  }
  csv.append(header).append("\n");
  for (const LinkSample& each : file.samples) {
    csv += ProfileFields::name_of(kinds, each.kind) + ',' +
           ProfileFields::name_of(transport_names, each.transport) + ',' +
           ProfileFields::name_of(link_class_names, each.of_class);
    for (const int number : {each.ranks, each.hosts, each.ranks_per_host, each.neighbours,
                             each.near_neighbours, each.far_neighbours, each.leaving}) {
      csv += ',' + std::to_string(number);
    }
    for (const double number : {each.bytes, each.seconds, each.noise}) {
      csv += ',' + number_text(number);
    }
    csv += '\n';
  }
  return csv;
}

LinkSampleFile parse_link_samples(std::string_view text, const std::string& name) {
  return LinkSampleParser(text, name).parse();
}

LinkSampleFile read_link_samples(const std::filesystem::path& path) {
  return parse_link_samples(read_text(path), path.string());
}

}  // namespace sparsecast
