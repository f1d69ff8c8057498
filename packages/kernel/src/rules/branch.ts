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

/** Checked before anything is opened. A null source does not exist. */
export const branchRequestRefusal = (
  source: { readonly id: string; readonly head: number } | null,
  seq: number,
  childId: string,
): Refusal | null => {
  if (!source) return refuse('session_not_found')
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > source.head) return refuse('bad_branch_point')
  return childId === source.id ? refuse('session_exists') : null
}

/** Until its first event, a branch has the state of its parent, so `branch` is the only command it accepts. */
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

/** The first command of a branch. The state is still the parent's at the branch point; open work ends here. */
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

/** Prompts of a replay are queued, so the queue limit applies. */
const replayRefusal = (w: DecisionBuilder, prompts: BranchCommand['prompts'] = []): Refusal | null => {
  if (prompts.length > QUEUE_MAX)
    return refuse('queue_full', `A session queues at most ${QUEUE_MAX} prompts; these are ${prompts.length}.`)
  for (const { text } of prompts) {
    const bad = checkPrompt(w, text, true)
    if (bad) return bad
  }
  return null
}

/** Summarises the branch: its last prompt and answer. */
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

const nextBranchPrompt = (
  w: DecisionBuilder,
  { prompt, actor }: Command & { type: 'branch' },
): (PromptOptions & { prompt: string }) | Refusal | null => {
  if (prompt === undefined) return null
  if (prompt !== null) return checkPrompt(w, prompt, true) ?? { prompt, actor }
  const last = w.state.conversation.messages.findLast(({ role }) => role === 'user')
  // Branching in the middle of a durable run continues its turn, unless the import left out its facts.
  const { run } = w.state.lifecycle
  const continued = run?.durable && !run.lacksFacts ? { continuesRun: run.runId } : {}
  return last
    ? { prompt: last.content, input: last.input, actor, ...continued }
    : refuse('bad_branch_point', 'Nothing was asked before that event.')
}
