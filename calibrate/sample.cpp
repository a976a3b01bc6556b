#include "calibrate/sample.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <system_error>
#include <utility>

#include "core/analysis/cuda_segments.hpp"
#include "core/base/error.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/base/visits.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {

namespace {

constexpr std::string_view schema_key = "sparsecast samples, schema";
constexpr std::string_view environment_prefix = "environment.";

/// A column: its name, how a sample's field is written, and how it is read. `set` returns what was
/// expected if the text is not that, else nullptr.
struct Column {
  const char* name;
  std::function<std::string(const Sample&)> get;
  std::function<const char*(Sample&, std::string_view)> set;
  int since = 1;  ///< schema version
};

Column since(int version, Column column) {
  column.since = version;
  return column;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc{} && end == text.data() + text.size();
}

Column text_column(const char* name, std::string Sample::*field, bool required) {
  return {name, [field](const Sample& sample) { return sample.*field; },
          [field, required](Sample& sample, std::string_view text) -> const char* {
            if (required && text.empty()) return "a name";
            sample.*field = text;
            return nullptr;
          }};
}

/// `reference(sample)` is the field; numbers must be finite and not negative, or positive.
template <class Reference>
Column number_column(const char* name, Reference reference, bool positive = false) {
  return {name,
          [reference](const Sample& sample) {
            Sample copy = sample;
            return number_text(static_cast<double>(reference(copy)));
          },
          [reference, positive](Sample& sample, std::string_view text) -> const char* {
            const char* expected = positive ? "a positive number" : "a number that is not negative";
            double number = 0;
            if (!parse_number(text, number) || !std::isfinite(number) || number < 0 ||
                (positive && number == 0)) {
              return expected;
            }
            reference(sample) = number;
            return nullptr;
          }};
}

template <class Integer>
Column integer_column(const char* name, Integer Sample::*field) {
  return {name, [field](const Sample& sample) { return std::to_string(sample.*field); },
          [field](Sample& sample, std::string_view text) -> const char* {
            Integer number = 0;
            if (!parse_number(text, number) || number < 1) return "a positive whole number";
            sample.*field = number;
            return nullptr;
          }};
}

Column flag_column(const char* name, bool Sample::*field) {
  return {name, [field](const Sample& sample) { return std::string(sample.*field ? "1" : "0"); },
          [field](Sample& sample, std::string_view text) -> const char* {
            if (text != "0" && text != "1") return "0 or 1";
            sample.*field = text == "1";
            return nullptr;
          }};
}

/// Empty where a sample has none; `parse` throws `Error`.
template <class Value>
Column parsed_column(const char* name, std::optional<Value> Sample::*field,
                     Value (*parse)(std::string_view), const char* expected) {
  return {name,
          [field](const Sample& sample) {
            return sample.*field ? to_text(*(sample.*field)) : std::string();
          },
          [field, parse, expected](Sample& sample, std::string_view text) -> const char* {
            if (text.empty()) return nullptr;
            try {
              sample.*field = parse(text);
            } catch (const Error&) {
              return expected;
            }
            return nullptr;
          }};
}

Column segments_column() {
  return {"segments", [](const Sample& sample) { return to_text(sample.segments); },
          [](Sample& sample, std::string_view text) -> const char* {
            try {
              sample.segments = parse_segment_work(text);
            } catch (const Error&) {
              return "segments as sparsecast calibrate writes them";
            }
            return nullptr;
          }};
}

const std::vector<Column>& all_columns() {
  static const std::vector<Column> all{
      {"precision", [](const Sample& sample) { return std::string(to_string(sample.precision)); },
       [](Sample& sample, std::string_view text) -> const char* {
         if (text != "f32" && text != "f64") return "f32 or f64";
         sample.precision = text == "f32" ? Precision::f32 : Precision::f64;
         return nullptr;
       }},
      text_column("kernel", &Sample::kernel, true),
      since(2, text_column("schedule", &Sample::schedule, false)),
      since(2, text_column("launch", &Sample::launch, false)),
      text_column("layout", &Sample::layout, false),
      text_column("matrix", &Sample::matrix, false),
      integer_column("devices", &Sample::devices),
      number_column("unknowns", [](Sample& s) -> double& { return s.shape.unknowns; }),
      number_column("stored_elements", [](Sample& s) -> double& { return s.shape.elements; }),
      number_column("blocks", [](Sample& s) -> double& { return s.shape.blocks; }),
      number_column("block_rows", [](Sample& s) -> double& { return s.shape.block_rows; }),
      since(2, number_column("stored_index_bytes",
                             [](Sample& s) -> double& { return s.shape.index_bytes; })),
      since(5, number_column("stored_offset_bytes",
                             [](Sample& s) -> double& { return s.shape.offset_bytes; })),
      number_column("nonzeros", [](Sample& s) -> double& { return s.nonzeros; }),
      number_column("transferred_elements", [](Sample& s) -> double& { return s.elements; }),
      number_column("value_bytes", [](Sample& s) -> double& { return s.bytes.values; }),
      number_column("index_bytes", [](Sample& s) -> double& { return s.bytes.indices; }),
      number_column("row_pointer_bytes", [](Sample& s) -> double& { return s.bytes.row_pointers; }),
      number_column("vector_read_bytes", [](Sample& s) -> double& { return s.bytes.vector_reads; }),
      number_column("vector_write_bytes",
                    [](Sample& s) -> double& { return s.bytes.vector_writes; }),
      number_column("exchanged_bytes", [](Sample& s) -> double& { return s.bytes.exchanged; }),
      number_column(
          "seconds", [](Sample& s) -> double& { return s.seconds; }, true),
      number_column("relative_spread", [](Sample& s) -> double& { return s.relative_spread; }),
      number_column("relative_error", [](Sample& s) -> double& { return s.relative_error; }),
      integer_column("repeats", &Sample::repeats),
      integer_column("rounds", &Sample::rounds),
      flag_column("stable", &Sample::stable),
      since(2,
            number_column("core_clock_mhz", [](Sample& s) -> double& { return s.core_clock_mhz; })),
      since(2, text_column("throttle_reasons", &Sample::throttle_reasons, false)),
      since(2, flag_column("held_out", &Sample::held_out)),
      since(2, parsed_column("access_pattern", &Sample::access, parse_access_pattern,
                             "an access pattern as sparsecast calibrate writes it")),
      since(2, parsed_column("execution", &Sample::execution, parse_gpu_execution,
                             "an execution as sparsecast calibrate writes it; one of another "
                             "version cannot be read, calibrate again")),
      since(3, text_column("exchange", &Sample::exchange, false)),
      since(3, segments_column()),
      since(4, integer_column("visits", &Sample::visits)),
      since(4,
            number_column("second_seconds", [](Sample& s) -> double& { return s.second_seconds; })),
  };
  return all;
}

/// Those of a schema version.
std::vector<Column> columns_of(int version) {
  std::vector<Column> columns;
  for (const Column& column : all_columns()) {
    if (column.since <= version) columns.push_back(column);
  }
  return columns;
}

std::string header_line(const std::vector<Column>& columns) {
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    line += column.name;
  }
  return line;
}

std::string checked_field(std::string field) {
  if (field.find_first_of(",\"\n\r") != std::string::npos) {
    throw Error("samples: " + in_quotes(field) +
                " has a comma, quote or line break; CSV fields have none");
  }
  return field;
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// Reads the lines of a file in order.
class SampleParser {
 public:
  SampleParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  SampleFile parse() {
    std::string_view line;
    while (next_line(line) && line.starts_with('#')) comment(line.substr(1));
    if (version_ == 0) {
      fail("no line '# " + std::string(schema_key) + ": " + std::to_string(sample_schema_version) +
           "'; expected a samples file of sparsecast calibrate");
    }
    columns_ = columns_of(version_);
    const std::string header = header_line(columns_);
    if (line != header) fail("wrong column names; expected " + header);
    while (next_line(line)) file_.samples.push_back(sample(line));
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(name_ + ':' + std::to_string(std::max(line_number_, 1)) + ": " + what);
  }

  /// False at the end of the text. Windows line ends are accepted.
  bool next_line(std::string_view& line) {
    line = {};
    if (rest_.empty()) return false;
    ++line_number_;
    line = take_until(rest_, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\r') != std::string_view::npos) fail("a carriage return within the line");
    return true;
  }

  void comment(std::string_view text) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) fail("damaged comment; expected '# key: value'");
    const std::string key(text.substr(0, colon));
    const std::string value(text.substr(colon + 2));
    if (key == schema_key) {
      if (!parse_number(value, version_) || version_ < 1 || version_ > sample_schema_version) {
        fail("schema version " + value + "; this program reads versions 1 to " +
             std::to_string(sample_schema_version));
      }
    } else if (key == "device") {
      file_.origin.device = value;
    } else if (key == "kind") {
      if (value != "cpu" && value != "gpu")
        fail("kind " + in_quotes(value) + "; expected cpu or gpu");
      file_.origin.kind = value == "cpu" ? DeviceProfile::Kind::cpu : DeviceProfile::Kind::gpu;
    } else if (key == "memory_bytes") {
      count(value, file_.origin.memory_bytes);
    } else if (key == "device_count_max") {
      count(value, file_.origin.device_count_max);
    } else if (key == "plan") {
      file_.plan = value;
    } else if (key == "partial") {
      if (value != "yes" && value != "no")
        fail("partial " + in_quotes(value) + "; expected yes or no");
      file_.partial = value == "yes";
    } else if (key.starts_with(environment_prefix)) {
      file_.origin.environment[key.substr(environment_prefix.size())] = value;
    } else {
      fail("unknown comment key " + in_quotes(key) +
           "; expected one that sparsecast calibrate writes");
    }
  }

  template <class Integer>
  void count(const std::string& value, Integer& number) {
    if (!parse_number(value, number) || number < 0) {
      fail(in_quotes(value) + " is no count; expected a whole number");
    }
  }

  Sample sample(std::string_view line) const {
    if (line.find('"') != std::string_view::npos) fail("a quote; fields here have none");
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.size() != columns_.size()) {
      fail(std::to_string(fields.size()) + " fields; expected " + std::to_string(columns_.size()));
    }
    Sample result;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (const char* expected = columns_[i].set(result, fields[i])) {
        fail(std::string(columns_[i].name) + " " + in_quotes(fields[i]) + "; expected " + expected);
      }
    }
    result.shape.total_unknowns = result.shape.unknowns;
    add_geometry(result);
    if (version_ == 1 && result.kernel == "Iteration") {
      result.schedule = algorithm1().name();
      result.held_out = true;
    }
    return result;
  }

  void add_geometry(Sample& sample) const {
    if (sample.segments.empty()) return;
    try {
      fill_geometry(sample.segments, parse_layout(sample.layout), sample.precision);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  std::string_view rest_;
  const std::string& name_;
  int line_number_ = 0;
  int version_ = 0;  ///< 0: not yet seen
  std::vector<Column> columns_;
  SampleFile file_;
};

}  // namespace

double Sample::relative_noise() const {
  constexpr double normal_95 = 1.96;
  const double of_median = relative_error / normal_95;
  const double of_visit = stable ? of_median : std::max(of_median, relative_spread);
  return std::hypot(of_visit, disagreement(*this, &Sample::seconds) / 2);
}

bool Sample::trusted() const {
  constexpr double most_spread = 2;
  return throttle_reasons.empty() && (stable || relative_spread <= most_spread);
}

std::string samples_to_csv(const SampleFile& file) {
  const std::vector<Column> columns = columns_of(sample_schema_version);
  std::string csv;
  const auto comment = [&csv](std::string_view key, std::string value) {
    std::ranges::replace_if(
        value, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    csv.append("# ").append(key).append(": ").append(value).append("\n");
  };
  comment(schema_key, std::to_string(sample_schema_version));
  comment("device", file.origin.device);
  comment("kind", file.origin.kind == DeviceProfile::Kind::cpu ? "cpu" : "gpu");
  comment("memory_bytes", std::to_string(file.origin.memory_bytes));
  comment("device_count_max", std::to_string(file.origin.device_count_max));
  for (const auto& [key, value] : file.origin.environment) {
    comment(std::string(environment_prefix) + key, value);
  }
  comment("plan", file.plan);
  comment("partial", file.partial ? "yes" : "no");
  csv += header_line(columns) + '\n';
  for (const Sample& sample : file.samples) {
    std::string line;
    for (const Column& column : columns) {
      if (&column != &columns.front()) line += ',';
      line += checked_field(column.get(sample));
    }
    csv += line + '\n';
  }
  return csv;
}

SampleFile parse_samples(std::string_view text, const std::string& name) {
  return SampleParser(text, name).parse();
}

std::string sample_id(const Sample& sample) {
  std::string id = std::string(to_string(sample.precision)) + ',' + sample.kernel + ',';
  if (sample.layout.empty()) {
    id += std::to_string(static_cast<std::int64_t>(sample.shape.unknowns));
  } else {
    id += sample.layout + ',' + sample.matrix;
  }
  return id + ',' + std::to_string(sample.devices) + ',' + sample.schedule + ',' + sample.launch +
         (sample.exchange.empty() ? "" : ',' + sample.exchange);
}

void add_visit(Sample sample, std::map<std::string, std::size_t>& places,
               std::vector<Sample>& samples) {
  const std::string id = sample_id(sample);
  add_visit(std::move(sample), id, &Sample::seconds, &Sample::relative_error, places, samples);
}

SampleFile merge_samples(std::vector<SampleFile> runs, std::span<const std::string> names) {
  SampleFile merged = std::move(runs.front());
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < merged.samples.size(); ++i) {
    places.try_emplace(sample_id(merged.samples[i]), i);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) {
    SampleFile& file = runs[run];
    const auto refuse = [&](const char* what, const std::string& of, const std::string& first) {
      throw Error(names[run] + ": samples of " + what + " '" + of + "', " + names[0] + " of '" +
                  first + "'; name calibrations of one device by one plan");
    };
    if (file.origin.device != merged.origin.device) {
      refuse("device", file.origin.device, merged.origin.device);
    }
    if (file.plan != merged.plan) refuse("plan", file.plan, merged.plan);
    merged.partial = merged.partial && file.partial;
    add_run(merged.origin.environment, file.origin.environment);
    for (Sample& sample : file.samples) add_visit(std::move(sample), places, merged.samples);
  }
  return merged;
}

SampleFile read_samples(const std::filesystem::path& path) {
  return parse_samples(read_text(path), path.string());
}

void write_samples(const std::filesystem::path& path, const SampleFile& file) {
  write_file(path, text_for(path, samples_to_csv(file)));
}

}  // namespace sparsecast
