// Directives of agents on their way to a shell.

import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import type { AnyEvent } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import { RETRY_MAX_MS } from '@bridle/kernel/rules/runs/runs'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import { expect, test } from 'vitest'
import { agentEvent } from '../fabric/codec.ts'
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
const capabilities = { 'openharness.actions.parallel': true, 'openharness.ui.rich_cards': true }
const directives = ({ body }: EngineReply) => body.response.action_directives ?? []
const say = (session_id: string, ...steps: readonly unknown[]) =>
  messageOf({ session_id, user_intent: script(...steps) }, { request_id: 'one', capabilities })

test('[OH40] the answer has the directives of its run in order, and a message for each stretch of text between them', async () => {
  const { send } = testEngine()
  const steps = [{ directive: chart }, { text: 'Here ' }, { directive: copy }, { text: 'it is.' }, { directive: own }]
  const replies = await Promise.all(ids.map((id) => send(say(id, ...steps))))
  for (const reply of replies)
    expect(directives(reply)).toEqual([chart, message('Here '), copy, message('it is.'), own])
  // A later turn has only its own, and a repeated request those that it had.
  const later = await send(messageOf({ session_id: 's1', user_intent: script({ directive: own }) }, { capabilities }))
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
      return directives(await send(messageOf({ continuation: { continuation_token } }, { request_id, capabilities })))
    }
    const second = await goOn(first[2], 'a')
    expect(second).toEqual([copy, expect.objectContaining({ action_type: 'request_approval' })])
    expect(await goOn(second[1], 'b')).toEqual([message('After.'), own])
  }
})

/** The answers to one request of three shells, each in a session of its own. */
const answersTo = async (steps: readonly unknown[], shells: readonly object[]) => {
  const { send } = testEngine()
  const ask = (shell: object, index: number) =>
    send(messageOf({ session_id: `s${index}`, user_intent: script(...steps) }, { capabilities: shell }))
  return (await Promise.all(shells.map(ask))).map(directives)
}

test('[OH130] directives that may run side by side say so only to a shell that can', async () => {
  const side = (component: string) => ({
    action_type: 'com.example.show',
    execution: 'parallel',
    payload: { component },
  })
  const steps = [side('a'), side('b'), { ...side('c'), execution: 'sequential' }, side('d')]
  const plain = steps.map((each) => ({ ...each, execution: 'sequential' }))
  const shells = [{ 'openharness.actions.parallel': true }, {}, { 'openharness.actions.parallel': false }]
  const answers = await answersTo(
    steps.map((directive) => ({ directive })),
    shells,
  )
  expect(answers).toEqual([steps, plain, plain])
})

test('[OH131] a card reaches only a shell that shows cards; others get its text, or nothing', async () => {
  const card = (more: object) => ({
    action_type: 'render_ui',
    priority: 'high',
    payload: { component: 'Chart', ...more },
  })
  const cards = [
    card({ fallback_message: 'Sales are up.', message: 'Sales' }),
    card({ message: 'Costs' }),
    card({ fallback_message: 7, data: [1] }),
  ]
  const texts = ['Sales are up.', 'Costs'].map((text) => ({
    action_type: 'render_message',
    priority: 'high',
    payload: { text },
  }))
  const shells = [{ 'openharness.ui.rich_cards': true }, {}, { 'openharness.ui.rich_cards': null }]
  const answers = await answersTo(
    [{ text: 'Look.' }, ...cards.map((directive) => ({ directive })), { directive: copy }],
    shells,
  )
  expect(answers).toEqual([
    [message('Look.'), ...cards, copy],
    [message('Look.'), ...texts, copy],
    [message('Look.'), ...texts, copy],
  ])
})

test('[OH131] the text of a card has the form of its shell, and other wires have the whole card', async () => {
  const { send, app } = testEngine()
  const card = { action_type: 'render_ui', payload: { component: 'Chart', fallback_message: '**Sales** are up.' } }
  const answer = await send(
    messageOf({ session_id: 's1', user_intent: script({ directive: card }), shell: { shell_kind: 'im_bot' } }),
  )
  expect(directives(answer)).toEqual([{ action_type: 'render_message', payload: { text: 'Sales are up.' } }])
  const session = await app.ports.host.find({ tenant: 'default', agent: 'scripted', id: 's1' })
  const events = (await session?.read(0, 100)) ?? []
  expect(events.filter(({ type }) => type === 'directive').map(({ payload }) => payload)).toEqual([card])
})

test('[OH134] a turn that is tried again has only the directives of its last attempt', async () => {
  const wall = { now: () => 1_700_000_000_000, after: () => () => {} }
  const scripted = scriptedRunner({ clock: wall, digest: async (text) => text })
  const second = script({ text: 'Second.' }, { directive: copy }, { directive: own })
  const flaky: Runner = {
    ...scripted,
    start: (job, reporter) => scripted.start(job.attempt > 1 ? { ...job, prompt: second } : job, reporter),
  }
  const { send, app, advance } = testEngine({}, { flaky })
  const { host } = app.ports
  const first = script({ directive: chart }, { text: 'First.' }, { directive: own }, { fail: 'no', transient: true })
  for (const id of ids) {
    const key = { tenant: 'default', agent: 'flaky', id }
    await host.send(key, { type: 'create', opening: { kind: 'background', maxRetries: 1 } })
    const request = messageOf({ session_id: id, user_intent: first }, { request_id: 'one', capabilities })
    const answer = send(request)
    await expect.poll(async () => (await host.find(key))?.state.lifecycle.run?.phase).toBe('waiting')
    advance(RETRY_MAX_MS)
    await host.send(key, { type: 'tick' })
    expect(directives(await answer)).toEqual([message('Second.'), copy, own])
    expect(directives(await send(request))).toEqual([message('Second.'), copy, own])
  }
})

test('[OH42] a directive is one event on every wire', () => {
  const key = { tenant: 't', agent: 'a', id: 's1' }
  const event = { seq: 3, at: 1_000, type: 'directive', payload: chart, run: 'r-2', attempt: 1 } as const
  expect(agentEvent(key, event as AnyEvent)).toMatchObject({ type: 'directive', data: { directive: chart } })
  expect(streamEnvelope(key, event as AnyEvent, 'default')).toMatchObject({ type: 'directive', payload: chart, seq: 3 })
})
