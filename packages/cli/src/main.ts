#!/usr/bin/env node
// The `bridle` command, also known as `fh`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { packageFolder } from '@bridle/system/package-folder'
import { type CliInvocation, EXIT_CODES, parseCommandLine, usageError } from './command/command.ts'
import { commandName } from './command/command-name.ts'
import type { TrustFlags } from './config/accepted-files.ts'
import { dataFolderOf } from './config/default-data.ts'
import { errorText, explainError } from './errors/explain-error.ts'
import { commandHelp, helpOverview } from './help.ts'
import { createOutput } from './terminal/output.ts'
import { otherWord, type VerbRow, verbs } from './verbs.ts'

/** Commands that run agents of the user: some of them start a server where none answers. */
const servers = new Set(['start', 'dev', 'run', 'chat', 'apply'])
/** Commands that hold keys and start engines. */
const hosts = new Set([...servers, 'runner'])
/** Commands that work in a folder of somebody else: the `.env` of a repository must not change how its sandbox is built. */
const strangers = new Set(['runner'])

const main = async ([name = 'help', ...rest]: readonly string[]): Promise<number> => {
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
  const env = await environmentOf(name, flags)
  const code = await command.run({ args, flags, env, out: createOutput(flags) } as CliInvocation<never>)
  return code ?? EXIT_CODES.ok
}

const findVerb = (name: string): VerbRow => {
  const row = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (row) return row
  const near = otherWord(name) ?? nearestName(name, Object.keys(verbs))
  const hint = near === null ? `Try ${commandName()} --help.` : `Did you mean ${commandName()} ${near}?`
  throw usageError(`There is no "${name}". ${hint}`)
}

/** The environment with the `.env` of the project. A command that starts engines holds its keys alone. */
const environmentOf = async (name: string, flags: TrustFlags): Promise<NodeJS.ProcessEnv> => {
  const data = dataFolderOf(flags)
  // Loaded only now: help and version read no files of the project.
  const { withEnvFile } = await import('./config/env-file.ts')
  if (!hosts.has(name)) return withEnvFile(process.env, '.', data)
  const { restoreProviderKeys, sealEnvironment } = await import('./config/sealed-environment.ts')
  const environment = sealEnvironment()
  const { acceptFiles } = await import('./config/accepted-files.ts')
  // Before anything is read that a person confirms with it.
  acceptFiles(flags)
  const env = strangers.has(name) ? environment : withEnvFile(environment, '.', data)
  if (servers.has(name)) restoreProviderKeys(env)
  return env
}

const printLine = (text: string): number => {
  process.stdout.write(`${text}\n`)
  return EXIT_CODES.ok
}

const version = (): string =>
  (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version

const exit = await main(process.argv.slice(2)).catch((error: unknown) => {
  const { code, message } = explainError(error)
  const { isTTY, columns } = process.stderr
  process.stderr.write(`${errorText(message, isTTY && columns ? columns : null)}\n`)
  return code
})
// Flush the output, then end: a pending read or timer must not keep the process alive.
process.stdout.write('', () => process.exit(exit))
