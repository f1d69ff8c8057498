// A language model for tests. It follows a script and needs no provider, no key and no network.

import { hashText } from '@bridle/events/json'
import type { LanguageModel } from '../model/model.ts'
import { answerOf, type ModelScript, type ScriptAnswer, scriptError, scriptRequest } from './script.ts'

/** The longest pause of a script: a timer beyond it fires at once. */
const DELAY_MS_MAX = 2 ** 31 - 1
/** Pieces of one text: a script that wants more is a mistake, and each piece is a part of the stream. */
const CHUNKS_MAX = 100_000

/** How a scripted model presents itself. */
export interface ScriptedModelOptions {
  /** The version of the interface; default `v4`. */
  readonly version?: 'v3' | 'v4'
  /** The name of the provider; default `scripted`. */
  readonly provider?: string
  /** The name of the model; default `script`. */
  readonly modelId?: string
}

/**
 * A model that answers from a script, for tests of an agent. Its answer follows from the prompt alone: a process that continues a
 * session after a crash goes on in the script where the first process was.
 */
export const scriptedModel = (
  script: ModelScript,
  { version = 'v4', provider = 'scripted', modelId = 'script' }: ScriptedModelOptions = {},
): LanguageModel => ({
  specificationVersion: version,
  provider,
  modelId,
  doStream: async ({ prompt, tools = [], abortSignal }) => {
    const answer = await answerOf(script, scriptRequest(prompt, tools))
    // The length of the prompt makes the ids of calls unique in a conversation, and the same in every process.
    const parts = answerParts(answer, `call_${prompt.length}`)
    if (typeof answer.error === 'object' && parts.length === 0) {
      await pause(answer.delayMs, abortSignal)
      throw scriptError(answer.error)
    }
    return { stream: scriptStream(parts, answer, abortSignal) }
  },
})

// The answer of a script as a stream of parts, as the packages of providers send it.

type Part = { readonly type: string; readonly [name: string]: unknown }

/** The parts of the answer itself, without its end. */
const answerParts = ({ thinking, text, calls = [], chunks }: ScriptAnswer, callId: string): Part[] => [
  ...(thinking ? textParts('reasoning', thinking, chunks) : []),
  ...(text ? textParts('text', text, chunks) : []),
  ...calls.flatMap(({ tool, input = {}, id = '' }, index) => {
    const json = typeof input === 'string' ? input : JSON.stringify(input)
    const toolCallId = id || `${callId}_${index + 1}`
    return [
      { type: 'tool-input-start', id: toolCallId, toolName: tool },
      { type: 'tool-input-delta', id: toolCallId, delta: json },
      { type: 'tool-input-end', id: toolCallId },
      { type: 'tool-call', toolCallId, toolName: tool, input: json },
    ]
  }),
]

/** Sends the parts, each after the pause of the answer, and the end that the answer has. */
const scriptStream = (
  parts: readonly Part[],
  answer: ScriptAnswer,
  signal: AbortSignal | undefined,
): ReadableStream<Part> => {
  const all = [{ type: 'stream-start', warnings: [] }, ...parts, ...endParts(answer)]
  let sent = 0
  return new ReadableStream<Part>({
    pull: async (controller) => {
      const part = all[sent]
      sent += 1
      if (part) {
        await pause(answer.delayMs, signal)
        controller.enqueue(part)
      } else if (answer.error === 'stalled') await untilAborted(signal)
      else controller.close()
    },
  })
}

const endParts = ({ error, usage = {}, calls = [], finish }: ScriptAnswer): Part[] => {
  if (typeof error === 'object') return [{ type: 'error', error: scriptError(error) }]
  if (error) return []
  const unified = finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')
  const { inputTokens, outputTokens } = usage
  return [
    {
      type: 'finish',
      finishReason: { unified, raw: unified },
      usage: {
        inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
      },
    },
  ]
}

const textParts = (type: 'text' | 'reasoning', text: string, chunks: number | undefined): Part[] => [
  { type: `${type}-start`, id: type },
  ...pieces(text, chunks).map((delta) => ({ type: `${type}-delta`, id: type, delta })),
  // Reasoning has a signature, which its provider wants back unchanged.
  type === 'text'
    ? { type: 'text-end', id: type }
    : { type: 'reasoning-end', id: type, providerMetadata: { scripted: { signature: hashText(text) } } },
]

const pieces = (text: string, chunks: number | undefined): string[] => {
  if (chunks === undefined) return text.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? [text]
  const size = Math.ceil(text.length / Math.min(Math.max(Math.trunc(chunks), 1), CHUNKS_MAX))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size))
}

/** Waits, unless the call is aborted. */
const pause = async (ms: number | undefined, signal: AbortSignal | undefined): Promise<void> => {
  signal?.throwIfAborted()
  if (!ms) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = () => reject(signal?.reason)
  const timer = setTimeout(resolve, Math.min(ms, DELAY_MS_MAX))
  signal?.addEventListener('abort', onAbort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
