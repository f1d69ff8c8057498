// A prompt is accepted once, and the log is its queue.

import { type Json, present } from '@bridle/events/json'
import { QUEUE_MAX, TIME_MAX } from '@bridle/events/limits'
import {
  type Answers,
  type Command,
  type PromptAnswer,
  type Refusal,
  refuse,
  type SessionOptions,
} from '../commands.ts'
import { messageIdOf, messageSeq, runIdOf } from '../ids.ts'
import { isEnding } from '../projections/state.ts'
import { answerQuestion } from './approvals/typed-answers.ts'
import { publishArtifact } from './artifacts.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { dropPrompt } from './runs/runs.ts'

export const create = (
  w: DecisionBuilder,
  { opening, owner }: Command & { type: 'create' },
): Answers['create'] | Refusal => {
  if (w.state.lifecycle.created) return refuse('session_exists')
  createSession(w, opening, owner)
  return { sessionId: w.key.id }
}

export const submit = (w: DecisionBuilder, command: Command & { type: 'submit' }): Answers['submit'] | Refusal => {
  const bad = checkPrompt(w, command.prompt)
  if (bad) return bad
  if (w.state.lifecycle.created && command.fresh) return refuse('session_exists')
  if (!w.state.lifecycle.created && command.existing) return refuse('session_not_found')
  if (!w.state.lifecycle.created) createSession(w, command.opening, command.owner)
  if (command.only === 'join' && w.run) return { runId: w.run.runId, messageId: w.run.messageId, delivery: 'started' }
  const answer = answerQuestion(w, command)
  if (command.only === 'answer') return answer ?? refuse('approval_not_found')
  return answer ?? queuePrompt(w, command.prompt, command)
}

/** Goes to the run in progress if its engine supports steering, else to the head of the queue. */
export const steer = (w: DecisionBuilder, command: Command & { type: 'steer' }): Answers['steer'] | Refusal => {
  const bad = checkPrompt(w, command.prompt)
  if (bad) return bad
  const { run, created } = w.state.lifecycle
  if (!created) createSession(w, {}, command.owner)
  const answer = answerQuestion(w, command)
  if (answer) return answer
  if (run?.phase !== 'started' || !run.steerable) return queuePrompt(w, command.prompt, { ...command, head: true })
  const messageId = messageIdOf(w.nextSeq)
  w.addToRun('steered', {
    run_id: run.runId,
    message_id: messageId,
    text: command.prompt,
    ...(command.input !== undefined && { input: command.input }),
    ...actor(command),
  })
  return { runId: run.runId, messageId, delivery: 'steered' }
}

/** Rewinds to before the message. */
export const edit = (w: DecisionBuilder, command: Command & { type: 'edit' }): Answers['edit'] | Refusal => {
  const bad = checkPrompt(w, command.prompt)
  if (bad) return bad
  const index = w.state.conversation.messages.findIndex(({ id, role }) => id === command.messageId && role === 'user')
  return index < 0 ? refuse('message_not_found') : rewind(w, index, command.prompt, command)
}

/** Rewinds to before the prompt of an answer. */
export const reload = (w: DecisionBuilder, command: Command & { type: 'reload' }): Answers['reload'] | Refusal => {
  const { messages } = w.state.conversation
  const answer = messages.findLast(({ id, role }) => role === 'assistant' && (command.messageId ?? id) === id)
  const index = messages.findIndex(
    ({ role, runId }) => role === 'user' && runId !== undefined && runId === answer?.runId,
  )
  const prompt = messages[index]
  if (!prompt) return refuse('message_not_found')
  // Imported prompts are unconfirmed, unless a branch confirmed them.
  const isFromFile = (messageSeq(prompt.id) ?? 0) < (w.state.lifecycle.importedSeq ?? 0)
  return isFromFile
    ? refuse('confirm_import', FROM_FILE)
    : rewind(w, index, prompt.content, { ...command, input: prompt.input })
}

const FROM_FILE =
  'The prompt was imported from a file. Branch the session to ask it again, or send it as a prompt of your own.'

export interface PromptOptions {
  readonly actor?: string | undefined
  readonly input?: Json | undefined
  readonly head?: boolean
  readonly spoken?: true | undefined
  readonly continuesRun?: string
}

const rewind = (w: DecisionBuilder, index: number, prompt: string, options: PromptOptions): PromptAnswer | Refusal => {
  if (w.run) return refuse('run_active')
  if (isEnding(w.state)) return refuse('session_ended')
  const gone = w.state.conversation.messages.slice(index)
  for (const { runId } of gone) if (runId) dropPrompt(w, runId, { reason: 'rewound' })
  const first = gone[0]
  const run_ids = [...new Set(gone.flatMap(({ runId }) => (runId ? [runId] : [])))]
  if (first) w.add('rewound', { keep: index, message_id: first.id, run_ids })
  return queuePrompt(w, prompt, options)
}

export const queuePrompt = (w: DecisionBuilder, prompt: string, options: PromptOptions): PromptAnswer => {
  const runId = runIdOf(w.nextSeq)
  const messageId = messageIdOf(w.nextSeq)
  const waits = w.run !== null || w.state.lifecycle.paused
  const ahead = (w.run === null ? 0 : 1) + (options.head ? 0 : w.state.lifecycle.queue.length)
  w.add('prompt_queued', {
    run_id: runId,
    message_id: messageId,
    text: prompt,
    ...(options.input !== undefined && { input: options.input }),
    ...(options.head && { head: true }),
    ...(ahead > 0 && { ahead }),
    ...(options.spoken && { spoken: true }),
    ...(options.continuesRun !== undefined && { continues_run: options.continuesRun }),
    ...actor(options),
  })
  return { runId, messageId, delivery: waits ? 'queued' : 'started' }
}

const createSession = (w: DecisionBuilder, opening: SessionOptions = {}, owner?: string): void => {
  const { title, policy, settings, parentSessionId: parent_session_id, delegation } = opening
  w.add('session_created', {
    kind: opening.kind ?? 'chat',
    agent: w.key.agent,
    ...(owner !== undefined && { owner }),
    max_retries: opening.maxRetries ?? 0,
    expires_at: opening.expiresAt == null ? null : Math.min(opening.expiresAt, TIME_MAX),
    ...present({ title, policy, settings, parent_session_id }),
    ...(parent_session_id && { tells_parent: true }),
    ...present({ delegation }),
  })
  for (const each of opening.artifacts ?? []) publishArtifact(w, each)
}

/** `startsBranch`: the end and queue of the parent do not matter. */
export const checkPrompt = (w: DecisionBuilder, prompt: string, startsBranch = false): Refusal | null => {
  if (prompt.trim() === '') return refuse('prompt_empty')
  if (startsBranch) return null
  if (isEnding(w.state)) return refuse('session_ended')
  return w.state.lifecycle.queue.length >= QUEUE_MAX ? refuse('queue_full') : null
}

const actor = (options: { readonly actor?: string | undefined }) =>
  options.actor === undefined ? {} : { actor: options.actor }
