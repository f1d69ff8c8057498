// The session as the function of an agent sees it. A durable function starts again from its first line after a crash, a pause or a wait.
// Work that is already in the log is returned from there and not repeated. With `durable: false` the memo is empty, and all work is new.
import type { ReportItem } from '@bridle/kernel/commands'
import { artifactSize } from '@bridle/kernel/rules/artifacts'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { createMemory, liveMemory, replayedMemory } from '../session/memory.ts'
import { ASK_SUBJECT, type QuestionSettings } from '../session/questions.ts'
import { agentEventItem, artifactItem, usageItem } from '../session/session-items.ts'
import { messagesBefore } from '../session/session-parts.ts'
import type { AgentSession } from '../session.ts'
import { CallLookup } from '../steps/call-lookup.ts'
import { type SpeakingCall, TextReplay } from '../steps/text-replay.ts'
import { waitForApproval } from './call-approval.ts'
import { callNames, numberedCallNames } from './call-names.ts'
import { waitForAnswer } from './call-question.ts'
import { abandonedOutcome } from './call-reports.ts'
import type { FunctionRun } from './function-run.ts'
import { refusedSteps, sessionSteps } from './session-steps.ts'
import { runTool } from './tool-call.ts'

/** Characters of streamed text before a run waits for the log. One token event holds at most about twice as many. */
const TEXT_CHARS_MAX = 200_000

export interface FunctionSession {
  readonly session: AgentSession
  /** The reports with which a function that has returned ends: it did not say or call everything again that the log has. */
  readonly closing: () => ReportItem[]
}

/** `run` has loaded its memo. */
export const createFunctionSession = (run: FunctionRun): FunctionSession => {
  const { memo } = run
  const text = new TextReplay(memo.text)
  const thoughts = new TextReplay(memo.thoughts)
  /** After a tool that is run again: its events come after the beginning of its call. The log has none of a new call. */
  const callBeginning = (): number => {
    const origin = run.scope.current()
    return origin?.kind === 'call' ? (memo.calls.get(origin.name)?.from.seq ?? Number.POSITIVE_INFINITY) : 0
  }
  const replayed = run.isDurable
    ? replayedMemory(
        run.reporter,
        memo.startedAt,
        (key, value) => memo.events.take('memory_set', { key, value }, callBeginning()) !== null,
      )
    : null
  const lookup = new CallLookup(memo, ({ from, to }) => {
    text.addCall(from.text, to.text)
    thoughts.addCall(from.thoughts, to.thoughts)
    for (const { key, value } of memo.events.takeBetween('memory_set', from.seq, to.seq))
      replayed?.remember(String(key), value ?? null)
  })
  const calls = { lookup, joinBatch: batchReporter(run) }
  const names = run.isDurable ? callNames(run) : numberedCallNames(calls.joinBatch)
  const sendText = textSender(run.reporter)

  const speakingCall = (part: 'text' | 'thoughts'): SpeakingCall | null => {
    const origin = run.scope.current()
    if (origin?.kind !== 'call') return null
    return { id: origin.name, from: memo.calls.get(origin.name)?.from[part] ?? null }
  }

  const say = async (chunk: string): Promise<void> => {
    const { text: rest, keep } = text.say(chunk, speakingCall('text'))
    // Both at once: a later piece must not come between them.
    const withdrawal = keep === null ? null : run.report(supersedeText(keep - memo.inherited.text))
    await Promise.all([withdrawal, rest === '' ? null : sendText(rest)])
  }

  const think = async (type: 'thinking' | 'reflection', chunk: string): Promise<void> => {
    const { text: rest, keep } = thoughts.say(chunk, speakingCall('thoughts'))
    if (keep === null) {
      if (rest !== '') await run.report(agentEventItem(type, { text: rest }))
      return
    }
    // A thought is withdrawn as a whole: its beginning is said again.
    const { parts, chars } = thoughtPart(run, keep - memo.inherited.thoughts)
    const beginning = memo.thoughts.slice(memo.inherited.thoughts + chars, keep)
    await run.report(
      { type: 'supersede', keep: { chars: Number.MAX_SAFE_INTEGER, parts } },
      agentEventItem(type, { text: beginning + rest }),
    )
  }

  const emitItem = (make: () => ReportItem) =>
    run.track(async () => {
      const item = make()
      if (item.type !== 'event' || !run.isDurable) return run.report(item)
      const { event } = item
      if (event.type === 'token') return say((event.payload as { text: string }).text)
      if (event.type === 'thinking' || event.type === 'reflection')
        return think(event.type, (event.payload as { text: string }).text)
      const earlier = memo.events.take(event.type, event.payload, callBeginning())
      if (!earlier) return run.report(item)
      if (event.type === 'tool_call') lookup.markTaken(String(earlier.tool_call_id))
    })

  const emit = (type: string, payload: unknown) => emitItem(() => agentEventItem(type, payload))

  /** An artifact that the log has, with the same text, is not published again. */
  const publish = async (item: ReportItem & { readonly type: 'artifact' }): Promise<void> => {
    const { name, contentType, kind, text: content } = item
    const fields = { name, content_type: contentType, ...(kind !== undefined && { kind }), size: artifactSize(content) }
    for (const earlier of memo.events.candidates('artifact_published', fields, callBeginning())) {
      const id = String(earlier.artifact_id)
      if ((await run.reporter.session.artifactText(id, memo.artifacts.get(id)?.seq)) !== content) continue
      if (memo.events.take('artifact_published', { artifact_id: id })) return
    }
    await run.report(item)
  }

  const session: AgentSession = {
    id: run.job.key.id,
    ...(run.isDurable ? sessionSteps(run) : refusedSteps(run)),

    text: (chunk) =>
      run.track(async () => {
        if (typeof chunk !== 'string') throw new TypeError('session.text() takes a text.')
        await say(chunk)
      }),

    thinking: (chunk) => emit('thinking', { text: chunk }),

    tool: (name, args, execute, options = {}) =>
      run.track(async () =>
        runTool(run, calls, { base: names.ofTool(name, options.id), tool: name }, args, execute, options),
      ),

    approval: ({ subject, ...question }) =>
      run.track(async () => waitForApproval(run, lookup, { base: names.ofQuestion(subject), tool: subject }, question)),

    ask: (asked: unknown, options: QuestionSettings = {}) =>
      run.track(async () =>
        waitForAnswer(run, lookup, names.ofQuestion(ASK_SUBJECT), asked, options),
      ) as Promise<never>,

    checkpoint: (summary) =>
      emit('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: summary }),

    artifact: (name, content, contentType, kind) =>
      run.track(async () => {
        await publish(artifactItem(name, content, contentType, kind))
      }),

    directive: (directive) => emit('directive', directive),
    usage: (spent) => emitItem(() => usageItem(spent)),
    emit: (type: string, payload: unknown) => emit(type, payload),
    messages: async () => messagesBefore(run, memo.runIds),
    memory: createMemory((start) => run.track(start), replayed ?? liveMemory(run.reporter, run.ports.clock), publish),
  }

  return {
    session,
    closing: () => {
      const keep = text.end()
      return [
        ...(keep === null ? [] : [supersedeText(keep - memo.inherited.text)]),
        ...lookup.abandoned().map(abandonedOutcome),
      ]
    },
  }
}

/** Calls that begin at the same moment, as with `Promise.all`: a `tool_batch` tells readers that they belong together. */
const batchReporter = (run: FunctionRun): ((callId: string) => void) => {
  const calls = new Set<string>()
  let wave = run.memo.batches
  const flush = () => {
    const ids = [...calls]
    calls.clear()
    if (ids.length < 2) return
    wave += 1
    // A run that has ended takes no reports.
    run.report(agentEventItem('tool_batch', { tool_call_ids: ids, wave, mode: 'parallel' })).catch(() => {})
  }
  return (callId) => {
    if (calls.size === 0) queueMicrotask(flush)
    calls.add(callId)
  }
}

const textSender = (reporter: RunReporter): ((text: string) => Promise<void>) => {
  let unsent = 0
  return async (text) => {
    for (let from = 0; from < text.length; from += TEXT_CHARS_MAX) {
      const piece = text.slice(from, from + TEXT_CHARS_MAX)
      unsent += piece.length
      await reporter.token(piece)
      // Pacing merges fast tokens into one event. An agent that never pauses waits for the log here, or its text would pile up.
      if (unsent < TEXT_CHARS_MAX) continue
      unsent = 0
      await reporter.report([])
    }
  }
}

/** Withdraws text after so many characters, and no thoughts. */
const supersedeText = (chars: number): ReportItem => ({
  type: 'supersede',
  keep: { chars: Math.max(0, chars), parts: Number.MAX_SAFE_INTEGER },
})

/** The part of the answer that holds the thought at a place, and the characters of the thoughts before that part. */
const thoughtPart = (run: FunctionRun, at: number): { readonly parts: number; readonly chars: number } => {
  const answer = run.reporter.session
    .messages()
    .findLast(({ role, runId }) => role === 'assistant' && runId === run.job.runId)
  let chars = 0
  for (const [parts, part] of (answer?.parts ?? []).entries()) {
    if (part.type !== 'reasoning' || part.superseded) continue
    if (chars + part.text.length > at) return { parts, chars }
    chars += part.text.length
  }
  return { parts: answer?.parts?.length ?? 0, chars: Math.min(chars, Math.max(0, at)) }
}
