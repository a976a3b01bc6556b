# Writes the solvers of schedules/ into a source file:
#   cmake -DFOLDER=... -DOUT=... "-DNAMES=a;b" -P embed_schedules.cmake
set(text "// Made by cmake/embed_schedules.cmake.\n")
string(APPEND text "#include \"core/schedule/shipped/shipped_texts.hpp\"\n\nnamespace sparsecast {\n\n")
string(APPEND text "const std::vector<ShippedText>& shipped_texts() {\n")
string(APPEND text "  static const std::vector<ShippedText> all = {\n")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.json content)
  string(APPEND text "      {\"${name}\", R\"schedule(${content})schedule\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace sparsecast\n")
file(WRITE ${OUT} "${text}")
