#pragma once

#include <string>
#include <vector>

namespace sparsecast::cli {

/// Keeps what is warned of (`warn`) while it lives, for a page that says it too. One at a time.
class KeptWarnings {
 public:
  KeptWarnings();
  ~KeptWarnings();
  KeptWarnings(const KeptWarnings&) = delete;
  KeptWarnings& operator=(const KeptWarnings&) = delete;

  const std::vector<std::string>& texts() const { return texts_; }

  /// Adds a text to the one that lives; nothing where none does.
  static void add(const std::string& text);

 private:
  std::vector<std::string> texts_;
};

}  // namespace sparsecast::cli
