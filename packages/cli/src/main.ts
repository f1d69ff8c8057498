#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'
import type { TrustFlags } from './config/accepted-files.ts'
import { dataFolderOf } from './config/default-data.ts'
import { createOutput } from './terminal/output.ts'

/** Commands that run the user's agents, some by starting a server on demand. */
const servers = new Set(['start', 'dev', 'run', 'chat', 'apply'])
/** Commands that hold keys and start engines. */
const hosts = new Set([...servers, 'runner'])
/** Commands in foreign folders: a repository's `.env` must not change how its sandbox is built. */
const strangers = new Set(['runner'])

const environmentOf = async (name: string, flags: TrustFlags): Promise<NodeJS.ProcessEnv> => {
  const data = dataFolderOf(flags)
  // Imported lazily: help and version read no project files.
  const { withEnvFile } = await import('./config/env-file.ts')
  if (!hosts.has(name)) return withEnvFile(process.env, '.', data)
  const { restoreProviderKeys, sealEnvironment } = await import('./config/sealed-environment.ts')
  const environment = sealEnvironment()
  const { acceptFiles } = await import('./config/accepted-files.ts')
  // Before reading any file that it confirms.
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
// Flush stdout, then exit: a pending read or timer must not keep the process alive.
process.stdout.write('', () => process.exit(exit))
