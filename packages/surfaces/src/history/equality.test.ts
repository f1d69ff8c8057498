// The past in a page is the past of the server: sessions of several kinds run, and what the server told its clients then is what the
// fold of the log says now, without the facts that the server keeps to itself.

import type { History } from '@bridle/history/history'
import { emptyState, evolve } from '@bridle/kernel/projections/state'
import type { ChatSession } from '@bridle/wire/frontend/wire'
import { wholeSession } from '@bridle/wire/views/whole-session'
import { beforeAll, describe, expect, test } from 'vitest'
import { scriptPrompt } from '../frontend/frontend.suite.ts'
import { equalityWorld, SECRETS } from './equality-world.suite.ts'

const SEED = 19
const MOMENTS = 50

const world = equalityWorld()
const { post, advance, watch, until, approve, detail } = world
const isIdle = ({ status }: ChatSession) => ['idle', 'completed', 'failed', 'cancelled'].includes(status)

/** Each session with its agent. */
const sessions: Record<string, string> = {
  tour: 'scripted',
  keep: 'keeper',
  letters: 'clerk',
  'letters-b': 'clerk',
  edit: 'editor',
  back: 'scripted',
  box: 'engine',
}

const tourPrompt = scriptPrompt(
  { thinking: 'First I look.' },
  { text: 'Here is a long answer in pieces.', chunks: 6 },
  { tool: 'read_file', args: { path: 'a.txt' }, result: { lines: 3 } },
  {
    event: {
      type: 'retrieval',
      payload: { query: 'q', citations: ['one', { title: 'two' }], context_pack: { tokens: 5, documents: [] } },
    },
  },
  { event: { type: 'antahkarana', payload: { trace_id: 't1' } } },
  {
    event: {
      type: 'step_progress',
      payload: { step_id: 's', status: 'running', summary: 'first', index: 1, total: 2 },
    },
  },
  { event: { type: 'context_warning', payload: { kind: 'pressure', usage_pct: 81 } } },
  { event: { type: 'context_compacted', payload: { summary: 'short', original_count: 9, compacted_count: 2 } } },
  { event: { type: 'subagent_event', payload: { agent_id: 'sub', status: 'running', task: 'sums' } } },
  { event: { type: 'custom_event', payload: { name: 'own', data: { x: 1 } } } },
  { event: { type: 'turn_end', payload: { turn_id: 'r-9', status: 'failed' } } },
  { tool: 'write_file', args: { path: 'b.txt' }, outcome: 'error' },
  { approve: 'deploy', args: { where: 'here' }, reason: 'It deploys.' },
  { checkpoint: 'half of it' },
  { artifact: { name: 'a.txt', content: 'text of the artifact' } },
  { usage: { input_tokens: 40, output_tokens: 8, cost_usd: 0.02, context_usage_pct: 40 } },
  { text: ' Done.' },
)

beforeAll(async () => {
  // A scripted chat: two turns, an approval with other arguments, a policy, a pause, a turn that fails.
  await post('/chat/sessions', { agent: 'scripted', session_id: 'tour', title: 'A tour' })
  await watch('tour', 'scripted')
  await post('/chat/sessions/tour/turns', { prompt: tourPrompt })
  await approve('tour', { args: { where: 'there' }, actor: 'ann' })
  await until('tour', isIdle)
  advance(60_000)
  await post('/sessions/tour/policy', { policy: { health: { max_total_tokens: 1_000 } }, reason: 'a limit' })
  await post('/sessions/tour/pause', { reason: 'lunch', actor: 'ben' })
  await post('/chat/sessions/tour/turns', { prompt: scriptPrompt({ text: 'second' }, { fail: 'It broke.' }) })
  await detail('tour')
  await post('/sessions/tour/resume', { actor: 'ben' })
  await until('tour', ({ status }) => status === 'failed')

  // A durable function: memory, a proposal that a person accepts, a signal, a question.
  await post('/chat/sessions', { agent: 'keeper', session_id: 'keep' })
  await watch('keep', 'keeper')
  for (const turn of [1, 2]) {
    await post('/chat/sessions/keep/turns', { prompt: `chair ${turn}` })
    advance(1_500)
    await until('keep', ({ memory_proposals }) => memory_proposals.length > 0)
    const [proposal] = (await detail('keep')).memory_proposals
    await post(`/sessions/keep/memory/${proposal?.id}`, { decision: turn === 1 ? 'accept' : 'reject', actor: 'ann' })
    await post('/sessions/keep/signal', { name: 'cut', payload: 'wood' })
    await approve('keep')
    await until('keep', isIdle)
  }

  // A durable model agent with tools and approvals, and a branch of it in the middle of a turn.
  await post('/chat/sessions', { agent: 'clerk', session_id: 'letters' })
  await watch('letters', 'clerk')
  await post('/chat/sessions/letters/turns', { prompt: 'Ada' })
  await until('letters', ({ approvals }) => approvals.length > 0)
  const { lastEventId } = await detail('letters')
  await approve('letters')
  await until('letters', isIdle)
  await post('/chat/sessions/letters/turns', { prompt: 'Ben' })
  await approve('letters')
  await until('letters', isIdle)
  await post('/chat/sessions/letters/branch', { from_event_id: lastEventId, session_id: 'letters-b', actor: 'ann' })
  await watch('letters-b', 'clerk')
  await post('/chat/sessions/letters-b/turns', { prompt: 'Cleo' })
  await approve('letters-b')
  await until('letters-b', isIdle)

  // Background work whose first attempts fail, with a child of its own.
  await post('/sessions', {
    ...{ engine: 'scripted', session_id: 'back', max_retries: 2, title: 'Work' },
    prompt: scriptPrompt({ text: 'try' }, { fail: 'The provider is busy.', transient: true }),
  })
  await watch('back', 'scripted')
  for (const attempt of [2, 3]) {
    await until('back', ({ status, attempt_count }) => status === 'recovering' && attempt_count === attempt - 1)
    advance(10_000)
    await world.host.send(world.keyOf('back', 'scripted'), { type: 'tick' })
  }
  await until('back', isIdle)
  await post('/sessions', {
    engine: 'scripted',
    session_id: 'kid',
    prompt: scriptPrompt({ text: 'x' }),
    parent_session_id: 'back',
  })
  await until('back', ({ subagents }) => subagents.some(({ status }) => status === 'completed'))

  // An engine in a sandbox, behind a runner.
  await post('/chat/sessions', { agent: 'engine', session_id: 'box', model: 'claude-y' })
  await watch('box', 'engine')
  for (const prompt of ['one', 'two']) {
    await post('/chat/sessions/box/turns', { prompt })
    await until('box', isIdle)
    advance(3_000)
  }

  // A model agent that asks another one: its children report their steps.
  await post('/chat/sessions', { agent: 'editor', session_id: 'edit' })
  await watch('edit', 'editor')
  await post('/chat/sessions/edit/turns', { prompt: 'letters' })
  await until('edit', ({ subagents }) => subagents.length === 2)
  for (const { session_id } of (await detail('edit')).subagents) {
    const child = String(session_id)
    sessions[child] = 'editor.clerk'
    await watch(child, 'editor.clerk')
    await approve(child)
  }
  await until('edit', isIdle)
  for (const id of Object.keys(sessions)) await detail(id)
  await world.settled()
}, 60_000)

/** The fields that no log has: see docs/protocol/history-client.md. */
const ofLog = (answer: ChatSession): unknown =>
  JSON.parse(JSON.stringify({ ...answer, last_heartbeat_at: null, background_artifacts: [] }))
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const randomNumbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const chosen = ({ first, head }: History): readonly number[] => {
  const random = randomNumbers(SEED)
  return Array.from({ length: MOMENTS }, () => first + Math.floor(random() * (head - first + 1)))
}

test('the sessions have what the server withholds, and are of several kinds', async () => {
  const types = new Set<string>()
  const kinds = new Set<string>()
  for (const id of Object.keys(sessions)) {
    const history = await world.historyOf(id)
    kinds.add(history.at(history.head).session.kind)
    for (let seq = history.first; seq <= history.head; seq++)
      if (history.entry(seq)?.withheld) types.add(String(history.entry(seq)?.type))
    for (const secret of SECRETS) expect(JSON.stringify(history.at(history.head))).not.toContain(secret)
  }
  expect([...types].sort()).toEqual(['context_added', 'memory_set', 'model_step', 'resume_handle', 'step_done'])
  expect(kinds).toEqual(new Set(['chat', 'background']))
  expect(Object.keys(sessions)).toHaveLength(9)
})

describe.each(['tour', 'keep', 'letters', 'letters-b', 'edit', 'back', 'box', 'child 1', 'child 2'])('%s', (name) => {
  const idOf = (): string =>
    (name.startsWith('child') ? Object.keys(sessions)[6 + Number(name.slice(6))] : name) as string

  test(`[X38] at ${MOMENTS} random events the fold is that of the server`, async () => {
    const id = idOf()
    const history = await world.historyOf(id)
    const events = await world.eventsOf(id, sessions[id] ?? '')
    const { key, incarnations, identity } = await world.host.open(world.keyOf(id, sessions[id] ?? ''))
    expect(history.head).toBe(events.at(-1)?.seq)
    const numbers = new Set(chosen(history))
    const screens = await world.screens(id)
    let state = emptyState
    let screen: unknown
    for (const event of events) {
      state = evolve(state, event)
      screen = screens.get(event.seq) ?? screen
      if (!numbers.has(event.seq)) continue
      const moment = history.at(event.seq)
      expect(moment.conversation).toEqual(state.conversation)
      if (screen) expect(plain(moment.events)).toEqual(plain(screen))
      const view = wholeSession({ key, state, incarnations, identity, heartbeatAt: null }, null)
      let step = view.next()
      while (!step.done) step = view.next(step.value.map((seq) => events[seq - 1] as (typeof events)[number]))
      expect(plain(moment.session)).toEqual(ofLog({ ...step.value, background_artifacts: [] }))
    }
  })

  test('[X38] what the server told its clients meanwhile is what the history says', async () => {
    const id = idOf()
    const history = await world.historyOf(id)
    const states = [...(world.states.get(id) ?? [])]
    const details = [...(world.details.get(id) ?? [])]
    expect(Math.min(states.length, details.length)).toBeGreaterThan(2)
    for (const [seq, state] of states) expect(plain(history.at(seq).conversation)).toEqual(state)
    for (const [seq, answer] of details) expect(plain(history.at(seq).session)).toEqual(ofLog(answer))
  })
})
