// Directives of agents on their way to a shell.
import { expect, test } from 'vitest'
import type { AnyEvent } from '../../kernel/event.ts'
import { agentEvent } from '../fabric/codec.ts'
import { streamEnvelope } from '../frontend/codec.ts'
import { type EngineReply, messageOf, script, testEngine } from './engine.suite.ts'

const chart = { action_type: 'render_ui', priority: 'high', payload: { component: 'DataChart', data: [] } }
const copy = {
  action_type: 'simulate_action',
  risk_tier: 'dangerous',
  requires_user_approval: true,
  payload: { macro: 'cmd+c', target: 'cell_B2' },
}
const own = { action_type: 'com.example.sop.start', execution: 'parallel', deadline_ms: 5, extensions: { 'com.e': 1 } }
const message = (text: string) => ({
  action_type: 'render_message',
  priority: 'normal',
  risk_tier: 'safe',
  payload: { text },
})
const ids = ['s1', 's2', 's3']
const directives = ({ body }: EngineReply) => body.response.action_directives ?? []
const say = (session_id: string, ...steps: readonly unknown[]) =>
  messageOf({ session_id, user_intent: script(...steps) }, { request_id: 'one' })

test('[OH40] the answer has the directives of its run in order, and its text where it began', async () => {
  const { send } = testEngine()
  const steps = [{ directive: chart }, { text: 'Here ' }, { directive: copy }, { text: 'it is.' }, { directive: own }]
  const replies = await Promise.all(ids.map((id) => send(say(id, ...steps))))
  for (const reply of replies) expect(directives(reply)).toEqual([chart, message('Here it is.'), copy, own])
  // A later turn has only its own, and a repeated request those that it had.
  const later = await send(messageOf({ session_id: 's1', user_intent: script({ directive: own }) }))
  expect(directives(later)).toEqual([own])
  expect(directives(await send(say('s1', ...steps)))).toEqual(directives(replies[0] as EngineReply))
})

test('[OH41] a question comes behind what was said before it, and its answer brings only what follows', async () => {
  const { send } = testEngine()
  const steps = [
    ...[{ text: 'Before.' }, { directive: chart }, { approve: 'one' }, { directive: copy }],
    ...[{ approve: 'two' }, { text: 'After.' }, { directive: own }],
  ]
  for (const id of ids) {
    const first = directives(await send(say(id, ...steps)))
    expect(first).toEqual([message('Before.'), chart, expect.objectContaining({ action_type: 'request_approval' })])
    const goOn = async (question: unknown, request_id: string) => {
      const { options } = (question as { payload: { options: { continuation_token: string }[] } }).payload
      const continuation_token = options[0]?.continuation_token
      return directives(await send(messageOf({ continuation: { continuation_token } }, { request_id })))
    }
    const second = await goOn(first[2], 'a')
    expect(second).toEqual([copy, expect.objectContaining({ action_type: 'request_approval' })])
    expect(await goOn(second[1], 'b')).toEqual([message('After.'), own])
  }
})

test('[OH42] a directive is one event on every wire', () => {
  const key = { tenant: 't', agent: 'a', id: 's1' }
  const event = { seq: 3, at: 1_000, type: 'directive', payload: chart, run: 'r-2', attempt: 1 } as const
  expect(agentEvent(key, event as AnyEvent)).toMatchObject({ type: 'directive', data: { directive: chart } })
  expect(streamEnvelope(key, event as AnyEvent, 'default')).toMatchObject({ type: 'directive', payload: chart, seq: 3 })
})
