// A call of a model, heard while it arrives and returned as one step. It always ends in an answer or in a ModelError.
import { countOf, isJsonObject, present } from '@bridle/events/json'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { AudioTokens } from '@bridle/model-data/prices'
import {
  type LanguageModel,
  type ModelCallOptions,
  type ModelFinish,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelUsage,
  modelProblem,
  type Thought,
} from './model.ts'
import { ModelError } from './model-error.ts'
import { modelError } from './provider-errors.ts'
import { createStepBuilder, type StreamPart } from './step-builder.ts'

/** How often a waiting stream is looked at within `limits.stallMs`: a stall is found at most a quarter late. */
export const STALL_LOOKS = 4

/** A reason of its own for each call would be an error with a stack, which costs more than the rest of the call's end. */
const CALL_ENDED = new Error('The call of the model is over.')

/** Hears an answer while it arrives. The model's stream waits for both. */
export interface ThoughtListener {
  text(delta: string): Promise<void>
  thinking(delta: string): Promise<void>
}

/** For an answer that nobody reads while it arrives. */
export const NO_LISTENER: ThoughtListener = { text: async () => {}, thinking: async () => {} }

export interface ThinkOptions {
  /** Names the calls of the step, which are counted from 1. */
  readonly callId: (n: number) => string
  readonly clock: Clock
  /** A stream without any part for this long counts as broken. */
  readonly stallMs: number
}

export const think = async (
  model: LanguageModel,
  request: ModelRequest,
  listener: ThoughtListener,
  { callId, clock, stallMs }: ThinkOptions,
): Promise<Thought> => {
  const problem = modelProblem(model)
  if (problem !== null) throw new ModelError('unsupported', problem)

  const step = createStepBuilder(callId)
  const stream = openModelStream(model, callOptions(request), { signal: request.signal, clock, stallMs })
  try {
    for (;;) {
      const part = await stream.next()
      if (part === null || (part.type === 'finish' && isCutOff(part))) throw cutOff(model, step.isEmpty())
      if (part.type === 'error') throw modelError(part.error, model, clock.now(), 'stream')
      if (part.type === 'finish') {
        const finish = finishOf(part, model)
        return { content: step.content(), finish, ...tokensOf(part.usage) }
      }
      const piece = step.add(part)
      if (piece) await (piece.type === 'text' ? listener.text(piece.delta) : listener.thinking(piece.delta))
    }
  } finally {
    stream.close()
  }
}

const callOptions = ({ messages, tools, toolChoice, settings }: ModelRequest): ModelCallOptions =>
  present({
    ...settings,
    prompt: messages as ModelMessage[],
    tools: tools.length > 0 ? (tools as ModelTool[]) : undefined,
    toolChoice,
  })

const finishReason = (part: StreamPart) =>
  (part.finishReason ?? {}) as { readonly unified?: unknown; readonly raw?: unknown }

/** Packages end a stream that was cut off like any other, and only leave out why the model stopped. */
const isCutOff = (part: StreamPart): boolean => {
  const { unified, raw } = finishReason(part)
  return unified === 'interrupted' || (unified === 'other' && (raw === undefined || raw === null))
}

const cutOff = (model: LanguageModel, isEmpty: boolean): ModelError => {
  const name = `"${model.provider}/${model.modelId}"`
  return isEmpty
    ? new ModelError(
        'invalid',
        `${name} sent an answer without content. Check the URL of the provider and any proxy before it.`,
      )
    : new ModelError('cut', `The answer of ${name} ended before its end.`)
}

export const FINISHES = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'other',
] as const satisfies readonly ModelFinish[]

const finishOf = (part: StreamPart, model: LanguageModel): ModelFinish => {
  const { unified } = finishReason(part)
  const finish = FINISHES.find((each) => each === unified)
  if (finish) return finish
  const name = `"${model.provider}/${model.modelId}"`
  throw unified === 'error'
    ? new ModelError('unavailable', `${name} stopped because of an error at its provider.`)
    : new ModelError('invalid', `${name} ended its answer for a reason that its interface does not have.`, {
        retryable: false,
      })
}

const tokensOf = (usage: unknown): { usage: ModelUsage; contextTokens?: number } => {
  const { inputTokens, outputTokens } = (usage ?? {}) as Record<string, Record<string, unknown> | null | undefined>
  const input = countOf(inputTokens?.total)
  const output = countOf(outputTokens?.total)
  return present({
    usage: present({
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: countOf(inputTokens?.cacheRead),
      cacheWriteTokens: countOf(inputTokens?.cacheWrite),
      reasoningTokens: countOf(outputTokens?.reasoning),
      audio: audioOf(inputTokens, outputTokens),
    }),
    contextTokens: input === undefined ? undefined : input + (output ?? 0),
  })
}

/** Only models that hear and speak count them. */
const audioOf = (
  input: Record<string, unknown> | null | undefined,
  output: Record<string, unknown> | null | undefined,
): AudioTokens | undefined => {
  const [heard, cached, spoken] = [input?.audio, input?.cachedAudio, output?.audio].map((each) => countOf(each) ?? 0)
  if (!heard && !spoken) return undefined
  const cacheReadTokens = cached ?? 0
  return { inputTokens: Math.max(0, (heard ?? 0) - cacheReadTokens), cacheReadTokens, outputTokens: spoken ?? 0 }
}

/** The stream of one call of a model. A provider that ignores its abort signal, or never answers, holds nothing up. */
const openModelStream = (
  model: LanguageModel,
  options: ModelCallOptions,
  { signal, clock, stallMs }: { signal: AbortSignal; clock: Clock; stallMs: number },
): { next(): Promise<StreamPart | null>; close(): void } => {
  const request = new AbortController()
  let reader: ReadableStreamDefaultReader<unknown> | null = null
  let isClosed = false
  let interrupt: ((error: unknown) => void) | null = null
  let looks = 0
  let stopTimer = () => {}

  /** Waits for the provider, and for nothing else: the time that a listener takes does not count as a stall. */
  const wait = <T>(work: PromiseLike<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      looks = 0
      interrupt = reject
      work.then(resolve, reject)
    })

  // A single timer serves the whole stream: a timer for each token would cost more than the token.
  const look = () => {
    looks += 1
    if (interrupt && looks > STALL_LOOKS) {
      const seconds = Math.round(stallMs / 1000)
      interrupt(new ModelError('stalled', `"${model.provider}/${model.modelId}" sent nothing for ${seconds} seconds.`))
    } else stopTimer = clock.after(stallMs / STALL_LOOKS, look)
  }
  const onAbort = () => interrupt?.(signal.reason)
  const close = () => {
    if (isClosed) return
    isClosed = true
    stopTimer()
    signal.removeEventListener('abort', onAbort)
    request.abort(CALL_ENDED)
    reader?.cancel().catch(() => {})
  }

  const open = async (): Promise<ReadableStreamDefaultReader<unknown>> => {
    const answer = Promise.resolve().then(() => model.doStream({ ...options, abortSignal: request.signal }))
    // An answer that comes too late is ended, or its connection would stay open.
    answer.then((late) => (isClosed ? late?.stream?.cancel?.() : undefined)).catch(() => {})
    const { stream } = await wait(answer)
    return stream.getReader()
  }

  signal.addEventListener('abort', onAbort)
  stopTimer = clock.after(stallMs / STALL_LOOKS, look)

  return {
    /** The next part; null at the end of the stream. */
    next: async () => {
      signal.throwIfAborted()
      try {
        reader ??= await open()
        const { done, value } = await wait(reader.read())
        if (done) return null
        return isJsonObject(value) ? value : {}
      } catch (error) {
        signal.throwIfAborted()
        throw modelError(error, model, clock.now(), reader ? 'stream' : 'request')
      } finally {
        interrupt = null
      }
    },
    close,
  }
}
