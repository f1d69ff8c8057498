// A verb is a row: what it takes, what it is for, what it does. Parsing and help follow from it.
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import type { Output } from './terminal/output.ts'

export interface Option extends ParseArgsOptionDescriptor {
  /** What stands for its value in the help; a boolean has none. */
  readonly value?: string
  readonly help: string
}

export interface Verb {
  readonly summary: string
  /** Its arguments: `<agent>` must be there, `[prompt]` may. */
  readonly takes: readonly string[]
  readonly options: { readonly [name: string]: Option }
  /** What else its help should say. */
  readonly notes?: string
  readonly act: (call: Call<never>) => Promise<number>
}

export interface Call<F> {
  readonly args: readonly string[]
  readonly flags: F
  readonly env: NodeJS.ProcessEnv
  readonly out: Output
}

type Value<O extends Option> = O['type'] extends 'boolean' ? boolean : O['multiple'] extends true ? string[] : string
export type Flags<O> = { readonly [N in keyof O]?: O[N] extends Option ? Value<O[N]> : never }

/** Declares a verb with its flags typed by its options. */
export const verb = <const O extends { readonly [name: string]: Option }>(
  given: Omit<Verb, 'options' | 'act'> & {
    readonly options: O
    readonly act: (call: Call<Flags<O>>) => Promise<number>
  },
): Verb => given

export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 3, interrupted: 130 } as const

/** What the caller is told, in one line, and the exit code that goes with it. */
export class Stop extends Error {
  readonly exit: number

  constructor(exit: number, message: string) {
    super(message)
    this.exit = exit
  }
}

/** The arguments by the verb's own table; whatever is not in it is a usage error that names the culprit. */
export const parseCall = (
  name: string,
  { options, takes }: Verb,
  given: readonly string[],
): { args: readonly string[]; flags: { readonly [name: string]: unknown } } => {
  const known: { readonly [name: string]: ParseArgsOptionDescriptor } = {
    ...options,
    help: { type: 'boolean', short: 'h' },
  }
  const wrong = (what: string) => new Stop(EXIT.usage, `${what} Try bridle ${name} --help.`)
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
  const least = takes.filter((each) => each.startsWith('<')).length
  const missing = takes[positionals.length]
  if (!values.help && missing !== undefined && positionals.length < least)
    throw wrong(`bridle ${name} needs ${missing}.`)
  if (positionals.length > takes.length) throw wrong(`"${positionals[takes.length]}" is one argument too many.`)
  return { args: positionals, flags: values }
}

/** Shared by every verb that asks a server. */
export const asking = {
  url: { type: 'string', value: 'URL', help: 'the server; else BRIDLE_URL, else http://127.0.0.1:4317' },
  tenant: { type: 'string', value: 'ID', help: 'whose sessions' },
  data: {
    type: 'string',
    value: 'FOLDER',
    help: 'where a server of this machine keeps its token; else BRIDLE_DATA, else .bridle',
  },
} as const satisfies Verb['options']

export const showing = {
  json: { type: 'boolean', help: 'JSON lines, as when piped' },
  text: { type: 'boolean', help: 'for people, also when piped' },
} as const satisfies Verb['options']

/** Shared by every verb that may become a server. */
export const serving = {
  data: { type: 'string', value: 'FOLDER', help: 'the data folder; else BRIDLE_DATA, else .bridle' },
} as const satisfies Verb['options']
