#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/precision.hpp"
#include "core/engine/backend.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast::cli {

/// Wrong use of the program: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The type of an option that takes a whole number, also as 1e6 or 1.5e3.
struct WholeNumber {
  std::int64_t value = 0;
};
/// What Boost.Program_options calls for a value of this type.
void validate(boost::any& value, const std::vector<std::string>& texts, WholeNumber*, int);

/// The options of one subcommand, parsed with Boost.Program_options. `--help` and its text,
/// `--quiet` and `--verbose` are provided.
class CommandLine {
 public:
  /// `usage`: what follows the name, as "MATRIX --profile P [options]". `example` is a command a
  /// reader can paste.
  CommandLine(std::string name, std::string usage, std::string description, std::string example);

  /// Add options here.
  boost::program_options::options_description_easy_init add();
  /// The next positional arguments go to this option; count -1: all that remain.
  void positional(const std::string& option, int count);

  /// False when help was asked for and printed. Sets the `verbosity` of the program. Throws
  /// `UsageError` for wrong options, with the one that was probably meant.
  bool parse(std::span<const std::string> arguments);

  // What the help says.
  const std::string& name() const { return name_; }
  const std::string& usage() const { return usage_; }
  const std::string& description() const { return description_; }
  const std::string& example() const { return example_; }
  const boost::program_options::options_description& options() const { return options_; }
  /// The option that the positional argument at this place (from 0) goes to; empty where none may
  /// stand.
  std::string positional_option(unsigned place) const;

  /// What was parsed: the command's name and what follows.
  const std::vector<std::string>& words() const { return words_; }

  bool has(const std::string& option) const { return values_.count(option) > 0; }
  template <class T>
  const T& get(const std::string& option) const {
    if (!has(option)) throw UsageError(missing_text(option));
    return values_[option].as<T>();
  }
  /// Is there a value of the command line, and not just a default?
  bool given(const std::string& option) const { return has(option) && !defaulted(option); }
  /// Does this option have its default, rather than a value of the command line?
  bool defaulted(const std::string& option) const { return values_[option].defaulted(); }
  /// The same, or `otherwise` where the option is not given.
  template <class T>
  T get_or(const std::string& option, T otherwise) const {
    return has(option) ? get<T>(option) : std::move(otherwise);
  }
  std::string get_or(const std::string& option, const char* otherwise) const {
    return get_or(option, std::string(otherwise));
  }
  /// Is the value of this option, which is given, of type T?
  template <class T>
  bool is(const std::string& option) const {
    return boost::any_cast<T>(&values_[option].value()) != nullptr;
  }

 private:
  std::string missing_text(const std::string& option) const;

  std::string name_;
  std::string usage_;
  std::string description_;
  std::string example_;
  boost::program_options::options_description options_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
  std::vector<std::string> words_;
};

/// A subcommand of the program: `NAME_command.cpp` in `cli/commands` or a folder there, each listed
/// in `cli/commands.cpp`.
struct Command {
  const char* name;
  const char* summary;                  ///< one line in `sparsecast --help`
  CommandLine (*make_line)();           ///< its options, not yet parsed
  int (*run)(const CommandLine& line);  ///< does what was parsed, returns the exit status
  bool among_ranks = false;             ///< several processes may run it together (cli/ranks.hpp)
};

/// The number of an option, or `otherwise` where it is not given. Throws `UsageError` naming the
/// option unless it is positive and less than `end`.
double positive_of(const CommandLine& line, const char* option, double otherwise,
                   double end = 1e300);

/// The same of a whole number.
std::int64_t positive_whole_of(const CommandLine& line, const char* option, std::int64_t otherwise);

/// "1,2,4" -> {1, 2, 4}; throws `UsageError` naming the option for anything else.
std::vector<int> parse_int_list(const std::string& option, const std::string& text);

/// The number of threads that --threads asks for; 0, or without the option: all that are for this
/// process (`available_threads`). Throws `UsageError` for more than it may run (`allowed_threads`),
/// and for a negative number.
int parse_threads(const CommandLine& line);

/// Throws `UsageError` naming the option where it names a file twice, also by another path to it.
void refuse_repeated_files(const std::string& option, const std::vector<std::string>& paths);

/// Throws `UsageError` naming the option unless that is a number of devices, 1 to `most_devices`.
void require_device_count(const std::string& option, int devices);

/// "1,2,4": numbers of devices, each once; throws `UsageError` naming the option.
std::vector<int> parse_device_counts(const std::string& option, const std::string& text);

/// The devices of --device, or of another option. Throws `UsageError` for what names none; `Error`
/// for a GPU that is not there.
std::unique_ptr<Backend> open_device(const std::string& devices, int threads,
                                     const CudaPolicy& cuda,
                                     const std::string& option = "--device");

/// "f32" or "f64"; throws `UsageError` naming the option.
Precision parse_precision(const std::string& option, const std::string& text);

/// The words of "a,b", each once. Throws `UsageError` that names the option.
std::vector<std::string> words_of(const std::string& option, const std::string& list);

/// "none", "random", "rcm", "metis" or "hubs"; throws `UsageError` naming the option.
Renumbering parse_renumbering_option(const std::string& option, const std::string& text);

/// Refuses METIS, whose orders are for several devices, for one: throws `UsageError` that names the
/// option with their number.
void require_several_devices(Renumbering how, int devices, const std::string& option);

/// One of the names of `ExchangeMode`; throws `UsageError` naming the option.
ExchangeMode parse_exchange_option(const std::string& option, const std::string& text);

/// "average" or "maximum"; throws `UsageError` naming the option.
CurveKind parse_curve(const std::string& option, const std::string& text);

/// The profile that an option names, reduced to one of its models (`DeviceProfile::for_model`);
/// throws `UsageError` for a model that there is not.
/// Throws `UsageError` unless it is empty or one of `model_names`.
void check_model_option(const std::string& model);
DeviceProfile read_profile_for(const std::string& name, const std::string& model);

/// A warning to standard error, one line; none with --quiet.
void warn(const std::string& text);
/// The same, unless it was said before: of what may be read again.
void warn_once(const std::string& text);

}  // namespace sparsecast::cli
