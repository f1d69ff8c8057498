// node scripts/run-tests.ts [arguments of `vitest run`]
//
// Tests of real programs and pages meet a machine that is busy with others, and a build is not lost for one of ten thousand. So on a
// build machine (CI=true) the files that failed are run once more, behind all others and from their beginning: a test that is merely
// repeated finds what its first try has left in its world. The log names these files; mend them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FailureReport, REPORT_FILE } from './failed-files-reporter.ts'

/** More failed files than this are no accident. */
const REPEATED_FILES_MAX = 4

/** The files to run once more; none where that would hide something: a second run does not meet the errors that belong to no test. */
export const filesToRepeat = ({ files, strayErrors }: FailureReport): readonly string[] =>
  strayErrors > 0 || files.length > REPEATED_FILES_MAX ? [] : files

/** The arguments without those that choose files: the failed ones are named instead. */
export const withoutFiles = (args: readonly string[]): readonly string[] =>
  args.filter((arg, at) => arg.startsWith('-') || OPTIONS_WITH_VALUE.has(args[at - 1] ?? ''))

const OPTIONS_WITH_VALUE = new Set(['--config', '--project', '-t'])

const vitest = (args: readonly string[], env: NodeJS.ProcessEnv = process.env): number =>
  spawnSync('vitest', ['run', ...args], { stdio: 'inherit', env }).status ?? 1

const REPORTER = fileURLToPath(new URL('failed-files-reporter.ts', import.meta.url))

const runAndRepeat = (args: readonly string[], folder: string): number => {
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`]
  const status = vitest([...args, ...reporters], { ...process.env, [REPORT_FILE]: file })
  if (status === 0 || !existsSync(file)) return status
  const files = filesToRepeat(JSON.parse(readFileSync(file, 'utf8'))).map((name) => relative(process.cwd(), name))
  if (files.length === 0) return status
  console.log(`\nFailed, and run once more from the beginning:\n${files.map((name) => `  ${name}`).join('\n')}\n`)
  return vitest([...withoutFiles(args), ...files])
}

const main = (args: readonly string[]): number => {
  if (process.env.CI !== 'true') return vitest(args)
  const folder = mkdtempSync(join(tmpdir(), 'bridle-tests-'))
  try {
    return runAndRepeat(args, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
