// Playback progress is logged, so that a process that dies does not leave text that was never heard.
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
  // Skip withdrawn answers, and those whose playback never started.
  if (isOver ? before?.runId !== runId : content === '' || (before?.runId === runId && before.chars === chars))
    return {}
  addHeard(w, { ...command, chars })
  return {}
}

/** The crash interrupted playback, so the log keeps what was heard. */
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

/** A partly heard step is interrupted: a rerun would use other words. Unheard answers count as written. */
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
