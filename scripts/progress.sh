# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts: long commands with a line that says how far they are.

# clock SECONDS: as 1:05
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# progress WHAT LOG COUNT COMMAND...: runs the command with its output in the file LOG and returns its status. COUNT is a
# command that prints "done total" from the log on standard input (total 0: not known). The line goes to standard error: on a
# terminal it is written over itself each second, else every 15 seconds.
progress() {
  local what=$1 log=$2 count=$3 status=0 begin=$SECONDS every=15 end=$'\n' shown=0 pid
  shift 3
  if [ -t 2 ]; then every=1 end=$'\r'; fi
  "$@" >"$log" 2>&1 &
  pid=$!
  trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    [ $((SECONDS - begin - shown)) -ge "$every" ] || continue
    shown=$((SECONDS - begin))
    printf '%s%s' "$(progress_line "$what" "$shown" $("$count" <"$log"))" "$end" >&2
  done
  trap - INT TERM
  wait "$pid" || status=$?
  [ -t 2 ] && printf '\033[K' >&2
  return $status
}

# progress_line WHAT ELAPSED DONE TOTAL
progress_line() {
  local what=$1 elapsed=$2 done=${3:-0} total=${4:-0} line
  line="$what"
  if [ "$total" -gt 0 ]; then
    line+=": $done of $total, $(clock "$elapsed") elapsed"
    if [ "$done" -gt 0 ] && [ "$done" -le "$total" ] && [ "$elapsed" -ge 5 ]; then
      line+=", about $(clock $((elapsed * (total - done) / done))) left"
    fi
  else
    line+=": $(clock "$elapsed") elapsed"
  fi
  printf '%-78s' "$line"
}

# Counts for progress.
count_ninja() { sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 \2/p' | tail -1; }
count_nothing() { echo "0 0"; }
