// The past of a session in a page: how fast a log is folded, and how fast any of its moments is found.

import type { JsonObject } from '@bridle/events/json'
import { History } from '@bridle/history/history'
import type { LogEntry } from '@bridle/wire/log-entry'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'

const EVENTS = 100_000
const SEEKS = 200
/** Entries that a page gets at a time, as many as the log route sends. */
const PAGE = 2_000

export const history = async (): Promise<BenchFigure[]> => {
  const logs = { turns: logOf(60), tools: logOf(EVENTS) }
  return [...(await seeking('P1', 'turns of 60 events', logs.turns)), ...(await seeking('P2', 'one turn', logs.tools))]
}

const seeking = async (id: string, shape: string, log: readonly LogEntry[]): Promise<BenchFigure[]> => {
  const rates: number[] = []
  const slowest: number[] = []
  const middles: number[] = []
  const middle = JSON.stringify(whole(log.slice(0, EVENTS / 2)).at(EVENTS / 2))
  const seek: BenchVariant = {
    run: async () => {
      const history = fill(log, rates)
      const random = randomNumbers(rates.length)
      const times = Array.from({ length: SEEKS }, () => {
        const seq = 1 + Math.floor(random() * (EVENTS - 1))
        const started = performance.now()
        history.at(seq)
        return performance.now() - started
      }).toSorted((a, b) => a - b)
      middles.push(times[SEEKS / 2] as number)
      slowest.push(times[Math.floor(SEEKS * 0.99)] as number)
      return { value: slowest.at(-1) as number, verified: JSON.stringify(history.at(EVENTS / 2)) === middle }
    },
  }
  const start: BenchVariant = {
    run: async () => {
      const part = log.slice(0, EVENTS / 2)
      const started = performance.now()
      whole(part)
      return { value: performance.now() - started, verified: true }
    },
  }
  const rounds = await interleave({ 'seek, p99 ms': seek, 'fold from the start, ms': start })
  const what = `ms to any of ${EVENTS} events (${shape}): p99 of a seek / a fold from the start to the middle`
  const result = figure(rounds, ['seek, p99 ms', 'fold from the start, ms'], {
    id,
    what,
    target: 0.05,
    better: 'lower',
  })
  const heap = heapOf(log)
  return [
    {
      ...result,
      detail: {
        ...result.detail,
        'fold, events/s': Math.round(middleOf(rates)),
        'seek, p50 ms': Number(middleOf(middles).toFixed(2)),
        'seek, p99 ms': Number(middleOf(slowest).toFixed(2)),
        ...(heap !== null && { 'kept states, MB': heap }),
      },
    },
  ]
}

const fill = (log: readonly LogEntry[], rates: number[]): History => {
  const started = performance.now()
  const history = whole(log)
  rates.push((log.length / (performance.now() - started)) * 1_000)
  return history
}

const whole = (log: readonly LogEntry[]): History => {
  const history = new History({ id: 'long', agent: 'bench' })
  for (let from = 0; from < log.length; from += PAGE) history.append(log.slice(from, from + PAGE))
  return history
}

/** The memory of a history beside its entries; null where the collector cannot be called (`node --expose-gc`). */
const heapOf = (log: readonly LogEntry[]): number | null => {
  const collect = globalThis.gc
  if (!collect) return null
  collect()
  const before = process.memoryUsage().heapUsed
  const history = whole(log)
  collect()
  const after = process.memoryUsage().heapUsed
  return history.head === log.length ? Math.round((after - before) / 1e6) : null
}

/** Turns with text and calls of tools, each of so many events. */
const logOf = (eventsPerTurn: number): readonly LogEntry[] => {
  const entries: LogEntry[] = []
  const add = (type: string, payload: JsonObject, run?: string): void => {
    const seq = entries.length + 1
    entries.push({
      seq,
      at: 1_700_000_000_000 + seq * 20,
      type,
      payload,
      ...(run !== undefined && { run, attempt: 1 }),
    })
  }
  add('session_created', { kind: 'chat' })
  for (let turn = 1; entries.length < EVENTS; turn++) {
    const run = `r-${turn}`
    const end = entries.length + eventsPerTurn - 1
    add('prompt_queued', { run_id: run, message_id: `m-${turn}`, text: `prompt ${turn}` })
    add('run_requested', { run_id: run, attempt: 1 })
    add('turn_start', { turn_id: run, prompt: `prompt ${turn}` }, run)
    for (let call = 1; entries.length < Math.min(end, EVENTS); call++) {
      const tool_call_id = `${run}.${call}`
      for (let piece = 0; piece < 6; piece++) add('token', { text: `word ${piece} ` }, run)
      add('tool_call', { name: 'read', tool_call_id, arguments: { path: `src/${call}.ts` }, effect: 'pure' }, run)
      add('tool_result', { tool_call_id, result: `text of file ${call}` }, run)
      add('tool_outcome', { tool_call_id, tool_name: 'read', outcome_type: 'ToolExecutionResult', status: 'ok' }, run)
      add('usage', { input_tokens: 100, output_tokens: 10, cost_usd: 0.001 }, run)
    }
    add('turn_end', { turn_id: run, status: 'completed' }, run)
  }
  return entries.slice(0, EVENTS)
}

const middleOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

const randomNumbers = (seed: number): (() => number) => {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
