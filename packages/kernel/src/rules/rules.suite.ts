// Shared by the tests of the rules: a session without a store, driven command by command, and short names for the reports of
// runners. Every step checks the invariants.

import type { JsonObject } from '@bridle/events/json'
import { OUTCOME_TYPES, type Payloads, type ToolStatus } from '@bridle/events/schemas'
import { expect } from 'vitest'
import type { Answer, Command, Refusal, ReportItem, SessionOptions } from '../commands.ts'
import type { AnyEvent, Key } from '../event.ts'
import type { BranchParent } from '../ports/log.ts'
import type { HarnessMessage } from '../projections/harness-state.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import { emptyState, evolve, type SessionState, statusOf } from '../projections/state.ts'
import { decide } from './decide.ts'

export const T0 = 1_700_000_000_000
export const key: Key = { tenant: 'acme', agent: 'scripted', id: 's1' }

export class TestSession {
  readonly log: AnyEvent[] = []
  /** The events of the last command. */
  last: readonly AnyEvent[] = []
  state: SessionState
  now = T0
  /** The point where a branch leaves its parent, until it has an event of its own. */
  branchPoint: BranchParent | null = null

  constructor(state: SessionState = emptyState) {
    this.state = state
  }

  do(command: Command): Answer | Refusal {
    const before = this.state
    const { events, state, outcome } = decide(key, before, command, this.now, {
      branchPoint: this.branchPoint,
    })
    if (events.length > 0) this.branchPoint = null
    const replayed = events.reduce(evolve, before)
    expect(replayed).toEqual(state)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => before.head + 1 + index))
    this.last = events
    this.log.push(...events)
    this.state = state
    return outcome
  }

  submit(prompt = 'hello', opening?: SessionOptions): Answer | Refusal {
    return this.do({ type: 'submit', prompt, ...(opening && { opening }) })
  }

  /** The runner of the current attempt reports, in its next frame. */
  report(...items: ReportItem[]): Answer | Refusal {
    const { runId, attempt, frame } = this.run
    return this.do({ type: 'report', runId, attempt, frame: frame + 1, items })
  }

  wait(ms: number): this {
    this.now += ms
    return this
  }

  tick(ms = 0): this {
    this.wait(ms).do({ type: 'tick' })
    return this
  }

  get run(): Run {
    const { run } = this.state.lifecycle
    if (!run) throw new Error('nothing runs')
    return run
  }

  get status(): string {
    return statusOf(this.state)
  }

  get messages(): readonly HarnessMessage[] {
    return this.state.conversation.messages
  }

  /** The answer being written, or the last one. */
  get answer(): HarnessMessage {
    return this.messages.findLast(({ role }) => role === 'assistant')!
  }

  get openApprovals(): string[] {
    return Object.keys(this.state.approvals.open)
  }

  /** The types of the last command's events. */
  get lastTypes(): string[] {
    return this.last.map(({ type }) => type)
  }

  payloads<T extends keyof Payloads>(type: T, events: readonly AnyEvent[] = this.log): Payloads[T][] {
    return events.filter((event) => event.type === type).map((event) => event.payload as Payloads[T])
  }
}

/** A life whose first run has started. */
export const running = (opening?: SessionOptions, steer = false): TestSession => {
  const life = new TestSession()
  life.submit('hello', opening)
  life.report(started(steer))
  return life
}

/** A life that waits for the approval of call c1. */
export const awaitingApproval = (opening?: SessionOptions, expiresMs?: number): TestSession => {
  const life = running(opening)
  life.report(call('c1'), askItem('c1', expiresMs))
  return life
}

export const background = (more: SessionOptions = {}): SessionOptions => ({ kind: 'background', ...more })

export const started = (steer = false): ReportItem => ({ type: 'started', steer })
export const eventReport = <T extends keyof Payloads>(type: T, payload: Payloads[T]): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as ReportItem
export const token = (text: string): ReportItem => eventReport('token', { text })
export const call = (
  id: string,
  effect?: 'pure' | 'idempotent' | 'unsafe',
  name = 'write',
  args: JsonObject = { a: 1 },
): ReportItem => eventReport('tool_call', { name, arguments: args, tool_call_id: id, ...(effect && { effect }) })
export const outcome = (id: string, status: ToolStatus = 'ok', more: Partial<Payloads['tool_outcome']> = {}) =>
  eventReport('tool_outcome', {
    tool_call_id: id,
    tool_name: 'write',
    outcome_type: OUTCOME_TYPES[status],
    status,
    ...more,
  })
export const askItem = (id: string, expiresMs?: number, digest = 'digest-1'): ReportItem => ({
  type: 'ask',
  toolCallId: id,
  tool: 'write',
  arguments: { a: 1 },
  reason: 'it writes',
  digest,
  ...(expiresMs !== undefined && { expiresMs }),
})
export const finished = (more: { result?: string; resume?: string } = {}): ReportItem => ({ type: 'finished', ...more })
export const failed = (transient = true, message = 'broke'): ReportItem => ({ type: 'failed', message, transient })
export const lost: ReportItem = { type: 'lost', message: 'gone' }
export const stopped: ReportItem = { type: 'stopped' }

export const approve = (approvalId: string, more: { args?: JsonObject; digest?: string; reason?: string } = {}) =>
  ({ type: 'approve', approvalId, decision: 'approved', ...more }) as const
export const deny = (approvalId: string, reason?: string) =>
  ({ type: 'approve', approvalId, decision: 'denied', ...(reason !== undefined && { reason }) }) as const

/** The part of a message that most tests compare. */
export const messageSummary = ({ role, content, status }: HarnessMessage): string => `${role} ${status}: ${content}`
