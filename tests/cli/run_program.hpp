#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sparsecast::testing {

/// What a program printed and how it ended.
struct ProgramRun {
  int exit_status = 0;  ///< 128 + signal if a signal ended it
  std::string output;   ///< standard output
  std::string errors;   ///< standard error
};

/// Runs `program` (a path) with these arguments, standard input empty, until it ends.
/// `environment`: "NAME=VALUE" entries added to (or in place of) this process's own. `meanwhile` is
/// called with the process that runs it.
inline ProgramRun run(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {},
                      const std::function<void(pid_t)>& meanwhile = {}) {
  const auto check = [](int error_number, const char* what) {
    if (error_number != 0) {
      throw std::runtime_error(std::string(what) + ": " + std::strerror(error_number));
    }
  };
  int out[2];
  int err[2];
  check(pipe2(out, O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  check(pipe2(err, O_CLOEXEC) == 0 ? 0 : errno, "pipe");

  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  std::vector<char*> variables;
  for (const std::string& entry : environment) {
    variables.push_back(const_cast<char*>(entry.c_str()));
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "=") + 1);
    bool replaced = false;
    for (const std::string& other : environment) replaced = replaced || other.starts_with(name);
    if (!replaced) variables.push_back(*entry);
  }
  variables.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  pid_t child = 0;
  const int status_of_spawn =
      posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  check(status_of_spawn, program.c_str());

  const auto drain = [](int from, std::string& to) {
    char chunk[4096];
    for (ssize_t count = 0; (count = read(from, chunk, sizeof chunk)) != 0;) {
      if (count > 0) to.append(chunk, static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) break;
    }
    close(from);
  };
  ProgramRun result;
  std::thread errors_reader([&] { drain(err[0], result.errors); });
  if (meanwhile) meanwhile(child);
  drain(out[0], result.output);
  errors_reader.join();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// Waits until a process handles SIGINT itself, a minute at most.
inline void wait_until_it_handles_interrupts(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/status";
  for (int tries = 0; tries < 6000; ++tries) {
    std::ifstream status(path);
    std::string word;
    while (status >> word && word != "SigCgt:") continue;
    std::uint64_t caught = 0;
    status >> std::hex >> caught;
    if ((caught >> (SIGINT - 1) & 1) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

#ifdef SPARSECAST_PROGRAM
/// The `sparsecast` that is tested: that of this build, or what SPARSECAST_TEST_PROGRAM names in
/// the environment, such as one with sanitizers or on another machine.
inline std::string tested_program() {
  const char* other = std::getenv("SPARSECAST_TEST_PROGRAM");
  return other != nullptr ? other : SPARSECAST_PROGRAM;
}

/// Runs it: `run_program({"predict", "--help"})`.
inline ProgramRun run_program(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment = {}) {
  return run(tested_program(), arguments, environment);
}

/// Whether `--version` of the tested program says that it has "CUDA", "MPI" or "sanitizers".
inline bool tested_program_has(const std::string& feature) {
  return run_program({"--version"}).output.find(feature + " on") != std::string::npos;
}
#endif

}  // namespace sparsecast::testing
