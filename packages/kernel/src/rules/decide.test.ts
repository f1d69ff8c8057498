// Properties that hold for all commands, in any order, at any time.
import { isDeepStrictEqual } from 'node:util'
import { isEventType } from '@bridle/events/catalogue'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Command, isRefusal, type ReportItem } from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import { approvals } from '../projections/approvals.ts'
import { conversationOperations, emptyConversation } from '../projections/conversation.ts'
import type { HarnessState } from '../projections/harness-state.ts'
import { artifacts } from '../projections/indexes/artifacts.ts'
import { channel } from '../projections/indexes/channel.ts'
import { checkpoints } from '../projections/indexes/checkpoints.ts'
import { resumePoints } from '../projections/indexes/resume-points.ts'
import { subagents } from '../projections/indexes/subagents.ts'
import { emptyState, evolve, isTerminal, type SessionState, statusOf } from '../projections/state.ts'
import { applyToState } from '../state-operations.ts'
import { decide } from './decide.ts'
import { dueAt } from './due-time.ts'
import {
  askItem,
  call,
  eventReport,
  failed,
  finished,
  key,
  lost,
  outcome,
  started,
  stopped,
  T0,
  token,
} from './rules.suite.ts'
import { wantedEffects } from './wanted-effects.ts'

/** A step before it is known what there is to act upon. `pick` chooses among what there is. */
interface DecideStep {
  readonly do: string
  readonly pick: number
  readonly ms: number
}

const items: { readonly [name: string]: (pick: number) => ReportItem } = {
  started: (pick) => started(pick % 2 === 0),
  token: (pick) => token(pick % 5 === 0 ? '' : `t${pick}`),
  thinking: () => eventReport('thinking', { text: 'hm' }),
  response: (pick) => eventReport('response', { text: `r${pick}` }),
  call: (pick) => call(callName(pick), (['pure', 'idempotent', 'unsafe', undefined] as const)[pick % 4]),
  result: (pick) =>
    eventReport('tool_result', { tool_call_id: callName(pick), result: 'x'.repeat(pick % 3 ? 5 : 13_000) }),
  outcome: (pick) => outcome(callName(pick), (['ok', 'error', 'denied', 'artifact'] as const)[pick % 4]),
  asks: (pick) => askItem(callName(pick), pick % 2 ? undefined : 5_000, `digest-${pick % 3}`),
  artifact: () => ({ type: 'artifact', name: 'a', contentType: 'text/plain', text: 'a' }),
  usage: (pick) => eventReport('usage', { total_tokens: pick, cost_usd: pick / 10 }),
  compacted: () => eventReport('context_compacted', { original_count: 2, compacted_count: 1 }),
  checkpoint: () => eventReport('session_checkpoint', { checkpoint_type: 'step', status: 's', summary_text: 't' }),
  subagent: (pick) => eventReport('subagent_event', { agent_id: callName(pick), status: 'running' }),
  forgedEnd: () => eventReport('turn_end', { turn_id: 'r-2', status: 'completed' }),
  forgedState: () => eventReport('session_state', { status: 'failed' }),
  finished: (pick) => finished(pick % 2 ? { resume: `h${pick}` } : { result: 'done' }),
  failed: (pick) => failed(pick % 3 !== 0),
  lost: () => lost,
  stopped: () => stopped,
  delivered: (pick) => ({ type: 'approval_delivered', requestId: `apr-${pick}` }),
}
const callName = (pick: number): string => ['c1', 'c2', '__proto__', '7'][pick % 4]!

const commands: { readonly [name: string]: (state: SessionState, pick: number) => Command } = {
  submit: (_state, pick) => ({
    type: 'submit',
    prompt: `p${pick}`,
    opening: {
      kind: pick % 2 ? 'chat' : 'background',
      maxRetries: pick % 3,
      expiresAt: pick % 4 === 0 ? T0 + 60_000 : null,
      policy: pick % 5 === 0 ? { health: { max_cost_usd: 3, max_runtime_minutes: 1, min_score: 60 } } : {},
    },
  }),
  create: (_state, pick) => ({ type: 'create', opening: { kind: 'background', expiresAt: T0 + pick * 1_000 } }),
  steer: () => ({ type: 'steer', prompt: 's' }),
  edit: ({ conversation: { messages } }, pick) => ({
    type: 'edit',
    messageId: messages[pick % (messages.length || 1)]?.id ?? 'none',
    prompt: 'e',
  }),
  reload: () => ({ type: 'reload' }),
  cancel: ({ lifecycle: { queue } }, pick) => ({
    type: 'cancel',
    ...(pick % 3 === 0 && { queue: true }),
    ...(pick % 4 === 0 && queue[0] && { runId: queue[0].runId }),
  }),
  approve: ({ approvals: { open, decided } }, pick) => {
    const ids = [...Object.keys(open), ...Object.keys(decided)]
    return {
      type: 'approve',
      approvalId: ids[pick % (ids.length || 1)] ?? '__proto__',
      decision: pick % 2 ? 'approved' : 'denied',
      ...(pick % 3 === 0 && { args: { edited: true } }),
      ...(pick % 2 && { digest: 'd' }),
    }
  },
  pause: () => ({ type: 'pause' }),
  resume: () => ({ type: 'resume' }),
  policy: (_state, pick) => ({
    type: 'set_policy',
    policy: { health: { max_total_tokens: pick, action: pick % 2 ? 'pause' : 'request_approval' } },
  }),
  expire: () => ({ type: 'expire' }),
  tick: () => ({ type: 'tick' }),
  branch: ({ head }) => ({ type: 'branch', parent: { agent: 'scripted', id: 'p', seq: head } }),
}

const command = (state: SessionState, { do: name, pick }: DecideStep): Command => {
  const known = commands[name]
  if (known) return known(state, pick)
  const run = state.lifecycle.run
  // Most runners start before they speak.
  const item = run?.phase === 'requested' && pick % 8 !== 0 ? started(pick % 2 === 0) : items[name]!(pick)
  return {
    type: 'report',
    runId: run?.runId ?? 'r-2',
    attempt: run?.attempt ?? 1,
    frame: pick % 7 === 0 ? null : (run?.frame ?? 0) + (pick % 11 === 0 ? 0 : 1),
    items: [item],
  }
}

const step: fc.Arbitrary<DecideStep> = fc.record({
  do: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('token', 'call', 'asks', 'outcome', 'approve', 'resume', 'tick') },
    { weight: 4, arbitrary: fc.constantFrom(...Object.keys(items)) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(commands).filter((name) => name !== 'branch')) },
    { weight: 1, arbitrary: fc.constantFrom('finished', 'stopped', 'submit', 'branch') },
  ),
  pick: fc.nat(40),
  ms: fc.oneof(
    { weight: 9, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 100_000 }) },
  ),
})
const steps = fc.array(step, { minLength: 5, maxLength: 60, size: 'max' })

const same = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected)
}

/** Each branch stands where its command says. */
const branchOptions = (command: Command) => ({ branchPoint: command.type === 'branch' ? command.parent : null })

/** Plays the steps from a submit, and shows each decision to `look`. */
const play = (
  given: readonly DecideStep[],
  look: (
    before: SessionState,
    events: readonly AnyEvent[],
    after: SessionState,
    now: number,
    asked: Command,
    operations: readonly DeltaOperation[],
  ) => void,
): SessionState => {
  let state = emptyState
  let now = T0
  for (const each of [{ do: 'submit', pick: given.length, ms: 0 }, ...given]) {
    now += each.ms
    const asked = command(state, each)
    const decided = decide(key, state, asked, now, branchOptions(asked))
    look(state, decided.events, decided.state, now, asked, decided.operations)
    if (isRefusal(decided.outcome)) expect(decided.state).toBe(state)
    state = decided.state
  }
  return state
}
/** `npm run test:long` plays more. */
const numRuns = process.env.BRIDLE_VARIANTS === 'all' ? 250 : 100
const holds = (look: Parameters<typeof play>[1]) =>
  fc.assert(
    fc.property(steps, (given) => {
      play(given, look)
    }),
    { numRuns },
  )

describe('the log', () => {
  test('[E2] is dense, and its time never goes back', () =>
    holds((before, events, after) => {
      let last: { seq: number; at: number } = { seq: before.head, at: before.at }
      for (const event of events) {
        expect(event.seq).toBe(last.seq + 1)
        expect(event.at).toBeGreaterThanOrEqual(last.at)
        last = event
      }
      expect([after.head, after.at]).toEqual([last.seq, last.at])
    }))

  test('[E1] replays to the state that was decided, also from its JSON', () =>
    holds((before, events, after, now, asked) => {
      same('replay', events.reduce(evolve, before), after)
      const restored = JSON.parse(JSON.stringify(before)) as SessionState
      const read = JSON.parse(JSON.stringify(events)) as AnyEvent[]
      same('replay from JSON', read.reduce(evolve, restored), after)
      same('decision on a restored state', decide(key, restored, asked, now, branchOptions(asked)).events, events)
    }))

  test('[S6] has one turn_end per run, and no event of the run after it', () =>
    fc.assert(
      fc.property(steps, (given) => {
        const ended = new Set<string>()
        play(given, (_before, events) => {
          for (const event of events) {
            // A branch shares the numbers of its parent's runs, and starts with none.
            if (event.type === 'branched') ended.clear()
            expect(event.run !== undefined && ended.has(event.run), `${event.type} after the end`).toBe(false)
            if (event.type !== 'turn_end' || event.hearsay) continue
            expect(ended.has(event.payload.turn_id)).toBe(false)
            ended.add(event.payload.turn_id)
          }
        })
      }),
      { numRuns },
    ))
})

describe('the folds', () => {
  test('keep their reference through every event they do not name', () =>
    holds((before, events) => {
      let state = before
      for (const event of events) {
        const next = evolve(state, event)
        for (const [name, { on }] of Object.entries({
          approvals,
          artifacts,
          channel,
          checkpoints,
          resumePoints,
          subagents,
        })) {
          if (Object.hasOwn(on, event.type) && !event.hearsay) continue
          expect(next[name as 'approvals'], `${name} after ${event.type}`).toBe(state[name as 'approvals'])
        }
        if (conversationOperations(state.conversation, event).length === 0)
          expect(next.conversation).toBe(state.conversation)
        state = next
      }
    }))

  test('a decision keeps the operations of its events, in order', () =>
    holds((before, events, after, _now, _asked, operations) => {
      let state = before
      const computed = events.flatMap((event) => {
        const ofEvent = conversationOperations(state.conversation, event)
        state = evolve(state, event)
        return ofEvent
      })
      same('operations', operations, computed)
      same('conversation', applyToState(before.conversation, operations), after.conversation)
    }))

  test('a client that applies the operations has what the server has, after every event', () =>
    fc.assert(
      fc.property(steps, (given) => {
        let client: HarnessState = JSON.parse(JSON.stringify(emptyConversation))
        play(given, (before, events) => {
          let state = before
          for (const event of events) {
            const sent = JSON.parse(JSON.stringify(conversationOperations(state.conversation, event)))
            client = applyToState(client, sent)
            state = evolve(state, event)
            same(`client after ${event.type}`, client, state.conversation)
          }
        })
      }),
      { numRuns },
    ))

  test('[S3][S19] the status shown is the status that is', () => {
    const transport = { queued: 'running', running: 'running', recovering: 'running', awaiting_approval: 'running' }
    holds((_before, _events, state) => {
      const status = statusOf(state)
      if (!state.lifecycle.created) return
      const shown = status === 'failed' ? 'error' : ((transport as Record<string, string>)[status] ?? 'idle')
      expect([state.conversation.sessionStatus, state.conversation.status]).toEqual([status, shown])
      if (isTerminal(state)) expect(['completed', 'failed', 'cancelled']).toContain(status)
    })
  })

  test('what is shown as open is open', () =>
    holds((_before, _events, { conversation: { messages, approvals: shown }, approvals: { open }, lifecycle }) => {
      const { run, queue } = lifecycle
      const unsettled = messages.filter(({ status }) => status === 'pending' || status === 'streaming')
      same(
        'waiting prompts',
        unsettled.filter(({ role }) => role === 'user').map(({ runId }) => runId),
        queue.map(({ runId }) => runId),
      )
      for (const { role, runId } of unsettled) if (role === 'assistant') expect(runId).toBe(run?.runId)
      same(
        'open approvals',
        shown?.map(({ id }) => id),
        Object.keys(open),
      )
      if (!run) expect(Object.keys(open)).toEqual([])
      const calls = messages.flatMap(({ runId, toolCalls = [] }) =>
        toolCalls.filter(({ status }) => status === 'running').map(({ id }) => `${runId} ${id}`),
      )
      expect(calls.sort()).toEqual(
        Object.keys(lifecycle.tools)
          .map((id) => `${run?.runId} ${id}`)
          .sort(),
      )
    }))
})

describe('what should be done', () => {
  test('has a name of its own, and is of the current attempt', () =>
    holds((_before, _events, state) => {
      const effects = wantedEffects(key, state, 1)
      expect(new Set(effects.map(({ id }) => id)).size).toBe(effects.length)
      for (const job of effects.flatMap((effect) => ('job' in effect ? [effect.job] : [])))
        expect([job.runId, job.attempt]).toEqual([state.lifecycle.run?.runId, state.lifecycle.run?.attempt])
    }))

  test('no session is forgotten: each is at rest, waits for somebody, or has an effect or a time', () =>
    holds((_before, _events, state, now) => {
      const { run, queue, paused } = state.lifecycle
      if ((!run && queue.length === 0) || paused) return
      const asked = Object.values(state.approvals.open).some(({ kind }) => kind !== 'tool')
      expect(asked || wantedEffects(key, state, 1).length > 0 || dueAt(state, now) !== null).toBe(true)
    }))

  test('a tick when it is due gets on, and then it is not due any more', () =>
    holds((_before, _events, state, now) => {
      const due = dueAt(state, now)
      if (due === null) return
      const then = Math.max(due, now, state.at)
      const after = decide(key, state, { type: 'tick' }, then).state
      const next = dueAt(after, then)
      expect(next === null || next > then, `due at ${due}, then at ${next}`).toBe(true)
    }))

  test('a tick before it is due changes nothing', () =>
    holds((_before, _events, state, now) => {
      const then = Math.max(now, state.at)
      const due = dueAt(state, then)
      // Deadlines that passed since the state was decided are due now.
      const settled = decide(key, state, { type: 'tick' }, then).state
      const next = dueAt(settled, then)
      if (due === null || next === null) return
      const early = decide(key, settled, { type: 'tick' }, next - 1)
      expect(early.events.map(({ type }) => type)).toEqual([])
    }))
})

test('[S26] a type that this build does not know moves the head and nothing else', () => {
  const state = play([], () => {})
  const event = { seq: state.head + 1, at: state.at + 5, type: 'from_the_future', payload: { any: 1 } }
  expect(isEventType(event.type)).toBe(false)
  expect(evolve(state, event as never)).toEqual({ ...state, head: event.seq, at: event.at })
  for (const type of ['constructor', '__proto__', 'toString'])
    expect(evolve(state, { ...event, type } as never)).toEqual({ ...state, head: event.seq, at: event.at })
})
