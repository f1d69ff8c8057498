// A model on any server that speaks OpenAI's Chat Completions, such as Ollama, llama.cpp, vLLM or LM Studio. Needs no package.
import type { LanguageModel, ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import { isJsonObject } from '@bridle/events/json'
import { dataLines } from './chat-lines.ts'
import { CHAT_PROVIDER, chatRequest } from './chat-request.ts'
import { type ChatPart, chatParts } from './chat-stream.ts'

/** Enough for a provider's error message, but not a proxy's page. */
const ERROR_BODY_CHARS_MAX = 20_000

export interface ChatModelOptions {
  /** Base URL without `/chat/completions`, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly key?: string | undefined
}

export const chatModel = (modelId: string, { url, key }: ChatModelOptions): LanguageModel => ({
  specificationVersion: 'v3',
  provider: CHAT_PROVIDER,
  modelId,
  doStream: async (options): Promise<ModelStream> => {
    const answer = await post({ url, key }, modelId, options)
    // Some servers echo the key in error messages.
    const hide = (text: string) => (key ? text.replaceAll(key, '***') : text)
    const type = answer.headers.get('content-type') ?? ''
    // A proxy's page, or an error with status 200.
    if (!answer.ok || !answer.body || /html|json/.test(type)) throw await requestError(answer, url, hide)
    return { stream: streamOf(chatParts(dataLines(answer.body), hide)) }
  },
})

/** Users often configure the full URL. */
const baseOf = (url: string): string => url.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')

const post = ({ url, key }: ChatModelOptions, modelId: string, options: ModelCallOptions): Promise<Response> =>
  fetch(`${baseOf(url)}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(chatRequest(modelId, options)),
    ...(options.abortSignal && { signal: options.abortSignal }),
  }).catch((cause: unknown) => {
    options.abortSignal?.throwIfAborted()
    const message = `Nothing answers at ${shownAddress(url)} (BRIDLE_MODEL_URL). Is the server of the model running?`
    throw new Error(message, { cause })
  })

/** Drops credentials and query, because error messages are shown to people. */
const shownAddress = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Sets the same fields as AI SDK errors, from which the failure reason is derived. */
const requestError = async (answer: Response, url: string, hide: (text: string) => string): Promise<Error> => {
  const responseBody = hide(await bodyStart(answer))
  const fields = { statusCode: answer.status, responseHeaders: Object.fromEntries(answer.headers) }
  const words = plainError(responseBody) ?? hide(answer.statusText)
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  if (answer.status === 404 && !isJson) return Object.assign(new Error(`There are ${WRONG_ADDRESS}`), fields)
  // A 404 with JSON may also mean an unknown model, so the server's message comes first.
  if (answer.status === 404 && !hasVersion(url))
    return Object.assign(new Error(`${words.replace(/\.?$/, '.')} Perhaps there are ${WRONG_ADDRESS}`), fields)
  return Object.assign(new Error(words), { ...fields, responseBody })
}

const WRONG_ADDRESS = 'no Chat Completions at BRIDLE_MODEL_URL. Most servers have them below /v1.'

const hasVersion = (url: string): boolean => /\/v\d\w*(\/|$)/.test(new URL(baseOf(url)).pathname)

const bodyStart = async (answer: Response): Promise<string> => {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true })
      if (text.length > ERROR_BODY_CHARS_MAX) break
    }
  } catch {
    // The status alone has to do.
  }
  return text.slice(0, ERROR_BODY_CHARS_MAX)
}

/** Ollama sends `{ "error": "…" }`, OpenAI `{ "error": { "message": "…" } }`, and Python servers `{ "detail": "…" }`. */
const plainError = (body: string): string | null => {
  try {
    const parsed: unknown = JSON.parse(body)
    if (!isJsonObject(parsed)) return null
    const { error, detail } = parsed
    return [isJsonObject(error) ? error.message : error, detail].find((each) => typeof each === 'string') ?? null
  } catch {
    return null
  }
}

const streamOf = (parts: AsyncGenerator<ChatPart>): ReadableStream<ChatPart> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await parts.return(undefined)
    },
  })
