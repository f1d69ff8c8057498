// The stream of one call of a model. A provider that ignores its abort signal, or never answers, holds nothing up.
import { isJsonObject } from '@bridle/events/json'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { LanguageModel, ModelCallOptions, ModelStream } from './model.ts'
import { ModelError } from './model-error.ts'
import { modelError } from './provider-errors.ts'
import type { StreamPart } from './step-builder.ts'

/** How often a waiting stream is looked at within `limits.stallMs`: a stall is found at most a quarter late. */
export const STALL_LOOKS = 4

export const openModelStream = (
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

  /** Waits for the provider, and for nothing else: the time that a listener takes is no stall. */
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
    answer.then((late) => isClosed && cancelStream(late)).catch(() => {})
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

/** A reason of its own for each call would be an error with a stack, which costs more than the rest of the call's end. */
const CALL_ENDED = new Error('The call of the model is over.')

const cancelStream = (answer: ModelStream) => void answer?.stream?.cancel?.().catch(() => {})
