# SPDX-License-Identifier: Apache-2.0
# Writes the source that knows version and commit: cmake -D source=... -D target=... -D version=... -D built_in=... -P
# Version.cmake, in each build, as the commit may be another one. A source package has no commit.
execute_process(COMMAND git -C "${source}" describe --always --dirty --exclude=* --abbrev=7
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit)
  set(commit " (commit ${commit})")
endif()
configure_file("${source}/cmake/version.cpp.in" "${target}" @ONLY)
