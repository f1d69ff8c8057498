// A listener who leaves interrupts the answer: once the run ends, the log keeps only what was heard. If tools ran
// afterwards, the answer stays complete, because it reports on work that was done.

import { isRefusal } from '@bridle/kernel/commands'
import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import { answerOf, hasCallAfter } from '@bridle/kernel/projections/message-parts'
import type { Listener } from '@bridle/kernel/session/subscribers'
import type { LinePorts } from '../engine.ts'

export const cutAnswer = async (
  { key, user }: Pick<VoiceRequest, 'key' | 'user'>,
  send: LinePorts['send'],
  { runId, chars: heardChars, audioMs }: HeardMark,
): Promise<void> => {
  const actor = user === null ? {} : { actor: user }
  const answer = await send(key, { type: 'interrupt', runId, heardChars, audioMs, ...actor })
  // The run has no answer yet, or no longer has one.
  if (isRefusal(answer)) await send(key, { type: 'cancel', runId, reason: 'interrupted', ...actor })
}

export const cutAfterAbsence = (
  { key, session, user }: Pick<VoiceRequest, 'key' | 'session' | 'user'>,
  send: LinePorts['send'],
  { runId, chars, audioMs }: HeardMark,
): void => {
  const leave = { type: 'heard', runId, chars, audioMs, isOver: true } as const
  // Nothing was heard, so keep it as a text answer.
  if (chars === 0) return void send(key, leave).catch(() => {})
  const look = () => {
    const { lifecycle, conversation } = session.state
    if (lifecycle.run?.runId === runId) return
    session.subscribers.remove(listener)
    const answer = answerOf(conversation.messages, runId)
    const isWhole = !answer || answer.content.length <= chars || hasCallAfter(answer, chars)
    const actor = user === null ? {} : { actor: user }
    const cut = isWhole ? leave : ({ type: 'interrupt', runId, heardChars: chars, audioMs, ...actor } as const)
    // The session may be gone.
    send(key, cut).catch(() => {})
  }
  const listener: Listener = { audience: ANY_CHANGE, send: look, unsent: () => 0, close: () => {} }
  session.subscribers.add(listener, session.state.head)
  look()
}

/** A listener that only reads the session state. */
export const ANY_CHANGE: Listener['audience'] = { key: 'voice-line', encode: () => '.' }
