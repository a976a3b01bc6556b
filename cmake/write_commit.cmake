# Writes the commit that is checked out into a header, where it has changed:
#   cmake -DSOURCE=... -DOUT=... -P write_commit.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=8 HEAD OUTPUT_VARIABLE commit
                ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
# Not that of a repository around an unpacked archive.
if(failed OR NOT EXISTS ${SOURCE}/.git)
  set(commit "")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n#define SPARSECAST_COMMIT \"${commit}\"\n" @ONLY)
