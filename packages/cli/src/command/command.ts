import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import type { CliOutput } from '../terminal/output.ts'
import { commandName } from './command-name.ts'
import { flagsOf } from './setting-flags.ts'
import { shellWord } from './shell-word.ts'

export interface CliOption extends ParseArgsOptionDescriptor {
  readonly value?: string
  readonly help: string
}

export interface CliCommand {
  readonly options: { readonly [name: string]: CliOption }
  readonly notes?: string
  /** The exit code. Undefined: success. */
  readonly run: (call: CliInvocation<never>) => Promise<number | undefined>
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

export const defineCommand = <const O extends { readonly [name: string]: CliOption }>(
  command: Omit<CliCommand, 'options' | 'run'> & {
    readonly options: O
    readonly run: (call: CliInvocation<CliFlags<O>>) => Promise<number | undefined>
  },
): CliCommand => command

export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, cancelled: 3, awaitsAnswer: 3, interrupted: 130 } as const

export class ExitError extends Error {
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExitError'
    this.code = code
  }
}

export const usageError = (message: string, options?: ErrorOptions): ExitError =>
  new ExitError(EXIT_CODES.usage, message, options)

export const failure = (message: string, options?: ErrorOptions): ExitError =>
  new ExitError(EXIT_CODES.failed, message, options)

export const parseCommandLine = (
  name: string,
  {
    options,
    argumentNames,
    restName,
  }: Pick<CliCommand, 'options'> & { readonly argumentNames: readonly string[]; readonly restName?: string },
  argv: readonly string[],
): { args: readonly string[]; flags: { readonly [name: string]: unknown } } => {
  const allOptions: { readonly [name: string]: ParseArgsOptionDescriptor } = {
    ...options,
    help: { type: 'boolean', short: 'h' },
  }
  const wrong = (problem: string) => usageError(`${problem} Try ${commandName()} ${name} --help.`)
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options: allOptions,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(allOptions, token.name) ? allOptions[token.name] : undefined
    if (!option) {
      const near = nearestName(token.name, Object.keys(allOptions))
      const hint = near === null ? '' : ` Did you mean --${near}?`
      throw wrong(`There is no ${token.rawName} in bridle ${name}.${hint}`)
    }
    const { value, rawName, inlineValue } = token
    if (option.type === 'boolean' && value !== undefined) throw wrong(`${rawName} takes no value.`)
    // In `--url --json` the value is missing. Write `--url=--json` for such a value.
    const isMissing = value === undefined || (!inlineValue && /^-./.test(value))
    if (option.type === 'string' && isMissing) throw wrong(`${rawName} needs a value.`)
  }
  const requiredCount = argumentNames.filter((each) => each.startsWith('<')).length
  const missing = argumentNames[positionals.length]
  if (!values.help && missing !== undefined && positionals.length < requiredCount)
    throw wrong(`bridle ${name} needs ${missing}${listedBy(missing)}.`)
  const extra = restName === undefined ? positionals[argumentNames.length] : undefined
  if (extra !== undefined) {
    const script = process.env.npm_lifecycle_event
    const isTaken = (each: string) => options[each]?.type === 'string' && process.env[`npm_config_${each}`] === 'true'
    const taken = script && Object.keys(options).find(isTaken)
    if (!taken) throw wrong(`"${extra}" is one argument too many.`)
    // npm consumes a flag before `--` and passes on its value.
    const call = script === 'start' ? 'npm start' : `npm run ${script}`
    throw usageError(`npm took --${taken} for itself. Write: ${call} -- --${taken} ${shellWord(extra)}`)
  }
  return { args: positionals, flags: values }
}

const listedBy = (argument: string): string => {
  const verb = LISTS.get(argument)
  return verb === undefined ? '' : `; ${commandName()} ${verb} lists them`
}

const LISTS: ReadonlyMap<string, string> = new Map([
  ['<agent>', 'agents'],
  ['<session>', 'sessions'],
  ['<approvalId>', 'approvals'],
])

export const actOptions = {
  reason: { type: 'string', value: 'TEXT', help: 'the reason, for the log' },
  actor: { type: 'string', value: 'NAME', help: 'the person who acts, for the log' },
} as const satisfies CliCommand['options']

const agentOption = {
  agent: { type: 'string', value: 'NAME', help: 'the agent, if several have a session of this id' },
} as const satisfies CliCommand['options']

export const clientOptions = {
  ...flagsOf('--url', '--tenant'),
  data: {
    type: 'string',
    value: 'FOLDER',
    help: 'data folder of a local server, which holds its token; default: BRIDLE_DATA, else .bridle',
  },
} as const satisfies CliCommand['options']

export const outputOptions = {
  json: { type: 'boolean', help: 'JSON lines, as when piped' },
  text: { type: 'boolean', help: 'for people, also when piped' },
} as const satisfies CliCommand['options']

export const sessionOptions = { ...agentOption, ...clientOptions, ...outputOptions } as const
