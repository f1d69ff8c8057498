#!/usr/bin/env node
// The `bridle` command, also known as `fh`.
import { runCommandLine } from './command-line.ts'
import type { TrustFlags } from './config/accepted-files.ts'
import { dataFolderOf } from './config/default-data.ts'
import { createOutput } from './terminal/output.ts'

/** Commands that run agents of the user: some of them start a server where none answers. */
const servers = new Set(['start', 'dev', 'run', 'chat', 'apply'])
/** Commands that hold keys and start engines. */
const hosts = new Set([...servers, 'runner'])
/** Commands that work in a folder of somebody else: the `.env` of a repository must not change how its sandbox is built. */
const strangers = new Set(['runner'])

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

const exit = await runCommandLine(process.argv.slice(2), {
  environmentOf,
  outputOf: createOutput,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  errorColumns: () => (process.stderr.isTTY && process.stderr.columns) || null,
})
// Flush the output, then end: a pending read or timer must not keep the process alive.
process.stdout.write('', () => process.exit(exit))
