// npm run simulate -- 17 18                   these seeds, with the trace of a failure
// npm run simulate -- --runs 1000             that many fresh ones
// npm run simulate -- --runs 1000 --from 1    the ones from there on
// npm run simulate -- --minutes 4             fresh ones for that long
//                     --stop                  up to the first failure
//                     --native                sessions of native agents, whose runs are durable
//                     --beside-native 500     also that many of these, from the same seed on, in a process beside this one
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { formatResult, type SimulationResult, simulate } from './run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '200' },
    from: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string' },
    stop: { type: 'boolean', default: false },
    native: { type: 'boolean', default: false },
    'beside-native': { type: 'string' },
  },
})
const given = positionals.map(Number)
const until = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000
function* drawn(): Generator<number> {
  const runs = values.minutes === undefined ? Number(values.runs) : Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && Date.now() < until; run++) yield Number(values.from) + run
}

const firstLine = ({ seed, violations }: SimulationResult): string =>
  `seed ${seed}: promise ${violations[0]?.promise}: ${violations[0]?.text.split('\n', 1)[0]}`

const besideNative = (count: string): Promise<unknown[]> => {
  const args = ['--native', '--runs', count, '--from', String(values.from), ...(values.stop ? ['--stop'] : [])]
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...args], { stdio: 'inherit' })
  return once(child, 'exit')
}
const beside = values['beside-native'] === undefined ? [0] : besideNative(values['beside-native'])

let runs = 0
let events = 0
let failures = 0
for (const seed of given.length > 0 ? given : drawn()) {
  const result = await simulate(seed, { native: values.native })
  runs += 1
  events += result.events
  if (given.length > 0) console.log(`seed ${seed}: ${result.events} events, log ${result.hash}`)
  if (result.violations.length === 0) continue
  failures += 1
  console.log(given.length > 0 ? formatResult(result, 400) : firstLine(result))
  if (values.stop) break
}
console.log(`${runs} runs, ${events} events, ${failures} failed`)
const [code] = await beside
process.exitCode = failures === 0 && code === 0 ? 0 : 1
