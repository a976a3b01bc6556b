#include "cli/gnuplot.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "core/error.hpp"
#include "core/file_output.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

std::string terminal_for(const fs::path& file, int width, int height) {
  const std::string ending = file.extension().string();
  const std::string pixels = std::to_string(width) + ',' + std::to_string(height);
  if (ending == ".svg") {
    return "set terminal svg size " + pixels + " enhanced background rgb 'white' font 'sans,14'";
  }
  if (ending == ".png") return "set terminal pngcairo size " + pixels + " enhanced font 'sans,11'";
  if (ending == ".pdf") {
    return "set terminal pdfcairo size " + std::to_string(width / 100.0) + "in," +
           std::to_string(height / 100.0) + "in enhanced font 'sans,12'";
  }
  throw Error(file.string() + ": unknown kind of plot '" + ending +
              "'; expected .svg, .png or .pdf");
}

/// Runs gnuplot on a script file; returns its standard error.
std::string run_gnuplot(const fs::path& script, int& status) {
  const std::string command = "gnuplot '" + script.string() + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error("gnuplot: cannot start a process");
  std::string messages;
  std::array<char, 512> chunk{};
  while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) messages += chunk.data();
  status = pclose(pipe);
  return messages;
}

}  // namespace

std::string gnuplot_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

void draw_with_gnuplot(const fs::path& file, const std::string& script, int width_pixels,
                       int height_pixels) {
  const std::string terminal = terminal_for(file, width_pixels, height_pixels);
  std::string folder_template = (fs::temp_directory_path() / "sparsecast-plot-XXXXXX").string();
  if (mkdtemp(folder_template.data()) == nullptr) {
    throw Error(fs::temp_directory_path().string() + ": cannot create a temporary folder");
  }
  const fs::path folder = folder_template;
  struct Cleanup {
    fs::path folder;
    ~Cleanup() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } cleanup{folder};

  const fs::path drawing = folder / ("plot" + file.extension().string());
  const fs::path script_file = folder / "plot.gp";
  write_file(script_file, terminal + "\nset output " + gnuplot_quote(drawing.string()) + "\n" +
                              script + "\nunset output\n");
  int status = 0;
  const std::string messages = run_gnuplot(script_file, status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw Error(file.string() + ": gnuplot is not installed; install the package gnuplot-nox");
  }
  if (status != 0 || !fs::exists(drawing)) {
    throw Error(file.string() + ": gnuplot failed: " + messages.substr(0, messages.find('\n', 1)));
  }
  write_file(file, read_file(drawing));
}

}  // namespace sparsecast::cli
