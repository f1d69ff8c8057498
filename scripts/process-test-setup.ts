// Before tests that start programs: two starts of the command that end in an orderly way. The first records what every later one loads
// (scripts/module-snapshot.ts). The second compiles it: Node writes what it compiled when a program ends, and most tests kill their servers.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildFolder, builtOnce } from './built-once.ts'
import { fromSource, SNAPSHOT_FOLDER } from './module-snapshot.ts'

const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))
const recorder = fileURLToPath(new URL('record-module-snapshot.ts', import.meta.url))

const snapshot = {
  name: 'module-snapshot',
  sources: ['packages/*/src/**/*.ts', 'packages/*/package.json', 'scripts/*module-snapshot.ts'],
}

/** Runs in the background: a program that starts earlier loads and compiles its modules itself. */
export const setup = ({ config }: TestProject): (() => Promise<void>) => {
  const stop = new AbortController()
  process.env[SNAPSHOT_FOLDER] = buildFolder(snapshot)
  const built = builtOnce({
    ...snapshot,
    build: async (folder) => {
      const env = { ...config.env, PATH: process.env.PATH, [SNAPSHOT_FOLDER]: folder }
      await startAndStop(['--conditions=bridle-source', recorder, folder], env, stop.signal)
      await startAndStop([...fromSource, main], env, stop.signal)
    },
    // A run that is over before that leaves the rest to the next one.
  }).catch(() => {})
  return async () => {
    stop.abort()
    await built
  }
}

const startAndStop = async (program: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> => {
  const cwd = mkdtempSync(join(tmpdir(), 'bridle-compile-'))
  try {
    const args = [...program, 'start', '--port', '0', '--data', 'data']
    const child = spawn(process.execPath, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`It ended with ${code}.`))))
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('ready at')) child.kill('SIGTERM')
    })
    await ended
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
