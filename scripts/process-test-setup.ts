// Before tests that start programs: one start of the server that ends in an orderly way. Node writes what it compiled when a program ends, and
// most tests kill their servers, so each of them would compile the whole server again.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { builtOnce } from './built-once.ts'

const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))

/** Nobody waits for it: a test that is faster compiles by itself. */
export const setup = ({ config }: TestProject): (() => Promise<void>) => {
  const stop = new AbortController()
  const compiled = builtOnce({
    name: 'compiled-server',
    sources: ['packages/*/src/**/*.ts'],
    build: async (folder) => {
      await startAndStop({ ...config.env, PATH: process.env.PATH }, stop.signal)
      mkdirSync(folder)
    },
    // A run that is over before that leaves the rest to the next one.
  }).catch(() => {})
  return async () => {
    stop.abort()
    await compiled
  }
}

const startAndStop = async (env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> => {
  const cwd = mkdtempSync(join(tmpdir(), 'bridle-compile-'))
  try {
    const args = ['--conditions=bridle-source', main, 'start', '--port', '0', '--data', 'data']
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
