# SPDX-License-Identifier: Apache-2.0
# What an installation holds beside programs and libraries, and the Debian package (scripts/package).
#
# An installation may be moved: programs find their libraries in lib/asterism and their files in share/asterism, both
# relative to themselves. A StarPU of our own (scripts/setup) is installed with them.

# asterism_install_starpu(FOLDER COMPONENT LIBRARIES...): the shared libraries of a StarPU that is not the system's, found
# among LIBRARIES, with their links. Programs link all of them and find them by their own RPATH.
function(asterism_install_starpu folder component)
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "/libstarpu[^/]*\\.so$" OR library MATCHES "^(/usr)?/lib/")
      continue()
    endif()
    file(GLOB names "${library}.*")  # libstarpu-1.4.so.9, the link that programs ask for, and what it points to
    install(FILES ${names} DESTINATION "${folder}" COMPONENT ${component})
    file(REAL_PATH "${library}" real)
    cmake_path(GET real FILENAME name)
    install(CODE "
      set(installed \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/${name}\")
      file(CHMOD \"\${installed}\" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
      file(RPATH_REMOVE FILE \"\${installed}\")  # what they need is loaded by then
      if(CMAKE_INSTALL_DO_STRIP)
        execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\${installed}\")
      endif()" COMPONENT ${component})
  endforeach()
endfunction()
asterism_install_starpu(${ASTERISM_INSTALL_LIBDIR} library ${STARPU_LINK_LIBRARIES} ${STARPUMPI_LINK_LIBRARIES})
if(ASTERISM_STARPU_SIMGRID)
  asterism_install_starpu(${ASTERISM_INSTALL_SIMULATED} programs ${STARPU_SIMGRID_LINK_LIBRARIES})
endif()
# and its headers, for task flows of one's own: Asterism::starpu
list(GET STARPU_INCLUDE_DIRS 0 headers)
if(NOT headers MATCHES "^/usr/include")
  install(DIRECTORY "${headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/starpu/1.4" COMPONENT library
    FILES_MATCHING PATTERN "*.h" PATTERN "starpu_mpi*.h" EXCLUDE)
endif()

install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/asterism/data
  PATTERN make-meshes EXCLUDE PATTERN mesh_shapes.py EXCLUDE)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual pages, where `scripts/package` made them, and the completion of options.
install(DIRECTORY "${PROJECT_BINARY_DIR}/man/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
get_property(programs GLOBAL PROPERTY asterism_programs)
foreach(program IN LISTS programs)
  install(FILES cmake/package/completion.bash RENAME ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
install(FILES cmake/package/_asterism DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME asterism)
set(CPACK_PACKAGE_CONTACT "The Asterism developers <asterism@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Conjugate gradient, fast multipole method, lattice Boltzmann, finite differences in time domain and
time-domain boundary elements on CPUs and clusters; schedulers, simulated machines, and the analysis of
recordings with lower bounds.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${STARPU_LIBRARY_DIRS} ${STARPU_SIMGRID_LIBRARY_DIRS})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libsimgrid-dev")  # smpirun, for --nodes
include(CPack)
