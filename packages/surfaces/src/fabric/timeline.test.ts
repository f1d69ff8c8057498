import type { EventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { extendTimeline, type TimelineDraft } from './timeline.ts'

const key = { tenant: 't', agent: 'a', id: 's1' }
const timestamp = '1970-01-01T00:00:00.000Z'
const timelineOf = (...events: [type: EventType, payload: object, run?: string][]): TimelineDraft => {
  const timeline: TimelineDraft = { entries: [], events: [], approvals: [] }
  const log = events.map(([type, payload, run = 'r-1'], at) => ({ seq: at + 1, at: 0, type, run, payload }))
  extendTimeline(timeline, key, log as unknown as AnyEvent[])
  return timeline
}
const call = { name: 'bash', arguments: { command: 'ls', _tool_call_id: 'c1' }, tool_call_id: 'c1' }
const outcome = { tool_call_id: 'c1', tool_name: 'bash', outcome_type: 'ToolExecutionResult', status: 'ok' }
const entry = {
  ...{ id: 'ev-1', timestamp, type: 'tool_call', runId: 'r-1', toolCallId: 'c1', toolName: 'bash' },
  args: { command: 'ls' },
}

test.each<[name: string, events: Parameters<typeof timelineOf>, completed: object]>([
  ['that runs', [['tool_call', call]], { status: 'running' }],
  [
    'with a result',
    [
      ['tool_call', call],
      ['tool_outcome', { ...outcome, result: { files: 2 } }],
    ],
    { status: 'ok', result: { files: 2 }, outcome: { status: 'ok' } },
  ],
  [
    'without a result',
    [
      ['tool_call', call],
      ['tool_outcome', { ...outcome, outcome_type: 'ToolDenied', status: 'denied', reason: 'no' }],
    ],
    { status: 'denied', outcome: { status: 'denied', reason: 'no' } },
  ],
  [
    'beside a call of another run with its id',
    [
      ['tool_call', call],
      ['tool_outcome', { ...outcome, result: 1 }, 'r-2'],
    ],
    { status: 'running' },
  ],
])('a tool call %s', (_name, events, completed) => {
  expect(timelineOf(...events).entries).toStrictEqual([{ ...entry, ...completed }])
})
