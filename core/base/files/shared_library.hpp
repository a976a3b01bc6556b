#pragma once

#include <string>

namespace sparsecast {

/// A shared library that is loaded when it is first needed, and stays loaded, so that the program
/// starts fast and where it is missing.
class SharedLibrary {
 public:
  /// By its name as the system finds it ("libcusparse.so.12"), else from the folder of CUDA's
  /// toolkit. Throws `Error` that names the file and says to install `package` when there is none.
  SharedLibrary(const std::string& file, const std::string& package);

  /// The function with this name. Throws `Error` when the library has none.
  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::string file_;
  void* library_ = nullptr;
};

}  // namespace sparsecast
