import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from './faults.ts'
import type { RowResult } from './matrix.ts'
import { matrixPage } from './page.ts'
import { PromiseTally } from './promises.ts'

test('[O39] the page shows what held, what broke and what could not be played', () => {
  const tally = new PromiseTally()
  tally.checkEqual('3', [1, 2], [1, 2], 'a stream')
  tally.checkEqual('3', [1, 3], [1, 2], 'another stream')
  tally.check('8', true, () => 'never said')
  expect(tally.broken).toEqual([{ promise: '3', text: 'another stream: [1,3] instead of [1,2]' }])
  const [held, broke, unplayed] = faults
  const rows: RowResult[] = [
    { fault: held!, rounds: 3, looks: { 1: 12, 3: 4 }, broken: [], harnessErrors: [], note: 'On a small disk.' },
    {
      fault: broke!,
      rounds: 3,
      looks: { 3: 2, 8: 1 },
      broken: tally.broken,
      harnessErrors: ['too slow'],
      folder: '/kept',
    },
    { fault: unplayed!, rounds: 0, skipped: 'no compiler', looks: {}, broken: [], harnessErrors: [] },
  ]
  const lines = matrixPage(rows).split('\n')
  expect(lines).toContain(`| ${held!.name} | 3 | 0 of 12 | – | 0 of 4 | – | – | – | – | – | – | – | – | – | none |`)
  expect(lines).toContain(
    `| ${broke!.name} | 3 | – | – | 1 of 2 | – | – | – | – | 0 of 1 | – | – | – | – | **1**, the harness gave up 1 times |`,
  )
  expect(lines).toContain(`| ${unplayed!.name} | skipped: no compiler |  |  |  |  |  |  |  |  |  |  |  |  |  |`)
  expect(lines).toContain(`| ${held!.name} | ${held!.what} On a small disk. |`)
  // Nothing of the machine that wrote it.
  expect(matrixPage(rows)).not.toMatch(/\/kept|\/tmp|20\d\d-/)
})

test('[O39] the published page has the rows that run, and no other', () => {
  const page = readFileSync(fileURLToPath(new URL('../docs/crash-matrix.md', import.meta.url)), 'utf8')
  const rowsBelow = (heading: string) => {
    const [, table = ''] = page.split(`\n${heading}`)
    const lines = table.split('\n\n')[0]?.split('\n').slice(2) ?? []
    return lines.map((line) => line.split(' | ')[0]?.slice(2))
  }
  const names = faults.map(({ name }) => name)
  expect([rowsBelow('| fault | rounds |'), rowsBelow('| fault | what happens |')]).toEqual([names, names])
  expect(new Set(names).size).toBe(names.length)
  for (const { what } of faults) expect(page).toContain(what)
})
