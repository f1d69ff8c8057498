// The start of the installed command: what a person waits for before anything else can happen.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, '.bench', 'cli')
/** Starts per round: the middle of them is the value of the round. */
const STARTS = 9
/** A person feels that something answers at once. */
const AT_ONCE_MS = 120

export const cli = async (): Promise<BenchFigure[]> => {
  const program = emitCommand()
  const rounds = await interleave({
    'node -e 0': starts(['-e', '0'], ''),
    '--version': starts([program, '--version'], /^\d+\.\d+\.\d+\n$/),
    '--help': starts([program, '--help'], /^bridle: one durable session/),
    'sessions --help': starts([program, 'sessions', '--help'], /^bridle sessions \[options\]: list sessions/),
    '120 ms': { run: async () => ({ value: AT_ONCE_MS, verified: true }) },
  })
  const words = ['--version', '--help', 'sessions --help'] as const
  return [
    ...words.map((word, at) =>
      figure(rounds, [word, 'node -e 0'], {
        id: `CL${at + 1}`,
        what: `processor time to start bridle ${word} / to start Node alone`,
        target: 3,
        better: 'lower',
      }),
    ),
    figure(rounds, ['sessions --help', '120 ms'], {
      id: 'CL4',
      what: 'processor time to start bridle sessions --help / 120 ms',
      target: 1,
      better: 'lower',
    }),
  ]
}

/** The package as JavaScript, as it is installed: Node need not remove types from it. */
const emitCommand = (): string => {
  mkdirSync(FOLDER, { recursive: true })
  copyFileSync(join(ROOT, 'packages/bridle/package.json'), join(FOLDER, 'package.json'))
  const project = join(ROOT, 'packages/bridle/tsconfig.build.json')
  const flags = ['-p', project, '--outDir', join(FOLDER, 'dist'), '--declaration', 'false', '--incremental', 'false']
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), flags, { stdio: 'inherit' })
  return join(FOLDER, 'dist/cli/bridle.js')
}

/** Tells the processor time of its process at the end: on a busy machine the time on a clock says little about a program. */
const METER = `data:text/javascript,${encodeURIComponent(`import { writeSync } from 'node:fs'
process.on('exit', () => writeSync(2, JSON.stringify(process.cpuUsage())))`)}`

const starts = (args: readonly string[], printed: string | RegExp): BenchVariant => ({
  run: async () => {
    let verified = true
    const times = Array.from({ length: STARTS }, () => {
      const start = spawnSync(process.execPath, ['--import', METER, ...args], { encoding: 'utf8' })
      const { user, system } = JSON.parse(start.stderr) as NodeJS.CpuUsage
      verified &&= start.status === 0
      verified &&= typeof printed === 'string' ? start.stdout === printed : printed.test(start.stdout)
      return (user + system) / 1000
    }).toSorted((a, b) => a - b)
    return { value: times[Math.floor(STARTS / 2)] as number, verified }
  },
})
