// A build machine runs the files of failed tests once more, and a desk does not.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('a run of tests', () => {
  /** `first.test.ts` fails in the first process that runs it; `always.test.ts` always does. */
  const play = (env: NodeJS.ProcessEnv, ...files: string[]) => {
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
    const folder = mkdtempSync(join(root, 'node_modules/.cache/run-tests-'))
    folders.push(folder)
    const mark = JSON.stringify(join(folder, 'tried'))
    const head =
      "import { existsSync, writeFileSync } from 'node:fs'\nimport { beforeAll, expect, test } from 'vitest'\n"
    writeFileSync(
      join(folder, 'first.test.ts'),
      `${head}beforeAll(() => { const isTried = existsSync(${mark}); writeFileSync(${mark}, ''); expect(isTried).toBe(true) })\ntest('first', () => {})\n`,
    )
    writeFileSync(join(folder, 'always.test.ts'), `${head}test('always', () => expect(1).toBe(2))\n`)
    writeFileSync(join(folder, 'good.test.ts'), `${head}test('good', () => expect(1).toBe(1))\n`)
    writeFileSync(
      join(folder, 'stray.test.ts'),
      `${head}test('stray', () => new Promise((resolve) => { setImmediate(() => { setImmediate(resolve); throw new Error('stray') }) }))\n`,
    )
    writeFileSync(join(folder, 'tests.config.ts'), `export default { test: { root: ${JSON.stringify(folder)} } }\n`)
    const args = ['scripts/run-tests.ts', '--config', join(folder, 'tests.config.ts'), ...files]
    const { status, stdout } = spawnSync('node', args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } })
    return { status, runs: stdout.split('Test Files').length - 1, isTold: stdout.includes('run once more') }
  }

  test.each<[string, NodeJS.ProcessEnv, string[], { status: number; runs: number; isTold: boolean }]>([
    ['a build machine repeats a failed file', { CI: 'true' }, ['first', 'good'], { status: 0, runs: 2, isTold: true }],
    ['a file that fails twice has failed', { CI: 'true' }, ['always', 'good'], { status: 1, runs: 2, isTold: true }],
    // A second run of other files would not meet it.
    ['an error outside of a test is kept', { CI: 'true' }, ['first', 'stray'], { status: 1, runs: 1, isTold: false }],
    ['nothing is repeated where all is well', { CI: 'true' }, ['good'], { status: 0, runs: 1, isTold: false }],
    ['a desk repeats nothing', { CI: '' }, ['first', 'good'], { status: 1, runs: 1, isTold: false }],
  ])('%s', (_name, env, files, expected) => {
    expect(play(env, ...files)).toEqual(expected)
  })
})
