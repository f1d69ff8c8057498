// A verb is a row: what it takes, what it is for, what it does. Parsing and help follow from it.
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import type { CliOutput } from './terminal/output.ts'

export interface CliOption extends ParseArgsOptionDescriptor {
  /** What stands for its value in the help; a boolean has none. */
  readonly value?: string
  readonly help: string
}

export interface CliCommand {
  readonly summary: string
  /** Its arguments: `<agent>` must be there, `[prompt]` may. */
  readonly argumentNames: readonly string[]
  readonly options: { readonly [name: string]: CliOption }
  /** What else its help should say. */
  readonly notes?: string
  readonly run: (call: CliInvocation<never>) => Promise<number>
}

export interface CliInvocation<F> {
  readonly args: readonly string[]
  readonly flags: F
  readonly env: NodeJS.ProcessEnv
  readonly out: CliOutput
}

type OptionValue<O extends CliOption> = O['type'] extends 'boolean'
  ? boolean
  : O['multiple'] extends true
    ? string[]
    : string
export type CliFlags<O> = { readonly [N in keyof O]?: O[N] extends CliOption ? OptionValue<O[N]> : never }

/** Declares a verb with its flags typed by its options. */
export const defineCommand = <const O extends { readonly [name: string]: CliOption }>(
  given: Omit<CliCommand, 'options' | 'run'> & {
    readonly options: O
    readonly run: (call: CliInvocation<CliFlags<O>>) => Promise<number>
  },
): CliCommand => given

export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, cancelled: 3, interrupted: 130 } as const

/** The end of the command: one line for the person who typed it, and the exit code. */
export class ExitError extends Error {
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExitError'
    this.code = code
  }
}

/** The arguments by the verb's own table; whatever is not in it is a usage error that names the culprit. */
export const parseCommandLine = (
  name: string,
  { options, argumentNames }: CliCommand,
  given: readonly string[],
): { args: readonly string[]; flags: { readonly [name: string]: unknown } } => {
  const known: { readonly [name: string]: ParseArgsOptionDescriptor } = {
    ...options,
    help: { type: 'boolean', short: 'h' },
  }
  const wrong = (what: string) => new ExitError(EXIT_CODES.usage, `${what} Try bridle ${name} --help.`)
  const { values, positionals, tokens } = parseArgs({
    args: [...given],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
    if (!option) throw wrong(`There is no ${token.rawName} in bridle ${name}.`)
    const { value, rawName, inlineValue } = token
    if (option.type === 'boolean' && value !== undefined) throw wrong(`${rawName} takes no value.`)
    // `--url --json` is a forgotten value, not a server called "--json"; `--url=--json` would say so.
    const isMissing = value === undefined || (!inlineValue && /^-./.test(value))
    if (option.type === 'string' && isMissing) throw wrong(`${rawName} needs a value.`)
  }
  const least = argumentNames.filter((each) => each.startsWith('<')).length
  const missing = argumentNames[positionals.length]
  if (!values.help && missing !== undefined && positionals.length < least)
    throw wrong(`bridle ${name} needs ${missing}.`)
  if (positionals.length > argumentNames.length)
    throw wrong(`"${positionals[argumentNames.length]}" is one argument too many.`)
  return { args: positionals, flags: values }
}

/** Shared by every verb that asks a server. */
export const clientOptions = {
  url: { type: 'string', value: 'URL', help: 'the server; else BRIDLE_URL, else http://127.0.0.1:4317' },
  tenant: { type: 'string', value: 'ID', help: 'whose sessions' },
  data: {
    type: 'string',
    value: 'FOLDER',
    help: 'where a server of this machine keeps its token; else BRIDLE_DATA, else .bridle',
  },
} as const satisfies CliCommand['options']

export const outputOptions = {
  json: { type: 'boolean', help: 'JSON lines, as when piped' },
  text: { type: 'boolean', help: 'for people, also when piped' },
} as const satisfies CliCommand['options']

/** Shared by every verb that may become a server. */
export const dataOptions = {
  data: { type: 'string', value: 'FOLDER', help: 'the data folder; else BRIDLE_DATA, else .bridle' },
} as const satisfies CliCommand['options']
