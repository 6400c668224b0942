# What `cmake --install` installs besides the libraries: the programs, and what belongs to them.

# Manual pages and completion come from the command line's own description.
set(HAPAX_PAGES ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${HAPAX_PAGES}/man1)
add_custom_command(OUTPUT ${HAPAX_PAGES}/stamp
  COMMAND hapax man --into ${HAPAX_PAGES}/man1
  COMMAND hapax completion bash > ${HAPAX_PAGES}/hapax
  COMMAND hapax completion zsh > ${HAPAX_PAGES}/_hapax
  COMMAND hapax completion fish > ${HAPAX_PAGES}/hapax.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${HAPAX_PAGES}/stamp
  DEPENDS hapax VERBATIM)
add_custom_target(hapax_pages ALL DEPENDS ${HAPAX_PAGES}/stamp)
install(DIRECTORY ${HAPAX_PAGES}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT hapax)
install(FILES ${HAPAX_PAGES}/hapax DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT hapax)
install(FILES ${HAPAX_PAGES}/_hapax DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT hapax)
install(FILES ${HAPAX_PAGES}/hapax.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT hapax)

install(TARGETS hapax hapax-commands COMPONENT hapax)
install(FILES packaging/man/hapax-commands.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT hapax)
install(DIRECTORY deploy/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hapax COMPONENT hapax)  # For Prometheus and Grafana.
foreach(program IN ITEMS engines lab)  # `hapax` hands over to these; their pages are those of its commands.
  install(TARGETS hapax-${program} COMPONENT ${program})
  install(FILES packaging/man/hapax-${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${program})
endforeach()
if(TARGET hapax_c)  # The module loads it.
  install(FILES python/hapax.py DESTINATION lib/python3/dist-packages COMPONENT python)
endif()
