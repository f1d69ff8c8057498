// The programs that some tests need beyond `npm ci`, and the only way in which a test skips for one of them.
//
// `npm test` skips by name and says why. With BRIDLE_TESTS=all a missing program is a failure: a machine that promises to
// run everything must not pass by running less.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchPinned } from './pinned-tools.ts'

/** Null: it works. Else the reason why not, in one line. */
type ProgramProbe = () => string | null

/** A probe really starts the program: an installed one that does not start is as good as none. */
const probes = {
  bubblewrap: () => starts('bwrap', [...namespaces, '--ro-bind', '/', '/', 'true']),
  chromium: () => (findChromium() === null ? 'it is not on PATH; CHROMIUM may name one' : null),
  'espeak-ng': () => starts('espeak-ng', ['--version']),
  nginx: () => starts('nginx', ['-v']),
  tmux: () => starts('tmux', ['-V']),
  /** Only the one of util-linux takes the options that the tests use. */
  script: () =>
    spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
      ? null
      : 'it is not installed, or it is not the one of util-linux',
  /** Claude Code and Codex, as apps/sandbox pins them. */
  engines: () => pinnedTool('apps/sandbox', 'engines'),
  /** wrangler and workerd, as apps/worker pins them. */
  wrangler: () => pinnedTool('apps/worker', 'cloudflare-tools'),
} satisfies Record<string, ProgramProbe>

export type Program = keyof typeof probes

export const PROGRAMS = Object.keys(probes) as Program[]

/** For `skipIf`: the reason to skip, or null. With BRIDLE_TESTS=all the file that asks gets a test that fails with it. */
export const needs = (program: Program): string | null => {
  if (!found.has(program)) {
    const missing = probes[program]()
    const reason = missing === null ? null : `${program} is needed: ${missing}`
    found.set(program, reason)
    if (reason !== null) report(program, reason)
  }
  return found.get(program) ?? null
}

/** A browser that is installed already; none is downloaded. */
export const findChromium = (): string | null => {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const files = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [process.env.CHROMIUM ?? '', ...files].find(isProgram) ?? null
}

/** Measurements share some suites with tests, and run without Vitest. */
const vitest = process.env.VITEST ? await import('vitest') : null
/** Per test file, since each has modules of its own. */
const found = new Map<Program, string | null>()
const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-net']
const PROBE_MS = 20_000

const report = (program: Program, reason: string): void => {
  if (process.env.BRIDLE_TESTS !== 'all') console.warn(`Skipped, ${reason}`)
  else
    vitest?.test(`BRIDLE_TESTS=all: ${program} is there`, () => {
      throw new Error(reason)
    })
}

const starts = (program: string, args: readonly string[]): string | null => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: PROBE_MS })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return `${program} is not installed`
  if (error) return `${program} does not start: ${error.message}`
  return status === 0 ? null : `${program} does not work here: ${stderr.trim().split('\n').at(-1)?.slice(0, 200)}`
}

const pinnedTool = (app: string, name: string): string | null => {
  const tool = fetchPinned(app, name)
  return 'missing' in tool ? tool.missing : null
}

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return file !== ''
  } catch {
    return false
  }
}
