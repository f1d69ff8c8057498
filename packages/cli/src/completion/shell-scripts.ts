// Shell completion scripts. Verbs and flags are built in; ids are fetched from the server on Tab.
import type { CliCommand } from '../command/command.ts'
import { shellQuoted } from '../command/shell-word.ts'
import type { VerbRow } from '../verbs.ts'

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
${verbs.map(({ name, summary }) => `      ${shellQuoted(`${name}:${summary}`)}`).join('\n')}
      'help:explain a verb' '--help:list the verbs' '--version:print the version'
    )
    _describe verb list
    return
  fi
  if [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
${verbs
  .map(
    ({ name, flags }) =>
      `      ${name}) list=(${flags.map((flag) => shellQuoted(`--${flag.name}:${flag.help.replaceAll(':', '\\:')}`)).join(' ')}) ;;`,
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
  # The value of a flag may be a file; an argument only of some verbs.
  if [[ $words[CURRENT-1] != -* ]]; then
    case $words[2] in
      ${withFiles(verbs).join('|')}) ;;
      *) return 1 ;;
    esac
  fi
  _files
}
compdef _bridle bridle fh
`,
  fish: (verbs) =>
    `# Completion of bridle for fish. Put it into ~/.config/fish/completions/bridle.fish
# The verb is the word behind the program: a prompt may have the name of a verb in it.
function __bridle_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end
function __bridle_first
    set -l words (commandline -opc)
    test (count $words) -eq 2; and contains -- $words[2] $argv
end
function __bridle_start
    test (count (commandline -opc)) -eq 1
end
${['bridle', 'fh'].map((program) => fishLines(program, verbs).join('\n')).join('\n')}
`,
}

const fishLines = (program: string, verbs: readonly CompletionVerb[]): string[] => {
  const line = (condition: string, rest: string) => `complete -c ${program} -n '${condition}' ${rest}`
  const first = (of: readonly string[], words: string) => line(`__bridle_first ${of.join(' ')}`, `-f -a ${words}`)
  const files = withFiles(verbs)
  // Their first argument is an agent or a session, not a file.
  const named = verbs.filter(({ first, name }) => first !== null && name !== 'replay').map(({ name }) => name)
  return [
    `complete -c ${program} -f`,
    ...verbs.map(({ name, summary }) => line('__bridle_start', `-a ${name} -d ${shellQuoted(summary)}`)),
    line('__bridle_start', `-a help -d 'explain a verb'`),
    line('__bridle_start', `-l help -s h -d 'list the verbs'`),
    line('__bridle_start', `-l version -s v -d 'print the version'`),
    ...verbs.flatMap(({ name, flags }) =>
      flags.map(({ name: flag, short, takesValue, takesFile, help }) => {
        const value = takesFile ? ' -r -F' : takesValue ? ' -x' : ''
        return line(
          `__bridle_verb ${name}`,
          `-l ${flag}${short === null ? '' : ` -s ${short}`}${value} -d ${shellQuoted(help)}`,
        )
      }),
    ),
    ...(['session', 'agent'] as const).map((kind) =>
      first(withFirst(verbs, kind), `'(${program} completion ${kind}s 2>/dev/null)'`),
    ),
    first(['help'], shellQuoted(names(verbs))),
    first(['completion'], shellQuoted(shells())),
    line(`__bridle_verb ${files.join(' ')}; and not __bridle_first ${named.join(' ')}`, '-F'),
  ]
}

const shells = (): string => Object.keys(shellScripts).join(' ')
const names = (verbs: readonly CompletionVerb[]): string => verbs.map(({ name }) => name).join(' ')
const withFirst = (verbs: readonly CompletionVerb[], kind: CompletionVerb['first']): string[] =>
  verbs.filter(({ first }) => first === kind).map(({ name }) => name)
const withFiles = (verbs: readonly CompletionVerb[]): string[] =>
  verbs.filter(({ takesFile }) => takesFile).map(({ name }) => name)

interface CompletionVerb {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletionFlag[]
  /** Completion of the first argument, if a server can provide it. */
  readonly first: 'session' | 'agent' | null
  /** An argument may be a file, or a prompt that names one. */
  readonly takesFile: boolean
}

interface CompletionFlag {
  readonly name: string
  readonly short: string | null
  readonly takesValue: boolean
  readonly takesFile: boolean
  readonly help: string
}

export const completionVerbs = async (verbs: { readonly [name: string]: VerbRow }): Promise<CompletionVerb[]> =>
  Promise.all(
    Object.entries(verbs).map(async ([name, { summary, argumentNames, load }]) => {
      const [first = ''] = argumentNames
      return {
        ...{ name, summary, flags: flagsOf(await load()) },
        first: first.includes('session') ? 'session' : first.includes('agent') ? 'agent' : null,
        takesFile: argumentNames.some((each) => /file|folder|prompt/.test(each)),
      }
    }),
  )

const flagsOf = ({ options }: CliCommand): CompletionFlag[] => [
  ...Object.entries(options).map(([name, { short = null, type, value = '', help }]) => ({
    ...{ name, short, help },
    takesValue: type === 'string',
    takesFile: /FILE|FOLDER|STORE/.test(value),
  })),
  { name: 'help', short: 'h', takesValue: false, takesFile: false, help: 'explain this verb' },
]
