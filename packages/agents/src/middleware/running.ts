// Runs one function of a middleware within a time, and collects what it emits for one write. One that throws or hangs does not end the turn.

import { type Json, type JsonObject, present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Job } from '@bridle/kernel/ports/runner'
import { approximateChars } from '@bridle/kernel/text/size'
import { requestUsageItem } from '../loop/context/usage.ts'
import type { LoopRun } from '../loop/loop-run.ts'
import { textMessage } from '../loop/transcript/rendering.ts'
import { answerText } from '../model/model.ts'
import { chooseModel } from '../model/model-choice.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { RunEndedError } from '../session/errors.ts'
import { createMemory, liveMemory, type MemoryAccess } from '../session/memory.ts'
import { agentEventItem, usageItem } from '../session/session-items.ts'
import { trackedCall } from '../session/session-parts.ts'
import { isLoopEventType } from '../tools/tool.ts'
import { thinkInSpan } from '../trace/spans.ts'
import type { Middleware, MiddlewareTurn, ModelQuestion } from './middleware.ts'

/** Events that one function of a middleware may add to the write of its decision: more is a log of its own. */
const HOOK_EVENTS_MAX = 100
/** Characters of these events and usage together: a write holds them in memory a few times. */
const HOOK_EVENTS_CHARS_MAX = 1_000_000

/** The points of a middleware that decide something about a turn. */
export type HookPhase = 'start' | 'before' | 'after' | 'answer' | 'model' | 'compact'

/** The value of a function, or why it has none. `items` belong into the write of the decision; of a failed function its usage and a `hook_event`. */
export type HookResult<T> = { readonly items: readonly ReportItem[] } & (
  | { readonly value: T }
  | { readonly problem: string }
)

/** Calls a function of a middleware. `details` go into the `hook_event` of a failure. Rejects only when the run has ended. */
export const runHook = async <T>(
  run: LoopRun,
  { name }: Pick<Middleware, 'name'>,
  phase: HookPhase,
  work: (turn: MiddlewareTurn) => T | Promise<T>,
  details: JsonObject = {},
): Promise<HookResult<T>> => {
  const { job } = run
  let opened: TurnOfHook | null = null
  const open = (hookSignal: AbortSignal) => {
    opened = createTurn(run, job, hookSignal)
    return work(opened.turn)
  }
  try {
    // A function has as much time as a tool: a turn must not hang.
    const value = await run.withinToolTime<T>(open, (ms) => new Error(`${phase} took longer than ${ms} ms.`))
    return { value, items: (opened as TurnOfHook | null)?.close() ?? [] }
  } catch (failure) {
    run.controls.signal.throwIfAborted()
    const reason = shortErrorMessage(failure)
    const spent = ((opened as TurnOfHook | null)?.close() ?? []).filter(isUsage)
    return {
      problem: `"${name}" failed: ${reason}`,
      items: [...spent, hookEventItem(name, phase, 'error', { ...details, reason })],
    }
  }
}

/** The log's note of a decision that a middleware made. */
export const hookEventItem = (
  hook: string,
  phase: HookPhase,
  status: string,
  details: Readonly<Record<string, JsonObject[string] | undefined>> = {},
): ReportItem => ({
  type: 'event',
  event: { type: 'hook_event', payload: { hook, phase, status, ...present(details) } },
})

interface TurnOfHook {
  readonly turn: MiddlewareTurn
  /** Ends it: the function adds nothing any more. Returns everything that it has added. */
  readonly close: () => readonly ReportItem[]
}

const createTurn = (run: LoopRun, job: Job, signal: AbortSignal): TurnOfHook => {
  const { reporter, ports } = run
  let isOpen = true
  let chars = 0
  const items: ReportItem[] = []
  const check = () => {
    signal.throwIfAborted()
    if (!isOpen) throw new RunEndedError('The function of the middleware is over.')
  }
  const add = (make: () => ReportItem) => {
    check()
    if (items.length >= HOOK_EVENTS_MAX)
      throw new RangeError(`A function of a middleware adds at most ${HOOK_EVENTS_MAX} events.`)
    const item = make()
    chars += approximateChars(item)
    if (chars > HOOK_EVENTS_CHARS_MAX)
      throw new RangeError(
        `A function of a middleware adds events of at most ${HOOK_EVENTS_CHARS_MAX} characters. Publish more as an artifact.`,
      )
    items.push(item)
  }
  const track = <T>(start: () => Promise<T>): Promise<T> => trackedCall(check, start)
  const turn: MiddlewareTurn = {
    sessionId: job.key.id,
    turnId: job.runId,
    prompt: job.prompt,
    input: structuredClone(job.input ?? { prompt: job.prompt }),
    memory: createMemory(track, memoryOfHook(liveMemory(reporter, ports.clock), add), async (proposal) =>
      add(() => proposal),
    ),
    signal,
    // The session holds these messages: the function may change its own copy.
    messages: async () => structuredClone(reporter.session.messages()),
    emit: (type: string, payload: unknown) =>
      add(() => {
        if (type !== 'reflection' && isLoopEventType(type))
          throw new TypeError(`"${type}" is not an event that a middleware can emit.`)
        return agentEventItem(type, payload)
      }),
    usage: (spent) => add(() => usageItem(spent)),
    ask: (question) =>
      track(async () => {
        const { text, usage } = await answerQuestion(run, question, signal)
        add(() => usage)
        return text
      }),
  }
  return {
    turn,
    close: () => {
      isOpen = false
      return items
    },
  }
}

/** Asks a model in a request of its own, which the conversation does not show. */
const answerQuestion = async (
  run: LoopRun,
  { prompt, instructions, model, maxOutputTokens }: ModelQuestion,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: ReportItem }> => {
  const { definition, ports, transcript, job } = run
  if (typeof prompt !== 'string') throw new TypeError('ask() takes { prompt } with a text.')
  const isOwn = model === undefined
  const models = isOwn ? (definition.model ?? []) : [model]
  const chosen = await chooseModel(models, isOwn ? transcript.turn.model : 0, ports.resolveModel)
  const thought = await thinkInSpan(
    run,
    chosen,
    {
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions } as const]),
        textMessage(prompt),
      ],
      tools: [],
      settings: { ...(isOwn && definition.settings), ...present({ maxOutputTokens }) },
      signal,
    },
    (n) => `${job.runId}.question.${n}`,
  )
  return {
    text: answerText(thought.content),
    usage: requestUsageItem(chosen.modelId, thought.usage, null),
  }
}

/** Changes of the memory belong into the write of the decision, too. The function sees its own ones at once. */
const memoryOfHook = (live: MemoryAccess, add: (make: () => ReportItem) => void): MemoryAccess => {
  const changes = new Map<string, Json>()
  const keys = () => [...new Set([...live.keys(), ...changes.keys()])].filter((key) => changes.get(key) !== null)
  return {
    keys,
    entry: (key) => {
      const value = changes.get(key)
      if (value === undefined) return live.entry(key)
      return value === null ? null : { value, expiresAt: null }
    },
    set: async (key, value, ttlMs) => {
      add(() => ({ type: 'memory', key, value, ttlMs }))
      changes.set(key, value)
    },
  }
}

const isUsage = (item: ReportItem): boolean => item.type === 'event' && item.event.type === 'usage'
