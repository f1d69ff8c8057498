// Any owner can continue a durable run from the log, mid-turn. While it waits for news or a deadline, it has no wanted effect.
import {
  type Answers,
  type Command,
  type ExcuseCommand,
  type Refusal,
  type ReportItem,
  refuse,
  type TextMark,
} from '../../commands.ts'
import type { TakeUps } from '../../projections/course.ts'
import { answerMark, hasOutputAfter, thoughtChars } from '../../projections/message-parts.ts'
import { isEnding, type SessionState } from '../../projections/state.ts'
import type { RunPass, Suspicion } from '../../session/run-gate.ts'
import { approximateChars } from '../../text/size.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { failRun } from './runs.ts'

/** A crash or two without progress may be chance. */
export const RESUMES_MAX = 5
/** From here on, only crashes during a trial alone count. */
const SUSPECT_RESUMES = 2
/** The runner keeps signals in memory. Only a sender in a loop reaches this. */
export const SIGNALS_MAX = 1_000
/** Bounds the runner's memory too: room for a few payloads of maximum size. */
export const SIGNAL_CHARS_MAX = 8_000_000

/** Crashes beside other runs make the run a suspect at most. Only crashes during a trial alone can fail it. */
export const resumeRun = (w: DecisionBuilder, pass: RunPass = ON_ITS_OWN): void => {
  const { run } = w
  if (!isDurable(w) || !run) return
  const { takeUps } = w.state.course
  const isSuspect = takeUps.times >= SUSPECT_RESUMES
  const counts = pass.died && !takeUps.isExcused && (takeUps.times <= SUSPECT_RESUMES || takeUps.alone === true)
  const times = takeUps.times + (counts ? 1 : 0)
  if (times > RESUMES_MAX)
    return failRun(w, {
      ...{ message: crashLoopMessage(takeUps, pass), reason: 'crash_loop' },
      // Retries of background work apply to crash loops, too.
      ...(w.state.lifecycle.kind === 'background' && { transient: true }),
    })
  const { alone, others } = pass
  w.addToRun('run_resumed', {
    ...{ run_id: run.runId, attempt: run.attempt, times },
    ...(isSuspect && alone !== undefined && { alone }),
    ...(others !== undefined && { others }),
  })
}

/** Without a gate, as in a Durable Object, every crash counts. */
const ON_ITS_OWN: RunPass = { died: true, alone: true }

const crashLoopMessage = ({ others: most }: TakeUps, { others }: RunPass): string => {
  const message = `The run was resumed ${RESUMES_MAX} times without making progress.`
  if (others === undefined) return message
  const open = Math.max(most, others)
  const beside =
    open === 0 ? 'No other run was open.' : `Up to ${open} other ${open === 1 ? 'run was' : 'runs were'} open.`
  return `${message} Its server crashed each time, the last ${RESUMES_MAX - SUSPECT_RESUMES} times while no other run was at work. ${beside}`
}

/** Null if the run is not a suspect. */
export const suspicionOf = ({ course: { takeUps } }: SessionState): Suspicion | null =>
  takeUps.times < SUSPECT_RESUMES
    ? null
    : {
        diedInTrial: takeUps.alone !== null && !takeUps.isExcused,
        trials: takeUps.all,
        inconclusive: Math.max(0, takeUps.all - takeUps.times),
      }

export const excuseRun = (w: DecisionBuilder, { reason }: ExcuseCommand): Answers['excuse_run'] => {
  const { run } = w
  const { takeUps, wait } = w.state.course
  if (isDurable(w) && run && wait === null && !takeUps.isExcused)
    w.addToRun('run_excused', { run_id: run.runId, attempt: run.attempt, reason })
  return {}
}

/** Does nothing if there is unseen news or the deadline has passed. */
export const letRunWait = (w: DecisionBuilder, { until, seen }: ReportItem & { type: 'waiting' }): void => {
  const { run } = w
  if (!isDurable(w) || !run || w.state.course.newsSeq > seen || (until !== null && w.now >= until)) return
  w.addToRun('run_waiting', { run_id: run.runId, attempt: run.attempt, until })
}

export const wakeRun = (w: DecisionBuilder): void => {
  const { run } = w
  const { wait, newsSeq } = w.state.course
  if (!run || !wait) return
  const reason = newsSeq > wait.seq ? 'news' : wait.until !== null && w.now >= wait.until ? 'time' : null
  if (reason) w.addToRun('run_woken', { run_id: run.runId, attempt: run.attempt, reason })
}

/** Without a mark: after the last finished step. */
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

/** Accepts signals for a run that has not started, since it may turn out to be durable. */
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
