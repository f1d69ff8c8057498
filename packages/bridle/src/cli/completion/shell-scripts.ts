// The completion of each shell. Words of the table are written into the script; ids come from the server when Tab is pressed.
import type { CompletionVerb } from './completion-words.ts'

export const shellScripts: { readonly [shell: string]: (verbs: readonly CompletionVerb[]) => string } = {
  bash: (verbs) => `# Completion of bridle for bash. Put it into ~/.bashrc:  eval "$(bridle completion bash)"
_bridle() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" verb="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${names(verbs)} help --help --version"
  elif [ "\${cur#-}" != "$cur" ]; then
    case "$verb" in
${verbs.map(({ name, flags }) => `      ${name}) words="${flags.map((flag) => `--${flag.name}`).join(' ')}" ;;`).join('\n')}
    esac
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "$verb" in
      ${withFirst(verbs, 'session').join('|')}) words="$("\${COMP_WORDS[0]}" completion sessions 2>/dev/null)" ;;
      ${withFirst(verbs, 'agent').join('|')}) words="$("\${COMP_WORDS[0]}" completion agents 2>/dev/null)" ;;
      help) words="${names(verbs)}" ;;
      completion) words="${shells()}" ;;
    esac
  fi
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _bridle bridle fh
`,
  zsh: (verbs) => `#compdef bridle fh
# Completion of bridle for zsh. Put it into ~/.zshrc, behind compinit:  eval "$(bridle completion zsh)"
_bridle() {
  local -a list
  if (( CURRENT == 2 )); then
    list=(
${verbs.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join('\n')}
    )
    _describe verb list
    return
  fi
  if [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
${verbs
  .map(
    ({ name, flags }) =>
      `      ${name}) list=(${flags.map((flag) => quoted(`--${flag.name}:${flag.help.replaceAll(':', '\\:')}`)).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
    _describe option list
    return
  fi
  if (( CURRENT == 3 )); then
    case $words[2] in
      ${withFirst(verbs, 'session').join('|')}) list=(\${(f)"$($words[1] completion sessions 2>/dev/null)"}) ;;
      ${withFirst(verbs, 'agent').join('|')}) list=(\${(f)"$($words[1] completion agents 2>/dev/null)"}) ;;
      help) list=(${names(verbs)}) ;;
      completion) list=(${shells()}) ;;
    esac
    (( $#list )) && compadd -a list && return
  fi
  _files
}
compdef _bridle bridle fh
`,
  fish: (verbs) =>
    `# Completion of bridle for fish. Put it into ~/.config/fish/completions/bridle.fish
${['bridle', 'fh'].map((program) => fishLines(program, verbs).join('\n')).join('\n')}
`,
}

const fishLines = (program: string, verbs: readonly CompletionVerb[]): string[] => [
  ...verbs.map(
    ({ name, summary }) => `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  ),
  ...verbs.flatMap(({ name, flags }) =>
    flags.map(
      ({ name: flag, short, takesValue, help }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag}${short === null ? '' : ` -s ${short}`}${takesValue ? ' -r' : ''} -d ${quoted(help)}`,
    ),
  ),
  ...(['session', 'agent'] as const).map(
    (kind) =>
      `complete -c ${program} -n '__fish_seen_subcommand_from ${withFirst(verbs, kind).join(' ')}' -f -a '(${program} completion ${kind}s 2>/dev/null)'`,
  ),
  `complete -c ${program} -n '__fish_seen_subcommand_from completion' -f -a '${shells()}'`,
]

const shells = (): string => Object.keys(shellScripts).join(' ')
const names = (verbs: readonly CompletionVerb[]): string => verbs.map(({ name }) => name).join(' ')
const withFirst = (verbs: readonly CompletionVerb[], kind: CompletionVerb['first']): string[] =>
  verbs.filter(({ first }) => first === kind).map(({ name }) => name)
/** In single quotes of a shell; that of zsh and bash closes, escapes and opens again. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
