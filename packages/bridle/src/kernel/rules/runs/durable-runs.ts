// Durable runs: any owner continues one from the log, in the middle of its turn. While it can only wait, nothing is wanted for it;
// news, or its time, wake it.
import { type Answers, type Command, type Refusal, type ReportItem, refuse, type TextMark } from '../../commands.ts'
import { RESUMES_MAX, SIGNAL_CHARS_MAX, SIGNALS_MAX } from '../../limits.ts'
import { answerMark, hasOutputAfter, thoughtChars } from '../../projections/message-parts.ts'
import { isEnding } from '../../projections/state.ts'
import { approximateChars } from '../../text/size.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { endTurn } from './runs.ts'

/** Counts how often the run is taken up without getting further: work that kills its process must not do so for ever. */
export const resumeRun = (w: DecisionBuilder): void => {
  const { run } = w
  if (!isDurable(w) || !run) return
  const times = w.state.course.resumes + 1
  if (times > RESUMES_MAX)
    return endTurn(w, 'failed', {
      message: `The run was taken up ${RESUMES_MAX} times and got no further.`,
      reason: 'crash_loop',
    })
  w.addToRun('run_resumed', { run_id: run.runId, attempt: run.attempt, times })
}

/** Lets the run wait, unless news came that its runner has not seen, or its time is over already. */
export const letRunWait = (w: DecisionBuilder, { until, seen }: ReportItem & { type: 'waiting' }): void => {
  const { run } = w
  if (!isDurable(w) || !run || w.state.course.newsSeq > seen || (until !== null && w.now >= until)) return
  w.addToRun('run_waiting', { run_id: run.runId, attempt: run.attempt, until })
}

/** Wakes a waiting run when news came or its time is over. */
export const wakeRun = (w: DecisionBuilder): void => {
  const { run } = w
  const { wait, newsSeq } = w.state.course
  if (!run || !wait) return
  const reason = newsSeq > wait.seq ? 'news' : wait.until !== null && w.now >= wait.until ? 'time' : null
  if (reason) w.addToRun('run_woken', { run_id: run.runId, attempt: run.attempt, reason })
}

/** Withdraws the text after a mark; without one, after the last finished step. */
export const supersedeText = (w: DecisionBuilder, keep: TextMark | 'before_last_step' = w.state.course.kept): void =>
  supersedeAfter(w, keep === 'before_last_step' ? w.state.course.stepStart : keep)

const supersedeAfter = (w: DecisionBuilder, mark: TextMark): void => {
  const { run } = w
  if (!isDurable(w) || !run || !hasOutputAfter(w.state.conversation, run.runId, mark)) return
  const { chars, parts } = answerMark(w.state.conversation, run.runId)
  const keep = { chars: Math.min(chars, mark.chars), parts: Math.min(parts, mark.parts) }
  const thinking_chars = thoughtChars(w.state.conversation, run.runId, keep.parts)
  w.addToRun('output_superseded', { run_id: run.runId, attempt: run.attempt, keep: { ...keep, thinking_chars } })
}

/** A run that has not started may turn out to be durable, so that its signals are kept. */
export const signal = (w: DecisionBuilder, command: Command & { type: 'signal' }): Answers['signal'] | Refusal => {
  const { run } = w
  if (isEnding(w.state)) return refuse('session_ended')
  if (!run || run.phase === 'cancelling' || !(run.durable || run.phase === 'requested')) return refuse('not_waiting')
  const { name, payload, actor } = command
  const { count, chars } = w.state.course.signals
  if (count >= SIGNALS_MAX || chars + approximateChars(payload) > SIGNAL_CHARS_MAX) return refuse('signals_full')
  w.addToRun('signal_received', { name, payload, ...(actor !== undefined && { actor }) })
  return { runId: run.runId }
}

const isDurable = ({ run }: DecisionBuilder): boolean => run?.phase === 'started' && run.durable
