/**
 * Patterns of files that editors keep beside an open document and remove when it is closed. They are not
 * uploaded while a folder is followed; `--include` includes them.
 */
export const EDITOR_FILES: readonly string[] = [
  // vim
  '.*.sw[a-p]',
  '4913',
  // emacs
  '.#*',
  '#*#',
  // LibreOffice, Microsoft Office
  '.~lock.*#',
  '~$*',
]
