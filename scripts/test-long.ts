// npm run test:long                    everything that is too long for `npm test`, within 44 minutes
// npm run test:long -- fuzz matrix     these parts only
//
// Each part has a time limit, and all of them together have one. A part that is cut off has failed: nobody knows what the rest
// of it would have said. A part that wants as many rounds as fit counts its own time, and ends by itself.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './source-files.ts'

interface LongTestPart {
  readonly name: string
  readonly proves: string
  readonly minutes: number
  readonly command: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

export const TOTAL_MINUTES = 44
const tests = (...args: string[]) => ['node', 'scripts/run-tests.ts', ...args]
const longTests = (...files: string[]) => tests('--config', 'vitest.long.config.ts', ...files)

/** Test files that leave cases to this command: they import `variants.ts` or `long-test.ts`. Pages have a part of their own. */
export const variantFiles = (): readonly string[] =>
  globSync('{conformance,crash,packages,scripts,simulation}/**/*.test.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', '**/.types', '**/*.long.test.ts'],
  })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /(variants|long-test)\.ts'|BRIDLE_VARIANTS/.test(readFileSync(join(root, file), 'utf8')))
    .sort()

export const parts: readonly LongTestPart[] = [
  {
    name: 'simulation',
    // The same seeds each time, so that a change is judged by what it did. `npm run simulate` draws fresh ones.
    proves: 'eight hundred seeds keep every promise, and five hundred of native agents',
    minutes: 3,
    command: [
      ...['node', '--conditions=bridle-source', 'simulation/main.ts', '--runs', '820', '--from', '21', '--stop'],
      ...['--beside-native', '520'],
    ],
  },
  {
    name: 'crash',
    proves:
      'no fault breaks a promise: kill -9, SIGSTOP, SIGTERM, a full disk, failed syncs, cut connections; with scripted, durable and model agents and Claude Code, sub-agents, uploads, lists and shells',
    minutes: 9,
    command: ['node', '--conditions=bridle-source', 'crash/main.ts', '3', '--no-page'],
  },
  {
    name: 'fuzz',
    proves: '10,000 inputs at each surface, made from its schemas',
    minutes: 2,
    // The very files of `npm test`, with more inputs.
    command: tests('fuzz/', '--testTimeout=300000'),
    env: { BRIDLE_FUZZ_INPUTS: '10000' },
  },
  {
    name: 'matrix',
    proves:
      'what others check and run: the packed package with other versions of Node and TypeScript, /openapi.json with a linter, MCP servers of others, a realtime client of others, every page of the cockpit with axe; a tool of the operator behind Claude Code, approved in a browser; the site of the documentation; a project from the tarball, and its image without Docker; Bridle in an app with Express; failed files that are run once more',
    minutes: 7,
    // The files run beside each other.
    command: longTests(
      ...['scripts/matrix.long.test.ts', 'scripts/openapi.long.test.ts', 'scripts/express-example.long.test.ts'],
      ...['scripts/site.long.test.ts', 'reference-servers.long.test.ts'],
      ...[
        'claude/claude-sandbox.long.test.ts',
        'engines/questions.long.test.ts',
        'axe.long.test.ts',
        'own-tools.long.test.ts',
        'independent-client.long.test.ts',
        'scripts/run-tests.long.test.ts',
      ],
    ),
  },
  {
    name: 'canary',
    proves: 'secrets stay where they belong, also with a real engine at work',
    minutes: 1,
    command: longTests('canary.long.test.ts'),
  },
  {
    name: 'variants',
    proves:
      'the cases that `npm test` leaves out: a shared runner mixes nothing in any setup of tokens; more random cuts, kills, flipped bits and orders of commands; every write of an object, and every ending of an engine; the tutorials with a browser, nginx and Claude Code',
    minutes: 14,
    // The very files of `npm test`, which plays one setup of each, and fewer rounds.
    command: tests(...variantFiles()),
    env: { BRIDLE_VARIANTS: 'all' },
  },
  {
    name: 'cockpit',
    proves:
      'the cockpit and the chat page in a browser beyond one test of each feature: phones, long contents, tokens that may only watch',
    minutes: 7,
    // The very files of `npm test`, which leaves out each `longTest`.
    command: tests('--project', 'pages'),
    env: { BRIDLE_VARIANTS: 'all' },
  },
]

interface PartResult {
  readonly name: string
  readonly verdict: string
  readonly seconds: number
}

export const run = ({ name, command, env, minutes }: LongTestPart, leftMs: number): Promise<PartResult> =>
  new Promise((resolve) => {
    const started = Date.now()
    const limitMs = Math.min(minutes * 60_000, leftMs)
    const [program = '', ...args] = command
    // A group of its own, so that what it started goes with it.
    const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...process.env, ...env } })
    let isCut = false
    const stop = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // The process has ended in the meantime.
      }
    }
    const deadline = setTimeout(() => {
      isCut = true
      stop()
    }, limitMs)
    process.once('exit', stop)
    const end = (verdict: string) => {
      clearTimeout(deadline)
      process.off('exit', stop)
      resolve({ name, verdict, seconds: (Date.now() - started) / 1_000 })
    }
    child.once('error', (error) => end(`did not start: ${error.message}`))
    child.once('exit', (code, signal) => {
      if (isCut) end(`cut off after ${Math.round(limitMs / 1_000)} seconds`)
      else end(code === 0 ? 'passed' : `failed (${code ?? signal})`)
    })
  })

const main = async (): Promise<void> => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const unknown = positionals.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}. Parts: ${parts.map(({ name }) => name).join(', ')}.`)
    process.exitCode = 1
    return
  }
  const chosen = positionals.length === 0 ? parts : parts.filter(({ name }) => positionals.includes(name))
  const until = Date.now() + TOTAL_MINUTES * 60_000
  const outcomes: PartResult[] = []
  for (const part of chosen) {
    console.log(`\n== ${part.name}: ${part.proves}\n`)
    outcomes.push(await run(part, until - Date.now()))
  }
  console.log('\nLong tests:')
  for (const { name, verdict, seconds } of outcomes)
    console.log(`  ${name.padEnd(12)} ${seconds.toFixed(0).padStart(5)} s  ${verdict}`)
  process.exitCode = outcomes.every(({ verdict }) => verdict === 'passed') ? 0 : 1
}

// Ctrl+C reaches this process alone, since each part has a group of its own.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
if (import.meta.main) await main()
