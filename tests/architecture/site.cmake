# Builds the site of docs/, where a dead link is an error. See CMakeLists.txt beside this file.
find_program(mkdocs mkdocs)
if(NOT mkdocs)
  message("skipped: mkdocs is missing")
  return()
endif()
execute_process(COMMAND ${mkdocs} build --quiet --strict --config-file ${SOURCE}/mkdocs.yml --site-dir ${SCRATCH}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
