# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=parts.cpp -DHTML=... -DSTYLE=... -DSCRIPTS=a.js;b.js -P EmbedPage.cmake
# Writes the text of the files as the constants of traces/page/parts.hpp.

function(append_constant name)
  file(APPEND "${OUTPUT}.new" "const std::string_view ${name} =")
  foreach(path IN LISTS ARGN)
    file(READ "${path}" text)
    if(text MATCHES "[)]embedded\"")
      message(FATAL_ERROR "${path}: must not contain )embedded\"")
    endif()
    file(APPEND "${OUTPUT}.new" "\n    R\"embedded(${text})embedded\"")
  endforeach()
  file(APPEND "${OUTPUT}.new" ";\n")
endfunction()

file(WRITE "${OUTPUT}.new" "#include \"traces/page/parts.hpp\"\n\nnamespace asterism::traces::page {\n")
append_constant(html "${HTML}")
append_constant(style "${STYLE}")
append_constant(script ${SCRIPTS})
file(APPEND "${OUTPUT}.new" "}  // namespace asterism::traces::page\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
