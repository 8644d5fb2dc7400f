#compdef drv
# Completion of drv for zsh.
_drv() {
  local -a lines closed closedtexts open opentexts
  local line value text
  lines=("${(@f)$(command drv __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" </dev/null 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    _files
    return
  fi
  for line in "${(@)lines[2,-1]}"; do
    value=${${line#?}%%$'\t'*}
    text=$value
    [[ $line == *$'\t'* ]] && text="$value  -- ${line#*$'\t'}"
    if [[ $line == '='* ]]; then
      open+=("$value") opentexts+=("$text")
    else
      closed+=("$value") closedtexts+=("$text")
    fi
  done
  local found=1
  (( $#open )) && compadd -l -S '' -d opentexts -a open && found=0
  (( $#closed )) && compadd -l -d closedtexts -a closed && found=0
  return found
}
if [[ $funcstack[1] == _drv ]]; then
  _drv "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _drv drv
fi
