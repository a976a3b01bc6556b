#include <array>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"

namespace {

using sparsecast::cli::Command;

void print_usage(std::ostream& out) {
  out << "sparsecast " SPARSECAST_VERSION
         ": forecasts how fast a sparse iterative solver will run\n\n"
         "Usage: sparsecast COMMAND [options]   (each command has --help)\n\n";
  for (const Command& command : sparsecast::cli::commands()) {
    out << "  " << command.name << std::string(12 - std::strlen(command.name), ' ')
        << command.summary << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    print_usage(std::cerr);
    return 2;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    print_usage(std::cout);
    return 0;
  }
  if (arguments[0] == "--version") {
    std::cout << "sparsecast " SPARSECAST_VERSION "\n";
    return 0;
  }
  for (const Command& command : sparsecast::cli::commands()) {
    if (arguments[0] != command.name) continue;
    try {
      const int status = command.run(std::span(arguments).subspan(1));
      if (!std::cout.flush()) throw sparsecast::Error("standard output: cannot write");
      return status;
    } catch (const sparsecast::cli::UsageError& error) {
      std::cerr << "sparsecast " << command.name << ": " << error.what() << '\n';
      return 2;
    } catch (const std::bad_alloc&) {
      std::cerr << "sparsecast " << command.name
                << ": out of memory; use a smaller matrix or a machine with more\n";
      return 1;
    } catch (const std::exception& error) {
      std::cerr << "sparsecast " << command.name << ": " << error.what() << '\n';
      return 1;
    }
  }
  std::cerr << "sparsecast: no command '" << arguments[0] << "'; see sparsecast --help\n";
  return 2;
}
