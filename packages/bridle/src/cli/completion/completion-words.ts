// The words that a shell offers, from the table of commands.
import type { CliCommand } from '../command.ts'
import type { VerbRow } from '../verbs.ts'

export interface CompletionVerb {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletionFlag[]
  /** The first argument, as far as a server knows the values for it. */
  readonly first: 'session' | 'agent' | null
  /** An argument may be a file, or a prompt that names one. */
  readonly takesFile: boolean
}

export interface CompletionFlag {
  readonly name: string
  readonly short: string | null
  readonly takesValue: boolean
  /** The value is a file or a folder. */
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
