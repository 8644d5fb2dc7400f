# Completion of drv for bash.
_drv() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command drv __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" </dev/null 2>/dev/null)
  # Without candidates bash completes names of files, and what follows them.
  if [ "$kind" = files ]; then
    compopt +o nospace 2>/dev/null
  else
    compopt +o default +o bashdefault 2>/dev/null
  fi
}
complete -o nospace -o bashdefault -o default -F _drv drv
