import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHECK_PARTS, type CheckResult, check } from './check.ts'

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

test('its parts are npm scripts, and both `check` and `test` begin with it', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(CHECK_PARTS.filter(({ name }) => !scripts[name])).toEqual([])
  expect([scripts.check, scripts.test]).toEqual([
    'node scripts/check.ts && npm run boundaries',
    // The tests include the boundaries.
    'node scripts/check.ts && node scripts/run-tests.ts',
  ])
})
