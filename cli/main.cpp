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
#include "cli/reports/printable.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/text/nearest_name.hpp"

namespace {

using sparsecast::cli::Command;
using sparsecast::cli::CommandLine;

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
    out << "  " << variable.name << "\n      " << variable.meaning << '\n';
  }
}

int refuse_unknown(const std::string& name) {
  std::vector<std::string> known{"help"};
  for (const Command& command : sparsecast::cli::commands()) known.emplace_back(command.name);
  const std::string meant = sparsecast::nearest_name(name, known);
  std::cerr << "sparsecast: no command '" << name << "'"
            << (meant.empty() ? "" : ", did you mean '" + meant + "'?")
            << "; see sparsecast --help\n";
  return 2;
}

int run_timed(const Command& command, const CommandLine& line) {
  const sparsecast::cli::Phase all(command.name);
  return command.run(line);
}

int run_command(const Command& command, std::span<const std::string> arguments) {
  const auto say = [&](const char* what) {
    std::cerr << "sparsecast " << command.name << ": " << what << '\n';
  };
  try {
    CommandLine line = command.make_line();
    const int status = line.parse(arguments) ? run_timed(command, line) : 0;
    if (!std::cout.flush()) throw sparsecast::Error("standard output: cannot write");
    return status;
  } catch (const sparsecast::cli::UsageError& error) {
    say(error.what());
    return 2;
  } catch (const sparsecast::cli::Interrupted& error) {
    say(error.what());
    return error.exit_status();
  } catch (const std::bad_alloc&) {
    say("out of memory; use a smaller matrix or a machine with more");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return 1;
}

int run_program(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    print_usage(std::cerr);
    return 2;
  }
  const bool help = arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help";
  if (help && arguments.size() == 1) {
    print_usage(std::cout);
    return 0;
  }
  if (help) arguments = {arguments[1], "--help"};
  if (arguments[0] == "--version") {
    std::cout << sparsecast::cli::version_line() << '\n' << sparsecast::cli::build_details();
    return 0;
  }
  // For the build, not for users (cmake/sparsecast_manual.cmake).
  if (arguments[0] == "--write-manual" && arguments.size() == 2) {
    sparsecast::cli::write_manual(arguments[1]);
    return 0;
  }
  for (const Command& command : sparsecast::cli::commands()) {
    if (arguments[0] == command.name) {
      return run_command(command, std::span(arguments).subspan(1));
    }
  }
  return refuse_unknown(arguments[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const sparsecast::cli::PrintableStream output(std::cout);
  const sparsecast::cli::PrintableStream errors(std::cerr);
  return run_program(std::vector<std::string>(argv + 1, argv + argc));
}
