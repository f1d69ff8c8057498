// Durable runs: any owner continues one from the log, in the middle of its turn. While it can only wait, nothing is wanted for it;
// news, or its time, wake it.
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

/** Crashes that count against a durable run without progress before it fails: one or two may be chance. */
export const RESUMES_MAX = 5
/** After this many a run is a suspect: later crashes count only while no other run is at work. */
const SUSPECT_RESUMES = 2
/** Signals of one run: its runner keeps them in memory until the run ends. A sender that loops reaches the number, a workflow never does. */
export const SIGNALS_MAX = 1_000
/** Characters of these signals together, for the same reason: some payloads of the largest size. */
export const SIGNAL_CHARS_MAX = 8_000_000

/**
 * Counts crashes without progress, so that a run cannot kill its process forever. A crash beside other runs makes the run a suspect at
 * most. Only crashes on trial, while no other run was at work, can fail it.
 */
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
      // Background work has retries for this, too.
      ...(w.state.lifecycle.kind === 'background' && { transient: true }),
    })
  const { alone, others } = pass
  w.addToRun('run_resumed', {
    ...{ run_id: run.runId, attempt: run.attempt, times },
    ...(isSuspect && alone !== undefined && { alone }),
    ...(others !== undefined && { others }),
  })
}

/** The pass of a session without a gate, as in a Durable Object: every crash counts. */
const ON_ITS_OWN: RunPass = { died: true, alone: true }

const crashLoopMessage = ({ others: most }: TakeUps, { others }: RunPass): string => {
  const message = `The run was resumed ${RESUMES_MAX} times without making progress.`
  if (others === undefined) return message
  const open = Math.max(most, others)
  const beside =
    open === 0 ? 'No other run was open.' : `Up to ${open} other ${open === 1 ? 'run was' : 'runs were'} open.`
  return `${message} Its server crashed each time, the last ${RESUMES_MAX - SUSPECT_RESUMES} times while no other run was at work. ${beside}`
}

/** The suspicion under which the host resumes the run; null = the run is not a suspect. */
export const suspicionOf = ({ course: { takeUps } }: SessionState): Suspicion | null =>
  takeUps.times < SUSPECT_RESUMES
    ? null
    : {
        diedInTrial: takeUps.alone !== null && !takeUps.isExcused,
        trials: takeUps.all,
        inconclusive: Math.max(0, takeUps.all - takeUps.times),
      }

/** Crashes from here on do not count against the run. */
export const excuseRun = (w: DecisionBuilder, { reason }: ExcuseCommand): Answers['excuse_run'] => {
  const { run } = w
  const { takeUps, wait } = w.state.course
  if (isDurable(w) && run && wait === null && !takeUps.isExcused)
    w.addToRun('run_excused', { run_id: run.runId, attempt: run.attempt, reason })
  return {}
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
