// The words that a shell offers, from the table of commands.
import type { CliCommand } from '../command.ts'
import type { VerbRow } from '../verbs.ts'

export interface CompletionVerb {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletionFlag[]
  /** The first argument, as far as a server knows the values for it. */
  readonly first: 'session' | 'agent' | null
}

export interface CompletionFlag {
  readonly name: string
  readonly short: string | null
  readonly takesValue: boolean
  readonly help: string
}

export const completionVerbs = async (verbs: { readonly [name: string]: VerbRow }): Promise<CompletionVerb[]> =>
  Promise.all(
    Object.entries(verbs).map(
      async ([
        name,
        {
          summary,
          argumentNames: [first = ''],
          load,
        },
      ]) => ({
        ...{ name, summary, flags: flagsOf(await load()) },
        first: first.includes('session') ? 'session' : first.includes('agent') ? 'agent' : null,
      }),
    ),
  )

const flagsOf = ({ options }: CliCommand): CompletionFlag[] => [
  ...Object.entries(options).map(([name, { short = null, type, help }]) => ({
    ...{ name, short, help },
    takesValue: type === 'string',
  })),
  { name: 'help', short: 'h', takesValue: false, help: 'explain this verb' },
]
