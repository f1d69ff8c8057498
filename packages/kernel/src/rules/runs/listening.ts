// The listener of a spoken answer: how much of it was heard is in the log while it is played, so that a process which dies does not
// leave an answer that nobody has heard.
import type { Answers, Command, HeardCommand } from '../../commands.ts'
import { answerOf, hasCallAfter } from '../../projections/message-parts.ts'
import type { SessionState } from '../../projections/state.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { interrupt } from './interruption.ts'

export const recordHeard = (w: DecisionBuilder, command: HeardCommand): Answers['heard'] => {
  const { runId, isOver } = command
  const before = w.state.listening.answer
  const content = answerOf(w.state.conversation.messages, runId)?.content ?? ''
  const chars = Math.min(Math.max(0, Math.floor(command.chars)), content.length)
  // An answer that was withdrawn, and one that nobody began to hear, leave nothing to say.
  if (isOver ? before?.runId !== runId : content === '' || (before?.runId === runId && before.chars === chars))
    return {}
  addHeard(w, { ...command, chars })
  return {}
}

/** The listener has interrupted the answer with the end of the process: the log keeps what was heard. */
export const loseListener = (
  w: DecisionBuilder,
  _command: Command & { type: 'lose_listener' },
): Answers['lose_listener'] => {
  const mark = w.state.listening.answer
  if (!mark) return {}
  const { runId, chars, audioMs } = mark
  if (isCut(w.state, mark)) interrupt(w, { type: 'interrupt', runId, heardChars: chars, audioMs })
  else addHeard(w, { type: 'heard', ...mark, isOver: true })
  return {}
}

/**
 * An answer of which nothing was heard is one in writing, and so is one with a call behind what was heard. The text of a step that was
 * cut off would be written anew, in other words than those that were heard: such a run ends.
 */
const isCut = (state: SessionState, { runId, chars }: { readonly runId: string; readonly chars: number }): boolean => {
  const answer = answerOf(state.conversation.messages, runId)
  if (!answer || chars === 0 || hasCallAfter(answer, chars)) return false
  return state.lifecycle.run?.runId === runId ? chars > state.course.kept.chars : chars < answer.content.length
}

const addHeard = (w: DecisionBuilder, { runId, chars, audioMs, isOver }: HeardCommand): void => {
  const payload = {
    ...{ run_id: runId, chars, audio_ms: Math.max(0, Math.round(audioMs)) },
    ...(isOver && { over: true as const }),
  }
  if (w.run?.runId === runId && w.run.phase === 'started') w.addToRun('answer_heard', payload)
  else w.addToOtherRun({ run: runId }, 'answer_heard', payload)
}
