// (state, command, now) -> numbered events and an answer, or a refusal. Pure: the session appends what comes out.
import { type Answer, type Command, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { AnyEvent, Key } from '../event.ts'
import { mayOpen, ownerOf } from '../owner.ts'
import { healthText } from '../projections/health/health.ts'
import { isTerminal, type SessionState, statusOf } from '../projections/state.ts'
import type { Payloads } from '../schemas.ts'
import { healthSnapshot, untoldSnapshot } from '../views/health-snapshot.ts'
import { askedFirst, runtimeText, sessionState } from '../views/session-card.ts'
import { approve } from './approvals/approvals.ts'
import { enforceBudgets } from './budgets/budgets.ts'
import { childStatus, parentTold } from './children/children.ts'
import { sizeRefusal } from './command-size.ts'
import { branch, expire, handOver, pause, promiseBranch, resume, setPolicy, tick } from './control.ts'
import { Working } from './decision-builder.ts'
import { create, edit, reload, steer, submit } from './prompts.ts'
import { report } from './runs/reports.ts'
import { advance, cancel } from './runs/runs.ts'

export interface Decided {
  readonly events: readonly AnyEvent[]
  readonly state: SessionState
  readonly outcome: Answer | Refusal
}

/** `starts`: false in a process that is about to end. What would start now is left to the next one. */
export const decide = (key: Key, state: SessionState, command: Command, now: number, starts = true): Decided => {
  if (!state.lifecycle.created && !opens.has(command.type))
    return { events: [], state, outcome: refuse('session_not_found') }
  const tooLarge = sizeRefusal(command)
  if (tooLarge) return { events: [], state, outcome: tooLarge }
  if (isAnothers(key, state, command)) return { events: [], state, outcome: refuse('session_not_found') }
  const w = new Working(key, state, now, command.type === 'report' ? command.frame : null)
  const outcome = (rules[command.type] as Rule<Command['type']>)(w, command as never)
  if (isRefusal(outcome)) return { events: [], state, outcome }
  // What follows is our own: the last frame of one run must not count as the first of the next.
  w.frame = null
  if (w.events.length > 0 || command.type === 'tick') followUp(w, state, { command: command.type, starts })
  return { events: w.events, state: w.state, outcome: { ...outcome, seq: w.state.head } }
}

type Rule<T extends Command['type']> = (w: Working, command: Command & { type: T }) => Answer | Refusal

const rules: { readonly [T in Command['type']]: Rule<T> } = {
  create,
  submit,
  steer,
  edit,
  reload,
  cancel,
  approve,
  pause,
  resume,
  branch,
  promise_branch: promiseBranch,
  child_status: childStatus,
  parent_told: parentTold,
  set_policy: setPolicy,
  expire,
  tick,
  hand_over: handOver,
  report,
}

/** Two users may make one session at the same moment: the first has it, and the second must not add to it. */
const isAnothers = (key: Key, state: SessionState, command: Command): boolean =>
  (command.type === 'submit' || command.type === 'steer' || command.type === 'create') &&
  state.lifecycle.created &&
  !mayOpen(command.owner ?? null, ownerOf(key, state))

/** Everything else needs a session that is there. */
const opens = new Set<Command['type']>(['create', 'submit', 'steer', 'branch'])

/** What a change brings about by itself: budgets, the next run, and the events that tell of both. */
const followUp = (
  w: Working,
  before: SessionState,
  { command, starts }: { readonly command: Command['type']; readonly starts: boolean },
): void => {
  const { lifecycle, approvals } = before
  // A token changes none of these, and most batches are tokens. Time alone does: a tick always looks.
  const quiet = w.events.length > 0 && w.state.lifecycle.run?.phase === 'started' && w.state.health === before.health
  const sameWork = w.state.checkpoints === before.checkpoints && w.state.artifacts === before.artifacts
  if (quiet && sameWork && w.state.approvals === approvals && sameLife(w.state.lifecycle, lifecycle)) return
  enforceBudgets(w, before, command)
  if (starts) advance(w)
  // The next run may start over budget: no clock and no event would tell before it speaks.
  enforceBudgets(w, before, command)
  tellHealth(w)
  if (isToldAnew(w.state, before)) w.add('session_state', sessionState(w.key, w.state))
}

/** Whether the status card says something else: of what is awaited, also which approval. */
const isToldAnew = (after: SessionState, before: SessionState): boolean => {
  const status = statusOf(after)
  if (status !== statusOf(before) || !before.lifecycle.created) return true
  if (after.lifecycle.parent !== before.lifecycle.parent) return true
  // What was cancelled says so at once, and when it has ended.
  if (isTerminal(after) !== isTerminal(before)) return true
  if (runtimeText(after) !== runtimeText(before)) return true
  return status === 'awaiting_approval' && askedFirst(after) !== askedFirst(before)
}

/** Equal but for the committed frame. */
const sameLife = (after: SessionState['lifecycle'], before: SessionState['lifecycle']): boolean =>
  after === before ||
  (after.queue === before.queue &&
    after.paused === before.paused &&
    after.run?.phase === before.run?.phase &&
    after.tools === before.tools)

const tellHealth = (w: Working): void => {
  const now = healthSnapshot(w.key, w.state, statusOf(w.state), w.now)
  const told = w.state.health.told ?? healthText(untoldSnapshot(w.key, w.state, w.now))
  if (healthText(now) !== told) w.add('health_changed', now as unknown as Payloads['health_changed'])
}
