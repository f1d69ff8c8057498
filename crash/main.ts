// npm run crash                         every fault, twenty rounds each, and the table in docs/crash-matrix.md
// npm run crash -- 100                  that many rounds
// npm run crash -- 5 --only fsync       the rows whose name contains that; no table is written
//                    --seed 7           the moments of an earlier run, as far as the machine repeats them
//                    --no-page          the table is printed only
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { playRow, type RowResult } from './matrix.ts'
import { matrixPage } from './page.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    'no-page': { type: 'boolean', default: false },
  },
})
const rounds = Number(positionals[0] ?? 20)
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`"${positionals[0]}" is not a number of rounds.`)
const chosen = faults.filter(({ name }) => values.only === undefined || name.includes(values.only))
if (chosen.length === 0)
  throw new Error(`No row is called ${values.only}. Rows: ${faults.map(({ name }) => name).join(', ')}.`)

// An interrupted run ends its servers and unmounts its disks.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

console.log(`${chosen.length} faults, ${rounds} rounds each, seed ${values.seed}`)
const results: RowResult[] = []
for (const fault of chosen) {
  const began = Date.now()
  const result = await playRow(fault, rounds, Number(values.seed))
  results.push(result)
  const seconds = ((Date.now() - began) / 1_000).toFixed(0)
  const verdict = result.skipped === undefined ? `${result.broken.length} broken` : `skipped: ${result.skipped}`
  console.log(`${fault.name}: ${result.rounds} rounds, ${seconds} s, ${verdict}`)
  for (const { promise, text } of result.broken.slice(0, 10)) console.log(`  promise ${promise}: ${text}`)
  for (const text of result.harnessErrors.slice(0, 10)) console.log(`  the harness gave up: ${text}`)
  if (result.broken.length > 10) console.log(`  and ${result.broken.length - 10} more`)
  if (result.folder !== undefined) console.log(`  the folder is kept: ${result.folder}`)
}
if (values.only === undefined && !values['no-page'])
  writeFileSync(fileURLToPath(new URL('../docs/crash-matrix.md', import.meta.url)), matrixPage(results))
// 2: the harness could not find out whether the promises hold.
process.exitCode = results.some(({ broken }) => broken.length > 0)
  ? 1
  : results.some(({ harnessErrors }) => harnessErrors.length > 0)
    ? 2
    : 0
