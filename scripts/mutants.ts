// npm run mutants                        runs the tests against each mutant of scripts/mutants.jsonl
// npm run mutants -- --in ../other       mutates another checkout, and runs the tests of that checkout
// npm run mutants -- --only decide       runs only places whose package or symbol contains this text
// npm run mutants -- --results file      stores the verdicts in a file, and resumes from them
// npm run mutants -- --last related      skips the stages after this one: beside, beside-programs, related, related-programs
// npm run mutants -- --draw ../other     draws a new list of places that exist in this checkout and in the other one
//
// A mutant is one small bug in one source file. Run the list before and after a change to the tests: the same mutants must be killed.
// For each mutant, first the tests beside its file run, then all tests that import it. Tests that start programs follow quick tests.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { drawPlaces, findMutant, type Mutant, type MutationPlace, mutantsOf, mutate } from './mutation-places.ts'
import { root, sourcesIn } from './source-files.ts'

const PACKAGES = ['kernel', 'surfaces', 'agents', 'runners', 'stores']
const PLACES_PER_PACKAGE = 12
const SEED = 20_261_118
const LIST = join(root, 'scripts/mutants.jsonl')

interface Verdict {
  readonly place: string
  /** The test that fails; null if the mutant survives. */
  readonly killer: string | null
  /** The last stage that has run; null if the place no longer exists. */
  readonly stage: string | null
  readonly seconds: number
}

/** Tests that may kill a mutant, nearest first: most mutants die in seconds. */
interface Stage {
  readonly name: string
  /** Several times what these tests take on two busy cores. */
  readonly seconds: number
  readonly args: (file: string) => readonly string[]
}

const QUICK = ['--project', 'fast', '--project', 'slow']
const PROGRAMS = ['--project', 'processes']
const stages: readonly Stage[] = [
  { name: 'beside', seconds: 240, args: (file) => ['run', ...QUICK, `${dirname(file)}/`] },
  { name: 'beside-programs', seconds: 240, args: (file) => ['run', ...PROGRAMS, `${dirname(file)}/`] },
  { name: 'related', seconds: 1_800, args: (file) => ['related', '--run', ...QUICK, file] },
  { name: 'related-programs', seconds: 240, args: (file) => ['related', '--run', ...PROGRAMS, file] },
]
const LAST = 'related-programs'

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      in: { type: 'string', default: root },
      only: { type: 'string', default: '' },
      results: { type: 'string' },
      last: { type: 'string', default: LAST },
      draw: { type: 'string' },
    },
  })
  if (values.draw !== undefined) return draw(resolve(values.draw))
  if (!stages.some(({ name }) => name === values.last)) throw new Error(`There are no tests ${values.last}.`)
  const checkout = resolve(values.in)
  const places = readPlaces().filter((place) => nameOf(place).includes(values.only))
  const mutants = packagesIn(checkout).flatMap((name) => mutantsIn(checkout, name))
  const verdicts = new Map(readVerdicts(values.results).map((verdict) => [verdict.place, verdict]))
  for (const place of places) {
    const mutant = findMutant(place, mutants)
    const verdict = await judge(verdicts.get(nameOf(place)) ?? untested(place), mutant, checkout, values.last)
    verdicts.set(verdict.place, verdict)
    console.log(inWords(verdict, mutant))
    if (values.results) writeFileSync(values.results, `${JSON.stringify([...verdicts.values()], null, 2)}\n`)
  }
  const killed = places.filter((place) => verdicts.get(nameOf(place))?.killer != null).length
  console.log(`\n${killed} of ${places.length} mutants are killed.`)
}

const untested = (place: MutationPlace): Verdict => ({ place: nameOf(place), killer: null, stage: null, seconds: 0 })

/** Runs the tests of a checkout against one mutant, after the last stage of the earlier verdict. Always restores the file. */
const judge = async (
  earlier: Verdict,
  mutant: Mutant | undefined,
  checkout: string,
  last: string,
): Promise<Verdict> => {
  if (!mutant || earlier.killer !== null) return earlier
  const started = Date.now()
  const from = stages.findIndex(({ name }) => name === earlier.stage) + 1
  const to = stages.findIndex(({ name }) => name === last) + 1
  const path = join(checkout, mutant.file)
  const original = readFileSync(path, 'utf8')
  const restore = () => writeFileSync(path, original)
  // Ctrl+C ends this process through `exit`.
  process.once('exit', restore)
  writeFileSync(path, mutate(original, mutant))
  let verdict = earlier
  try {
    for (const stage of stages.slice(from, to)) {
      const killer = await failure(stage, mutant.file, checkout)
      const seconds = earlier.seconds + Math.round((Date.now() - started) / 1_000)
      verdict = { place: earlier.place, killer, stage: stage.name, seconds }
      if (killer !== null) break
    }
  } finally {
    restore()
    process.off('exit', restore)
  }
  return verdict
}

/** Flaky test files that one stage may ignore: more of them are a problem of the machine. */
const FLAKY_FILES_MAX = 4

/**
 * The first test that fails, and fails again when it runs alone: a busy machine fails tests, too. A timeout of the quick tests counts as a
 * failure, because the mutant loops. The related tests that start programs may just be many.
 */
const failure = async (stage: Stage, file: string, checkout: string): Promise<string | null> => {
  const flaky: string[] = []
  for (;;) {
    // Flaky tests must not end a run before the others.
    const bail = flaky.length === 0 ? 1 : 0
    const end = await vitest([...stage.args(file), `--bail=${bail}`], checkout, stage.seconds, flaky)
    if (end === 'passed') return null
    if (end === 'timeout') return stage.name === LAST ? null : `a timeout of the tests ${stage.name}`
    if (end.file === null || flaky.length === FLAKY_FILES_MAX) return end.name
    const again = await vitest(['run', end.file], checkout, stage.seconds)
    if (again !== 'passed') return end.name
    flaky.push(end.file)
  }
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

interface FailedTest {
  /** Null for an error that belongs to no test. */
  readonly file: string | null
  readonly name: string
}

const failedTest = ({ testResults }: VitestReport, checkout: string, ignored: readonly string[]): FailedTest | null => {
  const failures = testResults.filter(({ status }) => status === 'failed')
  if (failures.length === 0) return { file: null, name: 'an error outside of all tests' }
  const failed = failures.find(({ name }) => !ignored.includes(relative(checkout, name)))
  if (!failed) return null
  const file = relative(checkout, failed.name)
  const test = failed.assertionResults.find(({ status }) => status === 'failed')
  return { file, name: test ? `${file} > ${test.fullName}` : file }
}

const vitest = async (
  args: readonly string[],
  checkout: string,
  seconds: number,
  ignored: readonly string[] = [],
): Promise<'passed' | 'timeout' | FailedTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-mutant-'))
  const report = join(folder, 'report.json')
  try {
    const options = ['--passWithNoTests', '--reporter=json', `--outputFile=${report}`]
    const end = await run(['vitest', ...args, ...options], checkout, seconds)
    if (end !== 'failed') return end
    if (!existsSync(report)) return { file: null, name: 'an error at the start' }
    return failedTest(JSON.parse(readFileSync(report, 'utf8')), checkout, ignored) ?? 'passed'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const run = (args: readonly string[], cwd: string, seconds: number): Promise<'passed' | 'failed' | 'timeout'> =>
  new Promise((resolve, reject) => {
    // A process group, because a worker with an endless loop outlives its parent.
    const child = spawn('npx', args, { cwd, detached: true, stdio: 'ignore' })
    let isLate = false
    const stop = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // The group has ended in the meantime.
      }
    }
    const deadline = setTimeout(() => {
      isLate = true
      stop()
    }, seconds * 1_000)
    process.once('exit', stop)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(deadline)
      process.off('exit', stop)
      resolve(isLate ? 'timeout' : code === 0 ? 'passed' : 'failed')
    })
  })

const draw = (other: string): void => {
  const places = PACKAGES.flatMap((name) =>
    drawPlaces(mutantsIn(root, name), mutantsIn(other, name), PLACES_PER_PACKAGE, SEED),
  )
  writeFileSync(LIST, places.map((place) => `${JSON.stringify(place)}\n`).join(''))
  console.log(`${places.length} places are in ${relative(process.cwd(), LIST)}.`)
}

const mutantsIn = (checkout: string, name: string): readonly Mutant[] => {
  const folder = hasPackages(checkout) ? `packages/${name}/src` : `${LAYERS}/${name}`
  const sources = sourcesIn(relative(root, join(checkout, folder)))
  return mutantsOf(name, new Map([...sources].map(([file, text]) => [`${folder}/${file}`, text])))
}

/** Before decision 0038, the packages were folders of one package. */
const LAYERS = 'packages/bridle/src'
const hasPackages = (checkout: string): boolean => existsSync(join(checkout, 'packages/kernel'))

const packagesIn = (checkout: string): readonly string[] =>
  readdirSync(join(checkout, hasPackages(checkout) ? 'packages' : LAYERS))

const nameOf = ({ package: name, symbol, kind, ordinal }: MutationPlace): string =>
  `${name} ${symbol} ${kind} ${ordinal}`

const readPlaces = (): MutationPlace[] =>
  readFileSync(LIST, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const readVerdicts = (file: string | undefined): Verdict[] =>
  file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []

const inWords = ({ place, killer, stage, seconds }: Verdict, mutant: Mutant | undefined): string => {
  if (!mutant) return `        ${place}: NO SUCH PLACE`
  const verdict = killer === null ? `SURVIVES (${stage})` : `killed by ${killer}`
  return `${String(seconds).padStart(4)} s  ${place}: ${verdict}\n        ${mutant.file}:${mutant.line}  ${mutant.text}`
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
await main()
