# Manual pages and completion for bash and zsh, which the program writes itself.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/man/man1/sparsecast.1
  # Profiles that ship are completed, not those of whoever builds.
  COMMAND ${CMAKE_COMMAND} -E env --unset=SPARSECAST_PROFILES
          $<TARGET_FILE:sparsecast_program> --write-manual ${manual}
  DEPENDS sparsecast_program COMMENT "Writing manual pages and completion" VERBATIM)
add_custom_target(sparsecast_manual ALL DEPENDS ${manual}/man/man1/sparsecast.1)
