import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHECK_PARTS, type CheckPart, type CheckResult, check } from './check.ts'
import { checkAndTest } from './test.ts'

const node = (name: string, script: string) => ({ name, command: [process.execPath, '-e', script] })

test('every part runs to its end, and one that fails says why', async () => {
  const reported: CheckResult[] = []
  const results = await check(
    [
      node('bad', 'console.error("this is wrong"); process.exitCode = 3'),
      node('good', 'console.log("fine")'),
      { name: 'missing', command: ['/nonexistent/program'] },
    ],
    (result) => reported.push(result),
  )
  expect(results).toEqual([
    { name: 'bad', output: 'this is wrong\n', hasPassed: false },
    { name: 'good', output: 'fine\n', hasPassed: true },
    { name: 'missing', output: expect.stringContaining('ENOENT'), hasPassed: false },
  ])
  expect(reported.map(({ name }) => name).sort()).toEqual(['bad', 'good', 'missing'])
})

describe('checks and tests at once', () => {
  const good = node('good', 'console.log("fine")')
  const bad = node('bad', 'console.error("this is wrong"); process.exitCode = 3')
  test.each<[string, CheckPart, number, number, string[]]>([
    ['both pass', good, 0, 0, ['good: passed']],
    ['the tests fail', good, 4, 4, ['good: passed']],
    ['a check fails', bad, 0, 1, ['bad: failed. The output follows the tests.', 'bad: failed\nthis is wrong\n']],
    ['both fail', bad, 4, 4, ['bad: failed. The output follows the tests.', 'bad: failed\nthis is wrong\n']],
  ])('%s', async (_name, part, code, expected, output) => {
    const printed: string[] = []
    const tests = node('tests', `process.exitCode = ${code}`).command
    expect(await checkAndTest([part], tests, (text) => printed.push(text))).toBe(expected)
    expect(printed).toEqual(output)
  })
})

test('its parts are npm scripts, and `check` begins with it', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(CHECK_PARTS.filter(({ name }) => !scripts[name])).toEqual([])
  // The tests include the boundaries.
  expect([scripts.check, scripts.test]).toEqual(['node scripts/check.ts && npm run boundaries', 'node scripts/test.ts'])
})
