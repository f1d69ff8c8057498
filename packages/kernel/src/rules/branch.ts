// A branch: a new session that begins with the history of another one, up to an event of it.

import { present } from '@bridle/events/json'
import { PREVIEW_CHARS, QUEUE_MAX, SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import { type Answers, type BranchCommand, type Command, type Refusal, refuse } from '../commands.ts'
import { BRANCHED, eventId } from '../event.ts'
import type { BranchParent } from '../ports/log.ts'
import { cursorText } from '../positions/cursor.ts'
import type { SessionState } from '../projections/state.ts'
import { truncate } from '../text/truncate.ts'
import { publishArtifact } from './artifacts.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { importRefusal } from './log-import.ts'
import { endOpenWork } from './open-work.ts'
import { checkPrompt, type PromptOptions, queuePrompt } from './prompts.ts'
import { reasonAndActor } from './reason-and-actor.ts'

/** Refuses a branch of `source` at event `seq` before anything is opened for it; a source that is null does not exist. */
export const branchRequestRefusal = (
  source: { readonly id: string; readonly head: number } | null,
  seq: number,
  childId: string,
): Refusal | null => {
  if (!source) return refuse('session_not_found')
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > source.head) return refuse('bad_branch_point')
  return childId === source.id ? refuse('session_exists') : null
}

/**
 * Refuses commands that do not fit a branch. A branch has a `branchPoint` until its first event is written: until then its
 * state is its parent's, so that the branch itself is the only command it takes. No other session takes that command.
 */
export const branchRefusal = (
  state: SessionState,
  command: Command,
  branchPoint: BranchParent | null,
): Refusal | null => {
  if (command.type === 'import') return importRefusal(state, command, branchPoint)
  if (command.type !== 'branch') return branchPoint ? refuse('session_not_found') : null
  if (branchPoint && isSamePoint(command.parent, branchPoint)) return null
  return refuse(state.lifecycle.created ? 'session_exists' : 'bad_branch_point')
}

const isSamePoint = (a: BranchParent, b: BranchParent): boolean =>
  a.agent === b.agent && a.id === b.id && a.seq === b.seq

export const promiseBranch = (
  _w: DecisionBuilder,
  { childId }: Command & { type: 'promise_branch' },
): Answers['promise_branch'] => ({
  childId,
})

/** The first command of a branch: the state is its parent's at the branch point, and open work in it ends here. */
export const branch = (w: DecisionBuilder, command: Command & { type: 'branch' }): Answers['branch'] | Refusal => {
  const { parent, title, settings, artifacts = [], owner, prompts, policy } = command
  const bad = replayRefusal(w, prompts)
  if (bad) return bad
  const next = nextBranchPrompt(w, command)
  if (next && 'refused' in next) return next
  const { kind } = w.state.lifecycle
  const before = w.state
  const cursor = command.cursor ?? cursorText('branch', parent.id, parent.seq)
  w.add('branched', {
    parent,
    kind,
    ...(owner !== undefined && { owner }),
    source_event_id: eventId(parent.seq),
    resume_cursor: cursor,
    ...present({ title, settings }),
    ...(command.imported && { imported: true }),
    ...reasonAndActor(command),
  })
  endOpenWork(w, before, BRANCHED)
  if (policy) w.add('policy_set', { policy, ...reasonAndActor(command) })
  for (const each of artifacts) publishArtifact(w, each)
  w.add('session_checkpoint', {
    session_id: w.key.id,
    sequence: w.state.checkpoints.count + 1,
    checkpoint_type: 'resume_seed',
    status: 'completed',
    ...resumeSeed(w, `Branched from ${parent.id} at ${eventId(parent.seq)}.`),
    resume_cursor: cursor,
  })
  const queued = next ? queuePrompt(w, next.prompt, next) : {}
  for (const { text, input } of prompts ?? []) queuePrompt(w, text, { input, actor: command.actor })
  return { sessionId: w.key.id, parent: { ...parent }, ...(prompts && { prompts: prompts.length }), ...queued }
}

/** The prompts of a replay wait like all others, so that their number has the same limit. */
const replayRefusal = (w: DecisionBuilder, prompts: BranchCommand['prompts'] = []): Refusal | null => {
  if (prompts.length > QUEUE_MAX)
    return refuse('queue_full', `A session queues at most ${QUEUE_MAX} prompts; these are ${prompts.length}.`)
  for (const { text } of prompts) {
    const bad = checkPrompt(w, text, true)
    if (bad) return bad
  }
  return null
}

/** The starting point of the branch without the history: the last prompt and the last answer. */
const resumeSeed = ({ state: { conversation } }: DecisionBuilder, where: string) => {
  const at = conversation.messages.findLastIndex(({ role }) => role === 'user')
  const prompt = conversation.messages[at]?.content.trim() ?? ''
  const answer =
    conversation.messages
      .slice(at)
      .findLast(({ role }) => role === 'assistant')
      ?.content.trim() ?? ''
  const quotes = [
    prompt && ` Asked: ${truncate(prompt, SUMMARY_CHARS_MAX)}`,
    answer && ` Answered: ${truncate(answer, SUMMARY_CHARS_MAX)}`,
  ]
  return {
    summary_text: [where, ...quotes].join(''),
    ...(prompt && { last_prompt: truncate(prompt, PREVIEW_CHARS) }),
    ...(answer && { last_answer: truncate(answer, PREVIEW_CHARS) }),
  }
}

/** The first prompt of a branch that starts with one. */
const nextBranchPrompt = (
  w: DecisionBuilder,
  { prompt, actor }: Command & { type: 'branch' },
): (PromptOptions & { prompt: string }) | Refusal | null => {
  if (prompt === undefined) return null
  if (prompt !== null) return checkPrompt(w, prompt, true) ?? { prompt, actor }
  const last = w.state.conversation.messages.findLast(({ role }) => role === 'user')
  // A durable run that the branch leaves in the middle of its turn is continued there, not repeated. Without its facts it begins again.
  const { run } = w.state.lifecycle
  const continued = run?.durable && !run.lacksFacts ? { continuesRun: run.runId } : {}
  return last
    ? { prompt: last.content, input: last.input, actor, ...continued }
    : refuse('bad_branch_point', 'Nothing was asked before that event.')
}
