// A function with thousands of calls and events begins again after each wait: looking one of them up must not read all of them.
import { expect, test } from 'vitest'
import { CallLookup } from '../steps/call-lookup.ts'
import { EventReplay } from '../steps/event-replay.ts'
import { type CallRecord, RunMemo } from '../steps/memo.ts'

const COUNT = 2_000

test('[N52] events that are reported again in their order are each compared once, also behind those of settled calls', () => {
  let reads = 0
  const replay = new EventReplay()
  const add = (seq: number, n: number, isInCall: boolean) =>
    replay.add('usage', {
      seq,
      isInCall,
      payload: {
        get n() {
          reads += 1
          return n
        },
      },
    })
  for (let n = 0; n < COUNT; n++) {
    add(2 * n + 1, n % 3, true)
    add(2 * n + 2, n, false)
  }
  for (let n = 0; n < COUNT; n++) expect(replay.take('usage', { n })).not.toBeNull()
  expect(replay.take('usage', { n: 1 }, Number.POSITIVE_INFINITY)).toBeNull()
  expect(reads).toBeLessThanOrEqual(3 * COUNT)
})

test('[N50] equal calls that are made again in their order are each looked at once', () => {
  let looks = 0
  const memo = new RunMemo('r-1')
  const mark = { seq: 0, text: 0, thoughts: 0 }
  for (let n = 1; n <= COUNT; n++) {
    const id = n === 1 ? 'poll' : `poll#${n}`
    const record: CallRecord = {
      ...{ id, tool: 'poll', arguments: {}, effect: 'pure', stepId: id, isVoid: false, from: mark, to: mark },
      get outcome() {
        looks += 1
        return { tool_call_id: id, tool_name: 'poll', outcome_type: 'ToolExecutionResult', status: 'ok' } as const
      },
    }
    memo.calls.set(id, record)
  }
  const lookup = new CallLookup(memo)
  for (let n = 1; n <= COUNT; n++)
    expect(lookup.take('poll', 'poll', {}, 'pure').call.id).toBe(n === 1 ? 'poll' : `poll#${n}`)
  expect(lookup.take('poll', 'poll', {}, 'pure').isNew).toBe(true)
  expect(looks).toBeLessThanOrEqual(5 * COUNT)
})
