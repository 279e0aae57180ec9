# SPDX-License-Identifier: Apache-2.0
# Options and their values for the programs of Asterism, read from their own --help-all.
_asterism() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help values
  help=$("$program" --help-all 2>/dev/null) || return
  if [[ $before == --* ]]; then
    # "  --preconditioner TEXT:{none,jacobi,block-jacobi}=none"
    values=$(sed -nE "s/^ *(-[a-z], *)?$before [^ ]*\{([^}]*)\}.*/\2/p" <<<"$help" | head -1)
    if [[ -n $values ]]; then
      mapfile -t COMPREPLY < <(compgen -W "${values//,/ }" -- "$word")
      return
    fi
  fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -nE 's/^ *(-[a-z], *)?(--[a-z0-9-]+).*/\2/p' <<<"$help" | sort -u)" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _asterism asterism-{bounds,cg,compare,fdtd,fmm,lbm,platform,reproduce,tdbem,trace}
