// (state, command, now) -> numbered events and an answer, or a refusal. Pure: the session appends the result.

import { isDeeperThan, isJsonObject, ownProperty } from '@bridle/events/json'
import { DEPTH_MAX, PAYLOAD_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import {
  type ActorField,
  type Answer,
  type Answers,
  type Command,
  isRefusal,
  type Refusal,
  refuse,
} from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { AnyEvent, Key } from '../event.ts'
import { mayOpen, ownerOf } from '../owner.ts'
import type { BranchParent } from '../ports/log.ts'
import { healthHash } from '../projections/health/health.ts'
import { isTerminal, type SessionState, statusOf } from '../projections/state.ts'
import { healthSnapshot, initialHealthSnapshot } from '../views/health-snapshot.ts'
import { firstOpenApprovalId, runtimeText, sessionStateCard } from '../views/session-card.ts'
import { approve } from './approvals/approvals.ts'
import { pauseAfterCall } from './approvals/pause-after.ts'
import { archive, unarchive, unarchiveForPrompt } from './archive.ts'
import { branch, branchRefusal, promiseBranch } from './branch.ts'
import { enforceBudgets } from './budgets/budgets.ts'
import { charge } from './budgets/charges.ts'
import { recordChildAnswer } from './children/child-approvals.ts'
import { recordChildStatus, recordParentNotified } from './children/children.ts'
import { expire, handOver, pause, recordFeedback, rename, resume, setPolicy, tick } from './control.ts'
import { DecisionBuilder } from './decision-builder.ts'
import { importLog } from './log-import.ts'
import { decideMemory } from './memory.ts'
import { create, edit, reload, steer, submit } from './prompts.ts'
import { report } from './reports.ts'
import { excuseRun, signal, wakeRun } from './runs/durable-runs.ts'
import { interrupt } from './runs/interruption.ts'
import { loseListener, recordHeard } from './runs/listening.ts'
import { cancel, startNextRun } from './runs/runs.ts'
import { keepAudio } from './spoken-audio.ts'

export interface DecisionResult {
  readonly events: readonly AnyEvent[]
  readonly operations: readonly DeltaOperation[]
  readonly state: SessionState
  readonly outcome: Answer | Refusal
}

export interface DecideContext {
  /** False in a process that is about to end, which must not start the next run. */
  readonly starts?: boolean
  /** For the status card. */
  readonly identity?: EngineIdentity | undefined
  /** The branch point, while a branch has no event of its own. */
  readonly branchPoint?: BranchParent | null
}

export const decide = (
  key: Key,
  state: SessionState,
  command: Command,
  now: number,
  { starts = true, identity, branchPoint = null }: DecideContext = {},
): DecisionResult => {
  const misfit = branchRefusal(state, command, branchPoint)
  if (misfit) return refusalResult(state, misfit)
  if (!state.lifecycle.created && !SESSION_CREATING_COMMANDS.has(command.type))
    return refusalResult(state, refuse('session_not_found'))
  const tooLarge = sizeRefusal(command)
  if (tooLarge) return refusalResult(state, tooLarge)
  if (belongsToAnotherUser(key, state, command)) return refusalResult(state, refuse('session_not_found'))
  const w = new DecisionBuilder(key, state, now, command.type === 'report' ? command.frame : null)
  const { actor, isActorClaimed } = command as ActorField
  if (isActorClaimed && actor !== undefined) w.claimedActor = actor
  const outcome = (rules[command.type] as CommandRule<Command['type']>)(w, command as never)
  if (isRefusal(outcome)) return refusalResult(state, outcome)
  if (w.events.length > 0) unarchiveForPrompt(w, command)
  // Follow-up events are the kernel's: with this frame on them, the first output of the next run would be skipped.
  w.frame = null
  if (w.events.length > 0 || command.type === 'tick') followUp(w, state, { command: command.type, starts, identity })
  const { events, operations } = w
  return { events, operations, state: w.state, outcome: { ...outcome, seq: w.state.head } }
}

export const refusalResult = (state: SessionState, outcome: Refusal): DecisionResult => ({
  events: [],
  operations: [],
  state,
  outcome,
})

type CommandRule<T extends Command['type']> = (
  w: DecisionBuilder,
  command: Command & { type: T },
) => Answers[T] | Refusal

const rules: { readonly [T in Command['type']]: CommandRule<T> } = {
  create,
  submit,
  steer,
  edit,
  reload,
  cancel,
  interrupt,
  approve,
  pause,
  resume,
  archive,
  unarchive,
  rename,
  branch,
  import: importLog,
  promise_branch: promiseBranch,
  child_status: recordChildStatus,
  child_answered: recordChildAnswer,
  parent_told: recordParentNotified,
  set_policy: setPolicy,
  signal,
  feedback: recordFeedback,
  decide_memory: decideMemory,
  charge,
  keep_audio: keepAudio,
  heard: recordHeard,
  lose_listener: loseListener,
  expire,
  tick,
  hand_over: handOver,
  excuse_run: excuseRun,
  report,
}

/** Two users may create the same session concurrently. The first becomes its owner. */
const belongsToAnotherUser = (key: Key, state: SessionState, command: Command): boolean =>
  (command.type === 'submit' || command.type === 'steer' || command.type === 'create') &&
  state.lifecycle.created &&
  !mayOpen(command.owner ?? null, ownerOf(key, state))

const SESSION_CREATING_COMMANDS = new Set<Command['type']>(['create', 'submit', 'steer', 'branch', 'import'])

const followUp = (
  w: DecisionBuilder,
  before: SessionState,
  { command, starts, identity }: DecideContext & { readonly command: Command['type'] },
): void => {
  const { lifecycle, approvals } = before
  wakeRun(w)
  // Most batches are tokens, which change nothing below. Ticks always check, because time does.
  const quiet = w.events.length > 0 && w.state.lifecycle.run?.phase === 'started' && w.state.health === before.health
  const sameWork = w.state.checkpoints === before.checkpoints && w.state.artifacts === before.artifacts
  if (quiet && sameWork && w.state.approvals === approvals && isSameLifecycle(w.state.lifecycle, lifecycle)) return
  pauseAfterCall(w)
  enforceBudgets(w, before, command)
  if (starts) startNextRun(w)
  // The next run may start over budget, and no event or timer would notice before its first report.
  enforceBudgets(w, before, command)
  publishHealth(w)
  if (hasCardChanged(w.state, before)) w.add('session_state', sessionStateCard(w.key, w.state, identity))
}

/** While an approval is open, the card names it. */
const hasCardChanged = (after: SessionState, before: SessionState): boolean => {
  const status = statusOf(after)
  if (status !== statusOf(before) || !before.lifecycle.created) return true
  if (after.lifecycle.parent !== before.lifecycle.parent) return true
  // A cancelled session gets one card at once and one at its end.
  if (isTerminal(after) !== isTerminal(before)) return true
  if (runtimeText(after) !== runtimeText(before)) return true
  return status === 'awaiting_approval' && firstOpenApprovalId(after) !== firstOpenApprovalId(before)
}

/** Ignores the committed frame. */
const isSameLifecycle = (after: SessionState['lifecycle'], before: SessionState['lifecycle']): boolean =>
  after === before ||
  (after.queue === before.queue &&
    after.paused === before.paused &&
    after.run?.phase === before.run?.phase &&
    after.tools === before.tools)

const publishHealth = (w: DecisionBuilder): void => {
  const now = healthSnapshot(w.key, w.state, statusOf(w.state), w.now)
  const published = w.state.health.publishedHash ?? healthHash(initialHealthSnapshot(w.key, w.state, w.now))
  if (healthHash(now) !== published) w.add('health_changed', now as unknown as Payloads['health_changed'])
}

/** Blames the prompt if it is most of the command. */
const sizeRefusal = (command: Command): Refusal | null => {
  if (UNMEASURED.has(command.type)) return null
  const isTooLarge = isDeeperThan(command, DEPTH_MAX) || (isLong(command) && isLong(withTextOnce(command)))
  if (!isTooLarge) return null
  const prompt = 'prompt' in command ? (command.prompt ?? '') : ''
  return refuse(prompt.length > PAYLOAD_CHARS_MAX / 2 ? 'prompt_too_long' : 'too_large')
}

/** Already bounded: audio comes in chunks from the server, and imports are measured per event. */
const UNMEASURED: ReadonlySet<Command['type']> = new Set(['tick', 'report', 'keep_audio', 'import'])

const isLong = (command: Command): boolean => JSON.stringify(command).length > PAYLOAD_CHARS_MAX

/** The input repeats the request body, including the prompt, so the prompt counts once. */
const withTextOnce = (command: Command): Command => {
  if (!('input' in command) || !isJsonObject(command.input)) return command
  const { prompt, input } = command
  const isRepeated = ownProperty(input, 'prompt') === prompt || JSON.stringify(input) === prompt
  return isRepeated ? { ...command, prompt: '' } : command
}
