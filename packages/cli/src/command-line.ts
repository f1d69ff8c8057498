import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { packageFolder } from '@bridle/system/package-folder'
import { type CliInvocation, EXIT_CODES, parseCommandLine, usageError } from './command/command.ts'
import { commandName } from './command/command-name.ts'
import type { TrustFlags } from './config/accepted-files.ts'
import { errorText, explainError } from './errors/explain-error.ts'
import { commandHelp, helpOverview } from './help.ts'
import type { CliOutput } from './terminal/output.ts'
import { otherWord, type VerbRow, verbs } from './verbs.ts'

export interface CommandLinePorts {
  readonly environmentOf: (name: string, flags: TrustFlags) => Promise<NodeJS.ProcessEnv>
  readonly outputOf: (flags: { readonly json?: boolean; readonly text?: boolean }) => CliOutput
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Columns of the error stream. Null unless it is a terminal. */
  readonly errorColumns: () => number | null
}

export const runCommandLine = async (argv: readonly string[], ports: CommandLinePorts): Promise<number> => {
  try {
    return await run(argv, ports)
  } catch (error) {
    const { code, message } = explainError(error)
    ports.printError(`${errorText(message, ports.errorColumns())}\n`)
    return code
  }
}

const run = async ([name = 'help', ...rest]: readonly string[], ports: CommandLinePorts): Promise<number> => {
  const printLine = (text: string): number => {
    ports.print(`${text}\n`)
    return EXIT_CODES.ok
  }
  if (name === '--version' || name === '-v') return printLine(version())
  if (name === '--help' || name === '-h') return printLine(helpOverview())
  if (name === 'help') {
    const [about] = rest
    if (about === undefined) return printLine(helpOverview())
    const row = findVerb(about)
    return printLine(commandHelp(about, row, await row.load()))
  }
  const row = findVerb(name)
  const command = await row.load()
  const { args, flags } = parseCommandLine(name, { ...row, ...command }, rest)
  if (flags.help) return printLine(commandHelp(name, row, command))
  const env = await ports.environmentOf(name, flags)
  const code = await command.run({ args, flags, env, out: ports.outputOf(flags) } as CliInvocation<never>)
  return code ?? EXIT_CODES.ok
}

const findVerb = (name: string): VerbRow => {
  const row = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (row) return row
  const near = otherWord(name) ?? nearestName(name, Object.keys(verbs))
  const hint = near === null ? `Try ${commandName()} --help.` : `Did you mean ${commandName()} ${near}?`
  throw usageError(`There is no "${name}". ${hint}`)
}

const version = (): string =>
  (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version
