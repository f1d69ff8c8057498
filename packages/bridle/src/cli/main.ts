#!/usr/bin/env node
// The `bridle` command, also known as `fh`.
import { readFileSync } from 'node:fs'
import { FabricError } from '../client/index.ts'
import { nearestName } from '../kernel/text/nearest-name.ts'
import { type CliCommand, type CliInvocation, EXIT_CODES, ExitError, parseCommandLine } from './command.ts'
import { apply } from './commands/apply.ts'
import { approvals } from './commands/approvals.ts'
import { approve, reject } from './commands/approve-reject.ts'
import { attach } from './commands/attach.ts'
import { build } from './commands/build.ts'
import { conformance } from './commands/conformance.ts'
import { dev } from './commands/dev.ts'
import { doctor } from './commands/doctor.ts'
import { exportSessions } from './commands/export.ts'
import { importSessions } from './commands/import.ts'
import { run } from './commands/run.ts'
import { runner } from './commands/runner.ts'
import { sessions } from './commands/sessions.ts'
import { signal } from './commands/signal.ts'
import { start } from './commands/start.ts'
import { restoreProviderKeys, sealEnvironment } from './config/sealed-environment.ts'
import { commandHelp, helpOverview } from './help.ts'
import { createOutput } from './terminal/output.ts'

const commands: { readonly [name: string]: CliCommand } = {
  start,
  dev,
  build,
  run,
  attach,
  apply,
  sessions,
  approvals,
  approve,
  reject,
  signal,
  export: exportSessions,
  import: importSessions,
  doctor,
  conformance,
  runner,
}

/** Commands that hold keys and start engines. */
const hosts = new Set(['start', 'dev', 'runner'])
/** Commands that run agents of the user. */
const servers = new Set(['start', 'dev'])

const main = async ([name = 'help', ...rest]: readonly string[]): Promise<number> => {
  if (name === '--version' || name === '-v') return printLine(version())
  if (name === '--help' || name === '-h') return printLine(helpOverview(commands))
  if (name === 'help')
    return rest[0] === undefined
      ? printLine(helpOverview(commands))
      : printLine(commandHelp(rest[0], findCommand(rest[0])))
  const verb = findCommand(name)
  const { args, flags } = parseCommandLine(name, verb, rest)
  if (flags.help) return printLine(commandHelp(name, verb))
  const env = hosts.has(name) ? sealEnvironment() : process.env
  if (servers.has(name)) restoreProviderKeys(env)
  return verb.run({ args, flags, env, out: createOutput(flags) } as CliInvocation<never>)
}

const findCommand = (name: string): CliCommand => {
  const verb = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (verb) return verb
  const near = nearestName(name, Object.keys(commands))
  const hint = near === null ? 'Try bridle --help.' : `Did you mean bridle ${near}?`
  throw new ExitError(EXIT_CODES.usage, `There is no "${name}". ${hint}`)
}

const printLine = (text: string): number => {
  process.stdout.write(`${text}\n`)
  return EXIT_CODES.ok
}

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** An error in one line. Status 400 is a usage error: the caller can correct it. */
const explainError = (error: unknown): { code: number; message: string } => {
  if (error instanceof ExitError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof FabricError)) return { code: EXIT_CODES.failed, message }
  const hints: { readonly [status: number]: string } = {
    0: ' Start one with bridle start, or name the server with --url.',
    401: ' Set FABRIC_HARNESS_API_TOKEN to the token of the server, or --data to the data folder of bridle start --token.',
  }
  return {
    code: error.status === 400 ? EXIT_CODES.usage : EXIT_CODES.failed,
    message: message + (hints[error.status] ?? ''),
  }
}

const exit = await main(process.argv.slice(2)).catch((error: unknown) => {
  const { code, message } = explainError(error)
  process.stderr.write(`bridle: ${message}\n`)
  return code
})
// Flush the output, then end: a pending read or timer must not keep the process alive.
process.stdout.write('', () => process.exit(exit))
