#!/usr/bin/env node
// The `bridle` command, also known as `fh`.
import { readFileSync } from 'node:fs'
import { FabricError } from '../client/index.ts'
import { type Call, EXIT, parseCall, Stop, type Verb } from './command.ts'
import { approvals } from './commands/approvals.ts'
import { approve, reject } from './commands/approve-reject.ts'
import { attach } from './commands/attach.ts'
import { build } from './commands/build.ts'
import { conformance } from './commands/conformance.ts'
import { dev } from './commands/dev.ts'
import { doctor } from './commands/doctor.ts'
import { run } from './commands/run.ts'
import { runner } from './commands/runner.ts'
import { sessions } from './commands/sessions.ts'
import { start } from './commands/start.ts'
import { sealedEnvironment } from './config/sealed-environment.ts'
import { closest, overview, verbHelp } from './help.ts'
import { output } from './terminal/output.ts'

const verbs: { readonly [name: string]: Verb } = {
  start,
  dev,
  build,
  run,
  attach,
  sessions,
  approvals,
  approve,
  reject,
  doctor,
  conformance,
  runner,
}

/** The verbs that hold keys and start engines. */
const hosts = new Set(['start', 'dev', 'runner'])

const main = async ([name = 'help', ...rest]: readonly string[]): Promise<number> => {
  if (name === '--version' || name === '-v') return say(version())
  if (name === '--help' || name === '-h') return say(overview(verbs))
  if (name === 'help') return rest[0] === undefined ? say(overview(verbs)) : say(verbHelp(rest[0], find(rest[0])))
  const verb = find(name)
  const { args, flags } = parseCall(name, verb, rest)
  if (flags.help) return say(verbHelp(name, verb))
  const env = hosts.has(name) ? sealedEnvironment() : process.env
  return verb.act({ args, flags, env, out: output(flags) } as Call<never>)
}

const find = (name: string): Verb => {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb) return verb
  const near = closest(name, Object.keys(verbs))
  const hint = near === null ? 'Try bridle --help.' : `Did you mean bridle ${near}?`
  throw new Stop(EXIT.usage, `There is no "${name}". ${hint}`)
}

const say = (text: string): number => {
  process.stdout.write(`${text}\n`)
  return EXIT.ok
}

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** One line, whatever happened. A 400 is something the caller can put right. */
const explain = (error: unknown): { exit: number; message: string } => {
  if (error instanceof Stop) return error
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof FabricError)) return { exit: EXIT.failed, message }
  const hints: { readonly [status: number]: string } = {
    0: ' Start one by bridle start, or say where it is by --url.',
    401: ' Set FABRIC_HARNESS_API_TOKEN to the token of the server, or --data to the data folder of bridle start --token.',
  }
  return { exit: error.status === 400 ? EXIT.usage : EXIT.failed, message: message + (hints[error.status] ?? '') }
}

const exit = await main(process.argv.slice(2)).catch((error: unknown) => {
  const { exit: code, message } = explain(error)
  process.stderr.write(`bridle: ${message}\n`)
  return code
})
// Whatever is still under way (a reader's wait, a run's timer) must not keep the process; what was written must get out.
process.stdout.write('', () => process.exit(exit))
