#include <array>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/build_details.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/environment_variables.hpp"
#include "cli/interrupt.hpp"
#include "cli/manual/manual_files.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/text/nearest_name.hpp"
#include "model/profile/profile_file.hpp"

namespace {

using sparsecast::RankEnd;
using sparsecast::cli::Command;
using sparsecast::cli::CommandLine;

/// As lines of at most 100 characters, six of which are spaces in front.
std::string indented(std::string_view text) {
  constexpr std::size_t most = 94;
  std::string lines;
  while (text.size() > most) {
    const std::size_t space = text.rfind(' ', most);
    if (space == std::string_view::npos) break;
    (((lines += "      ") += text.substr(0, space))) += '\n';
    text.remove_prefix(space + 1);
  }
  return (((lines += "      ") += text)) += '\n';
}

void print_usage(std::ostream& out) {
  out << "sparsecast " SPARSECAST_VERSION
         ": forecasts how fast a sparse iterative solver will run\n\n"
         "Usage: sparsecast COMMAND [options]   (each command has --help)\n\n";
  for (const Command& command : sparsecast::cli::commands()) {
    out << "  " << command.name << std::string(12 - std::strlen(command.name), ' ')
        << command.summary << '\n';
  }
  out << "\nEnvironment:\n";
  for (const auto& variable : sparsecast::cli::environment_variables()) {
    out << "  " << variable.name << "\n" << indented(variable.meaning);
  }
  out << '\n' << sparsecast::cli::documents_text() << '\n';
}

RankEnd refuse_unknown(const std::string& name) {
  std::vector<std::string> known{"help"};
  for (const Command& command : sparsecast::cli::commands()) known.emplace_back(command.name);
  const std::string meant = sparsecast::nearest_name(name, known);
  return {2, "no command '" + name + "'" +
                 (meant.empty() ? "" : ", did you mean '" + meant + "'?") +
                 "; see sparsecast --help"};
}

int run_timed(const Command& command, const CommandLine& line) {
  const sparsecast::cli::Phase all(command.name);
  return command.run(line);
}

/// Before what looks profiles up by name, once however many it names.
void warn_of_profile_folder(const CommandLine& line) {
  for (const char* option : {"profile", "like", "check", "compare", "features"}) {
    if (!line.has(option)) continue;
    const std::string warning = sparsecast::profile_folder_warning();
    if (!warning.empty()) sparsecast::cli::warn(warning);
    return;
  }
}

RankEnd run_command(const Command& command, std::span<const std::string> arguments) {
  try {
    CommandLine line = command.make_line();
    const bool runs = line.parse(arguments);
    if (runs && sparsecast::cli::ranks() != nullptr && !command.among_ranks) {
      return {2, "this command is for one process; start it without mpirun"};
    }
    if (runs) warn_of_profile_folder(line);
    const int status = runs ? run_timed(command, line) : 0;
    if (!std::cout.flush()) throw sparsecast::Error("standard output: cannot write");
    return {status, {}};
  } catch (const sparsecast::cli::UsageError& error) {
    return {2, error.what()};
  } catch (const sparsecast::cli::Interrupted& error) {
    return {error.exit_status(), error.what()};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory; use a smaller matrix or a machine with more"};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

const Command* find_command(const std::string& name) {
  for (const Command& command : sparsecast::cli::commands()) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

RankEnd run_program(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    print_usage(std::cerr);
    return {2, {}};
  }
  const bool help = arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help";
  if (help && arguments.size() == 1) {
    print_usage(std::cout);
    return {};
  }
  if (help) arguments = {arguments[1], "--help"};
  if (arguments[0] == "--version") {
    std::cout << sparsecast::cli::version_line() << '\n' << sparsecast::cli::build_details();
    return {};
  }
  // For the build, not for users (cmake/sparsecast_manual.cmake).
  if (arguments[0] == "--write-manual" && arguments.size() == 2) {
    sparsecast::cli::write_manual(arguments[1]);
    return {};
  }
  const Command* command = find_command(arguments[0]);
  if (command == nullptr) return refuse_unknown(arguments[0]);
  return run_command(*command, std::span(arguments).subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
  const sparsecast::cli::PrintableStream output(std::cout);
  const sparsecast::cli::PrintableStream errors(std::cerr);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments[0];
  const std::string speaker = find_command(first) != nullptr ? "sparsecast " + first : "sparsecast";
  const auto run = [&arguments] { return run_program(arguments); };
  const sparsecast::LaunchedProcess process = sparsecast::launched_process();
  const RankEnd end =
      process.size > 1 ? sparsecast::cli::run_among_ranks(process, arguments, speaker, run) : run();
  if (!end.line.empty())
    std::cerr << speaker << ": " << sparsecast::cli::printable_line(end.line) << '\n';
  return end.status;
}
