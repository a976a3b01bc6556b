#include "cli/command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <mutex>
#include <set>

#include "cli/kept_warnings.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/verbosity.hpp"
#include "cli/wrapped_lines.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/engine/device_list.hpp"
#include "core/open_backend.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/most_devices.hpp"

namespace sparsecast::cli {

namespace po = boost::program_options;

namespace {

constexpr std::size_t most_characters = 100;  ///< in a line of a help text

}  // namespace

CommandLine::CommandLine(std::string name, std::string usage, std::string description,
                         std::string example)
    : name_(std::move(name)),
      usage_(std::move(usage)),
      description_(std::move(description)),
      example_(std::move(example)),
      options_("Options", most_characters) {
  options_.add_options()("help,h", "show this text")(
      "quiet,q", "print results and errors alone: no progress, no warnings")(
      "verbose,v", "also say what is chosen and why, and how long each phase takes");
}

po::options_description_easy_init CommandLine::add() {
  return options_.add_options();
}

void CommandLine::positional(const std::string& option, int count) {
  positional_.add(option.c_str(), count);
}

std::string CommandLine::positional_option(unsigned place) const {
  return place < positional_.max_total_count() ? positional_.name_for_position(place) : "";
}

void validate(boost::any& value, const std::vector<std::string>& texts, WholeNumber*, int) {
  po::validators::check_first_occurrence(value);
  const std::string& text = po::validators::get_single_string(texts);
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc{} && read.ptr == end) {
    value = WholeNumber{whole};
    return;
  }
  constexpr double largest_exact = 9007199254740992;  // 2^53
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number != std::floor(number) ||
      std::abs(number) > largest_exact) {
    throw po::invalid_option_value(text);
  }
  value = WholeNumber{static_cast<std::int64_t>(number)};
}

bool CommandLine::parse(std::span<const std::string> arguments) {
  words_ = {name_};
  words_.insert(words_.end(), arguments.begin(), arguments.end());
  try {
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(std::vector(words_.begin() + 1, words_.end()))
                  .options(options_)
                  .positional(positional_)
                  .style(style)
                  .run(),
              values_);
    if (has("help")) {
      std::cout << wrapped_lines("Usage: sparsecast " + name_ + ' ' + usage_, most_characters)
                << '\n'
                << description_ << "\n\n"
                << options_ << "\nExample:\n"
                << wrapped_lines("  " + example_, most_characters, " \\");
      return false;
    }
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> known;
    for (const auto& option : options_.options()) known.push_back("--" + option->long_name());
    const std::string meant = nearest_name(error.get_option_name(), known);
    throw UsageError(error.what() + (meant.empty() ? "" : ", did you mean " + meant + "?") +
                     "; see sparsecast " + name_ + " --help");
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many arguments; usage: sparsecast " + name_ + ' ' + usage_);
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; see sparsecast " + name_ + " --help");
  }
  if (has("quiet") && has("verbose")) {
    throw UsageError("--quiet and --verbose are given; expected one of them");
  }
  set_verbosity(has("quiet")     ? Verbosity::quiet
                : has("verbose") ? Verbosity::verbose
                                 : Verbosity::normal);
  return true;
}

std::string CommandLine::missing_text(const std::string& option) const {
  const bool named = positional_.max_total_count() == 0 || positional_option(0) != option;
  return (named ? "--" + option : option) + " is missing; usage: sparsecast " + name_ + ' ' +
         usage_;
}

double positive_of(const CommandLine& line, const char* option, double otherwise, double end) {
  if (!line.has(option)) return otherwise;
  const double number = line.get<double>(option);
  if (!(number > 0 && number < end)) {
    throw UsageError("--" + std::string(option) + ": expected a positive number");
  }
  return number;
}

std::int64_t positive_whole_of(const CommandLine& line, const char* option,
                               std::int64_t otherwise) {
  if (!line.has(option)) return otherwise;
  const std::int64_t number = line.get<WholeNumber>(option).value;
  if (number < 1) throw UsageError("--" + std::string(option) + ": expected a positive number");
  return number;
}

std::vector<int> parse_int_list(const std::string& option, const std::string& text) {
  std::vector<int> numbers;
  const char* position = text.data();
  const char* end = text.data() + text.size();
  while (true) {
    int number = 0;
    const auto [next, status] = std::from_chars(position, end, number);
    if (status != std::errc{} || number < 1 || (next != end && *next != ',')) {
      throw UsageError(option + " " + text + ": expected positive whole numbers such as 1,2,4");
    }
    numbers.push_back(number);
    if (next == end) return numbers;
    position = next + 1;
  }
}

int parse_threads(const CommandLine& line) {
  const int threads = line.get_or("threads", 0);
  const int allowed = allowed_threads();
  if (threads < 0 || threads > allowed) {
    throw UsageError("--threads " + std::to_string(threads) + ": this machine has " +
                     std::to_string(allowed) + "; expected 0 (all) or at most " +
                     std::to_string(allowed));
  }
  const int chosen = threads == 0 ? available_threads() : threads;
  say(std::to_string(chosen) + " threads of the CPU, of " + std::to_string(allowed));
  return chosen;
}

namespace {

/// A number that is given twice would be computed and shown twice.
void require_different(const std::string& option, const std::string& text,
                       std::vector<int> numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::adjacent_find(numbers);
  if (repeated == numbers.end()) return;
  throw UsageError(option + ' ' + text + ": " + std::to_string(*repeated) +
                   " is given twice; give each number once");
}

}  // namespace

void require_device_count(const std::string& option, int devices) {
  if (devices >= 1 && devices <= most_devices) return;
  throw UsageError(option + ' ' + std::to_string(devices) + ": expected 1 to " +
                   std::to_string(most_devices) + " devices");
}

std::vector<int> parse_device_counts(const std::string& option, const std::string& text) {
  std::vector<int> counts = parse_int_list(option, text);
  for (const int devices : counts) require_device_count(option, devices);
  require_different(option, text, counts);
  return counts;
}

void refuse_repeated_files(const std::string& option, const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    for (auto other = paths.begin(); other != path; ++other) {
      std::error_code error;  // a file that is not there is named by what reads it
      if (*path != *other && !fs::equivalent(*path, *other, error)) continue;
      throw UsageError(option + ' ' + *path + ": is " + *other + ", which is named already");
    }
  }
}

std::unique_ptr<Backend> open_device(const std::string& devices, int threads,
                                     const CudaPolicy& cuda, const std::string& option) {
  const auto open = [&] {
    std::unique_ptr<Backend> backend = open_backend(devices, threads, cuda);
    say("device " + devices + ": " + backend->description());
    return backend;
  };
  if (devices.starts_with(gpu_kind)) return open();
  try {
    return open();
  } catch (const Error& error) {
    throw UsageError(option + ' ' + devices + ": " + error.what());
  }
}

Precision parse_precision(const std::string& option, const std::string& text) {
  if (text == "f32") return Precision::f32;
  if (text == "f64") return Precision::f64;
  throw UsageError(option + " " + text + ": expected f32 or f64");
}

namespace {

/// What `parse` reads; what it throws becomes a `UsageError` that names the option.
template <class Parse>
auto parse_word(const std::string& option, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    throw UsageError(option + ": " + error.what());
  }
}

}  // namespace

std::vector<std::string> words_of(const std::string& option, const std::string& list) {
  std::vector<std::string> words;
  std::string_view rest = list;
  bool more = true;
  while (more) {
    more = rest.find(',') != std::string_view::npos;
    const std::string word(take_until(rest, ','));
    if (word.empty() && !list.empty()) {
      throw UsageError(option + ' ' + list + ": expected a name between commas");
    }
    if (std::ranges::count(words, word) > 0) {
      throw UsageError(option + ' ' + list + ": " + word + " is given twice; give it once");
    }
    words.push_back(word);
  }
  return words;
}

Renumbering parse_renumbering_option(const std::string& option, const std::string& text) {
  return parse_word(option, text, parse_renumbering);
}

void require_several_devices(Renumbering how, int devices, const std::string& option) {
  if (how != Renumbering::metis || devices > 1) return;
  throw UsageError("--renumber metis orders for several devices; " + option + " names one");
}

ExchangeMode parse_exchange_option(const std::string& option, const std::string& text) {
  return parse_word(option, text, parse_exchange_mode);
}

CurveKind parse_curve(const std::string& option, const std::string& text) {
  if (text == "average") return CurveKind::average;
  if (text == "maximum") return CurveKind::maximum;
  throw UsageError(option + " " + text + ": expected average or maximum");
}

void check_model_option(const std::string& model) {
  if (model.empty() || std::ranges::count(model_names, model) > 0) return;
  throw UsageError("--model " + model + ": expected " + one_of_models());
}

DeviceProfile read_profile_for(const std::string& name, const std::string& model) {
  check_model_option(model);
  DeviceProfile profile = read_profile(name).for_model(model);
  say("profile " + profile.name + ": " + find_profile(name).string() + "; model " +
      std::string(profile.model()) + (model.empty() ? ", the best that it has" : ", as asked"));
  return profile;
}

void warn(const std::string& text) {
  KeptWarnings::add(text);
  if (verbosity() != Verbosity::quiet)
    std::cerr << "sparsecast: warning: " + printable_line(text) + '\n';
}

void warn_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (said.insert(text).second) warn(text);
}

}  // namespace sparsecast::cli
