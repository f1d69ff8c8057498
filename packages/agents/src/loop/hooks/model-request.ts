// A request of the loop to its model, inside the functions `model` of the middleware. People read the text while it arrives: text of a
// request that the middleware does not use is withdrawn, and text that the middleware wrote itself is shown with the answer.

import { isDeeperThan, present } from '@bridle/events/json'
import { TOKEN_CHARS_MAX, TOKEN_PACE_MS } from '@bridle/events/limits'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { splitIntoChunks } from '@bridle/kernel/text/chunks'
import * as v from 'valibot'
import { type Layer, surround } from '../../middleware/layers.ts'
import {
  CALL_INPUT_DEPTH_MAX,
  ENTRIES_MAX,
  PROVIDER_ID_CHARS_MAX,
  RAW_CHARS_MAX,
  STEP_CHARS_MAX,
  TOOL_NAME_CHARS_MAX,
} from '../../model/limits.ts'
import type { LanguageModel, ModelRequest, StepContent, Thought } from '../../model/model.ts'
import { ModelError } from '../../model/model-error.ts'
import { FINISHES, type ThinkOptions, type ThoughtListener } from '../../model/think.ts'
import { toPlainJson } from '../../schemas/input.ts'
import { ERROR_CHARS_MAX } from '../../session/limits.ts'
import { thinkInSpan } from '../../trace/spans.ts'
import { eventItem } from '../calls/call-items.ts'
import { requestUsageItem } from '../context/usage.ts'
import type { LoopRun } from '../loop-run.ts'
import { deepFreeze, ownCopy } from './own-copy.ts'

/** Requests of the functions `model` in one step, and of `compact` for one summary: a middleware that asks without end costs money without end. */
export const MODEL_REQUESTS_MAX = 10

/** An answer that is not in the log yet, and the items that put it there. */
export interface RequestAnswer {
  readonly thought: Thought
  readonly items: readonly ReportItem[]
}

/** `hooked` gets the decisions of the middleware, also where the request fails. */
export const makeRequest = async (
  run: LoopRun,
  model: LanguageModel,
  request: ModelRequest,
  callId: ThinkOptions['callId'],
  hooked: ReportItem[],
): Promise<RequestAnswer> => {
  const { definition, reporter, ports } = run
  const layers = layersOf(run)
  if (layers.length === 0) {
    const listener = createThoughtReporter(reporter, ports.clock)
    try {
      return { thought: await thinkInSpan(run, model, request, callId, listener), items: listener.close() }
    } finally {
      listener.close()
    }
  }
  const requests = new Requests(run, model, request.signal, callId)
  try {
    const ask = surround(layers, (given: ModelRequest) => requests.make(given), {
      ...{ phase: 'model', clock: ports.clock, signal: request.signal, ms: definition.limits.toolMs, items: hooked },
      check: (returned) => checkedThought(returned, callId),
    })
    const thought = await ask(ownRequest(request))
    return { thought, items: [...hooked, ...requests.unusedUsage(thought), ...requests.shown(thought)] }
  } catch (error) {
    hooked.push(...requests.unusedUsage(null))
    throw error
  } finally {
    requests.end()
  }
}

/** The transcript and the tools are used again, in other requests and in other sessions: a function may change its own copy. */
const ownRequest = ({ messages, tools, settings, ...rest }: ModelRequest): ModelRequest => ({
  ...rest,
  messages: ownCopy(messages),
  tools: ownCopy(tools),
  settings: ownCopy(settings),
})

const layersOf = ({ definition: { use } }: LoopRun): readonly Layer<ModelRequest, Thought>[] =>
  use.flatMap((middleware) => {
    const call = middleware.model?.bind(middleware)
    return call ? [{ name: middleware.name, call }] : []
  })

/** The requests of one step. The text of the last one is shown while it arrives. */
class Requests {
  readonly #run: LoopRun
  readonly #model: LanguageModel
  readonly #callId: ThinkOptions['callId']
  /** Ends the requests that the middleware no longer waits for. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  readonly #thoughts: Thought[] = []
  #count = 0
  #listener: ThoughtReporter | null = null
  #shown: Thought | null = null

  constructor(run: LoopRun, model: LanguageModel, signal: AbortSignal, callId: ThinkOptions['callId']) {
    this.#run = run
    this.#model = model
    this.#callId = callId
    this.#signal = AbortSignal.any([signal, this.#end.signal])
  }

  async make(request: ModelRequest): Promise<Thought> {
    this.#count += 1
    if (this.#count > MODEL_REQUESTS_MAX)
      throw new ModelError('middleware', `Middleware makes at most ${MODEL_REQUESTS_MAX} requests in one step.`)
    if (!Array.isArray(request?.messages) || !Array.isArray(request.tools) || typeof request.settings !== 'object')
      throw new ModelError('middleware', 'next takes a request: { ...request, messages, tools, settings }.')
    const own = createThoughtReporter(this.#run.reporter, this.#run.ports.clock)
    const before = this.#listener
    this.#listener = own
    if (before) await this.#withdraw(before)
    const whenShown = (show: (delta: string) => Promise<void>) => async (delta: string) => {
      if (this.#listener === own) await show(delta)
    }
    const listener = { text: whenShown(own.text), thinking: whenShown(own.thinking) }
    const signal =
      request.signal instanceof AbortSignal ? AbortSignal.any([this.#signal, request.signal]) : this.#signal
    const thought = await thinkInSpan(this.#run, this.#model, { ...request, signal }, this.#callId, listener)
    deepFreeze(thought)
    this.#thoughts.push(thought)
    if (this.#listener === own) this.#shown = thought
    return thought
  }

  /** Tokens of the answers that the step does not have. A changed answer has the usage of the one it was made of. */
  unusedUsage(thought: Thought | null): ReportItem[] {
    return this.#thoughts
      .filter(({ usage }) => usage !== thought?.usage)
      .map(({ usage }) => requestUsageItem(this.#model.modelId, usage, null))
  }

  /** The rest of the text that people have not read yet; all of it, where they have read another one. */
  shown(thought: Thought): ReportItem[] {
    const rest = this.#listener?.close() ?? []
    if (thought === this.#shown) return rest
    return [{ type: 'supersede' }, ...thought.content.flatMap(textItems)]
  }

  end(): void {
    this.#listener?.close()
    this.#listener = null
    this.#end.abort(new Error('The step is over.'))
  }

  async #withdraw(listener: ThoughtReporter): Promise<void> {
    listener.close()
    this.#shown = null
    await this.#run.report([{ type: 'supersede' }])
  }
}

const textItems = (entry: StepContent): ReportItem[] => {
  if (entry.type !== 'text' && entry.type !== 'reasoning') return []
  const type = entry.type === 'text' ? 'token' : 'thinking'
  return splitIntoChunks(entry.text).map((text) => eventItem(type, { text }))
}

/** An answer that a middleware made itself, as a step of the log: plain JSON, with ids of ours for its calls. */
const object = v.record(v.string(), v.any())
const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const tokens = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)))

const thoughtSchema = v.object({
  content: v.pipe(
    v.array(
      v.variant('type', [
        v.object({ type: v.picklist(['text', 'reasoning']), text: v.string(), metadata: v.optional(object) }),
        v.object({
          ...{ type: v.literal('call'), tool: text(TOOL_NAME_CHARS_MAX), input: object, metadata: v.optional(object) },
          provider_id: v.optional(text(PROVIDER_ID_CHARS_MAX)),
          problem: v.optional(text(ERROR_CHARS_MAX)),
          raw: v.optional(text(RAW_CHARS_MAX)),
        }),
        v.object({ type: v.literal('provider'), part: object }),
      ]),
    ),
    v.minLength(1),
    v.maxLength(ENTRIES_MAX),
  ),
  finish: v.optional(v.picklist(FINISHES)),
  usage: v.optional(
    v.object({
      ...{ inputTokens: tokens, outputTokens: tokens, reasoningTokens: tokens },
      ...{ cacheReadTokens: tokens, cacheWriteTokens: tokens },
    }),
    {},
  ),
  contextTokens: tokens,
})

/** Throws where the value is no answer. Its usage stays the very object, so that nobody counts it twice. */
const checkedThought = (returned: unknown, callId: ThinkOptions['callId']): Thought => {
  const plain = toPlainJson(returned, 'answer of model')
  const checked = v.safeParse(thoughtSchema, plain)
  if (!checked.success)
    throw new TypeError(
      `model returns the answer of next, or { content: [{ type: 'text', text }], finish, usage }: ${v.summarize(checked.issues)}`,
    )
  if (JSON.stringify(plain).length > STEP_CHARS_MAX || isDeeperThan(plain, CALL_INPUT_DEPTH_MAX))
    throw new RangeError(
      `model returned more than ${STEP_CHARS_MAX} characters, or more than ${CALL_INPUT_DEPTH_MAX} levels.`,
    )
  const { content, finish, usage, contextTokens } = checked.output
  const hasCalls = content.some(({ type }) => type === 'call')
  const own = (returned as Partial<Thought>).usage
  const ids = new Set<string>()
  let calls = 0
  const entry = (each: (typeof content)[number]): StepContent => {
    if (each.type !== 'call') return present(each) as StepContent
    calls += 1
    // Calls that come from two answers may have the same id.
    const id = each.provider_id && !ids.has(each.provider_id) ? each.provider_id : `call_${callId(calls)}`
    ids.add(id)
    return present({ ...each, id: callId(calls), provider_id: id }) as StepContent
  }
  return present({
    content: content.filter((each) => !('text' in each) || each.text !== '' || each.metadata !== undefined).map(entry),
    finish: finish ?? (hasCalls ? 'tool-calls' : 'stop'),
    usage: own ?? usage,
    contextTokens,
  }) as Thought
}

interface ThoughtReporter extends ThoughtListener {
  /** Ends the pacing. The items still have to be reported. */
  close(): ReportItem[]
}

/** Reports the text and the thoughts of a model while they arrive. The reporter paces text; thoughts are paced here in the same way. */
export const createThoughtReporter = (reporter: RunReporter, clock: Clock): ThoughtReporter => {
  let thoughts = ''
  let cancelTimer: (() => void) | null = null

  const take = (): ReportItem[] => {
    const text = thoughts
    thoughts = ''
    return text === '' ? [] : [{ type: 'event', event: { type: 'thinking', payload: { text } } }]
  }
  const flush = (): Promise<void> => {
    const items = take()
    return items.length === 0 ? Promise.resolve() : reporter.report(items)
  }
  /** Sends the waiting thoughts and starts the next pause. A refusal reaches the run at its next awaited report. */
  const pace = () => {
    cancelTimer = null
    if (thoughts === '') return
    flush().catch(() => {})
    cancelTimer = clock.after(TOKEN_PACE_MS, pace)
  }

  return {
    text: async (delta) => {
      // Thoughts stay ahead of the text that follows from them. The first text leaves at once, and so do they.
      if (thoughts !== '') flush().catch(() => {})
      await reporter.token(delta)
    },
    thinking: async (delta) => {
      thoughts += delta
      if (thoughts.length > TOKEN_CHARS_MAX) return flush()
      if (cancelTimer === null) pace()
    },
    close: () => {
      cancelTimer?.()
      cancelTimer = null
      return take()
    },
  }
}
