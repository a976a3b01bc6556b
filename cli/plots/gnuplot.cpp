#include "cli/plots/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

std::string terminal_for(const fs::path& file, int width, int height) {
  const std::string ending = file.extension().string();
  const std::string pixels = std::to_string(width) + ',' + std::to_string(height);
  if (ending == ".svg") {
    return "set terminal svg size " + pixels + " enhanced background rgb 'white' font 'sans,14'";
  }
  // The scales make a font's size pixels in all three: a point is 1/72 inch, and an inch 96 pixels
  // of a .png and 100 here of a .pdf.
  if (ending == ".png") {
    return "set terminal pngcairo size " + pixels + " enhanced font 'sans,14' fontscale 0.75";
  }
  if (ending == ".pdf") {
    return "set terminal pdfcairo size " + std::to_string(width / 100.0) + "in," +
           std::to_string(height / 100.0) + "in enhanced font 'sans,14' fontscale 0.72";
  }
  throw Error(file.string() + ": unknown kind of plot '" + ending +
              "'; expected .svg, .png or .pdf");
}

/// What a program left.
struct Finished {
  bool started = false;
  int status = 0;  ///< as of waitpid
  std::string output;
  std::string errors;
};

/// A pipe whose ends are closed with it.
struct Pipe {
  int ends[2] = {-1, -1};  ///< to read, to write

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> piece{};
  for (ssize_t count = 0; (count = read(file, piece.data(), piece.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// Runs gnuplot, without a shell and without files of its own: the script goes in, the drawing
/// comes out. It is told to read a file, as it reads its commands from "-" a byte a call.
Finished run_gnuplot(const std::string& script) {
  Pipe in;
  Pipe out;
  Pipe errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  char name[] = "gnuplot";
  char standard_input[] = "/dev/stdin";
  char* arguments[] = {name, standard_input, nullptr};
  pid_t child = 0;
  Finished finished;
  const int failure = posix_spawnp(&child, name, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return finished;
  finished.started = true;
  in.close_end(0);
  out.close_end(1);
  errors.close_end(1);
  std::thread writer([&] {
    try {
      write_all(in.ends[1], script, "gnuplot");
    } catch (const Error&) {
      // gnuplot stops reading where it fails, and says why.
    }
    in.close_end(1);
  });
  std::thread reader([&] { finished.errors = read_all(errors.ends[0]); });
  finished.output = read_all(out.ends[0]);
  reader.join();
  writer.join();
  while (waitpid(child, &finished.status, 0) < 0 && errno == EINTR) {
  }
  return finished;
}

/// What stands between double quotes for this text.
std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '`':
        quoted += "\\140";
        break;  // else a command to run
      case '\\':
        quoted += "\\\\\\\\";
        break;
      case '_':
      case '^':
      case '{':
      case '}':
      case '@':
      case '&':
      case '~':
        quoted += std::string("\\\\") + c;
        break;
      default:
        quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return quoted;
}

void require_started(const Finished& gnuplot, const fs::path& file) {
  if (gnuplot.started) return;
  throw Error(file.string() + ": gnuplot is not installed; install the package gnuplot-nox");
}

}  // namespace

bool can_be_drawn(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".svg" || ending == ".png" || ending == ".pdf";
}

void check_can_draw(const fs::path& file) {
  terminal_for(file, 1, 1);
  require_started(run_gnuplot(""), file);
}

std::string gnuplot_quote(const std::string& text) {
  // Between double quotes, for gnuplot 5.4 takes an apostrophe that begins a text between single
  // ones for its end.
  return '"' + escaped(text) + '"';
}

std::string gnuplot_tic_label(const std::string& text) {
  std::string quoted;
  for (const char c : gnuplot_quote(text)) quoted += c == '%' ? "%%" : std::string(1, c);
  return quoted;
}

std::string gnuplot_lines(const std::string& text, std::size_t characters) {
  std::string quoted;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) quoted += (quoted.empty() ? "" : "\\n") + escaped(line);
    line.clear();
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string word = brief(take_until(rest, ' '));
    if (!line.empty() && line.size() + 1 + word.size() > characters) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
  return '"' + quoted + '"';
}

void draw_with_gnuplot(const fs::path& file, const std::string& script, int width_pixels,
                       int height_pixels) {
  const std::string terminal = terminal_for(file, width_pixels, height_pixels);
  const Finished finished =
      run_gnuplot(terminal + "\nset encoding utf8\n" + script + "\nunset output\n");
  require_started(finished, file);
  if (finished.status != 0 || finished.output.empty()) {
    const std::string& said = finished.errors;
    const std::size_t begin = std::min(said.find_first_not_of(" \n"), said.size());
    throw Error(file.string() +
                ": gnuplot failed: " + said.substr(begin, said.find('\n', begin) - begin));
  }
  write_file(file, finished.output);
}

}  // namespace sparsecast::cli
