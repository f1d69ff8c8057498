// Tolerates servers that omit indices, call ids, the end of the stream, or token counts.
import { ModelError } from '@bridle/agents/model/model-error'
import { isJsonObject, type JsonObject } from '@bridle/events/json'

export type ChatPart = { readonly type: string; readonly [name: string]: unknown }

/** `hide` redacts secrets from error messages. */
export async function* chatParts(
  lines: AsyncIterable<string>,
  hide: (text: string) => string,
): AsyncGenerator<ChatPart> {
  const calls = new ChatCalls()
  let block: 'text' | 'reasoning' | null = null
  let blockCount = 0
  let finish: string | undefined
  let usage: unknown

  const say = (type: 'text' | 'reasoning', delta: unknown): ChatPart[] => {
    if (typeof delta !== 'string' || delta === '') return []
    const opening = block === type ? [] : [...close(), { type: `${type}-start`, id: String(++blockCount) }]
    block = type
    return [...opening, { type: `${type}-delta`, id: String(blockCount), delta }]
  }
  const close = (): ChatPart[] => {
    const end = block === null ? [] : [{ type: `${block}-end`, id: String(blockCount) }]
    block = null
    return end
  }

  for await (const line of lines) {
    if (line === '[DONE]') break
    const chunk = parseChunk(line)
    if (chunk.error !== undefined && chunk.error !== null) return void (yield errorPart(parseChunk(hide(line))))
    usage = chunk.usage ?? usage
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : []
    if (!isJsonObject(choice)) continue
    const delta = isJsonObject(choice.delta) ? choice.delta : {}
    yield* say('reasoning', delta.reasoning_content ?? delta.reasoning)
    yield* say('text', delta.content)
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) yield* calls.add(call)
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason
  }
  yield* close()
  yield* calls.end()
  // A stream that ends without a reason was cut off; readers detect that by the missing reason.
  yield {
    type: 'finish',
    finishReason: { unified: unifiedFinish(finish, calls.count), raw: finish },
    usage: usageOf(usage),
  }
}

/** Only a call's first delta has its id and name. */
class ChatCalls {
  readonly #ids: string[] = []
  readonly #byIndex = new Map<unknown, { readonly id: string; readonly providerId: unknown }>()

  get count(): number {
    return this.#ids.length
  }

  add(delta: unknown): ChatPart[] {
    const { index, id, function: called } = fieldsOf(delta)
    const { name, arguments: input } = fieldsOf(called)
    const open = index === undefined ? undefined : this.#byIndex.get(index)
    const isSame = open && (typeof id !== 'string' || id === '' || id === open.providerId)
    const current = isSame ? open.id : index === undefined && name === undefined ? this.#ids.at(-1) : undefined
    const parts: ChatPart[] = []
    const callId = current ?? this.#begin(index, id)
    if (current === undefined) parts.push({ type: 'tool-input-start', id: callId, toolName: name ?? '' })
    const text = typeof input === 'string' ? input : input === undefined || input === null ? '' : JSON.stringify(input)
    if (text !== '') parts.push({ type: 'tool-input-delta', id: callId, delta: text })
    return parts
  }

  end(): ChatPart[] {
    return this.#ids.map((id) => ({ type: 'tool-input-end', id }))
  }

  #begin(index: unknown, providerId: unknown): string {
    const given = typeof providerId === 'string' && providerId !== '' ? providerId : `call_${this.#ids.length + 1}`
    const id = this.#ids.includes(given) ? `${given}_${this.#ids.length + 1}` : given
    this.#ids.push(id)
    this.#byIndex.set(index, { id, providerId })
    return id
  }
}

const parseChunk = (line: string): JsonObject => {
  try {
    const chunk: unknown = JSON.parse(line)
    if (isJsonObject(chunk)) return chunk
  } catch {
    // Throws below.
  }
  throw new ModelError(
    'invalid',
    'The server sent a line that is not JSON. Check BRIDLE_MODEL_URL and any proxy before it.',
  )
}

const errorPart = (chunk: JsonObject): ChatPart => ({
  type: 'error',
  error: typeof chunk.error === 'string' ? { message: chunk.error } : chunk,
})

const FINISHES: { readonly [reason: string]: string } = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
}

/** Some servers report `stop` for an answer with tool calls. */
const unifiedFinish = (reason: string | undefined, callCount: number): string => {
  if (reason === 'stop' && callCount > 0) return 'tool-calls'
  return (reason !== undefined && Object.hasOwn(FINISHES, reason) ? FINISHES[reason] : undefined) ?? 'other'
}

const usageOf = (usage: unknown): object => {
  const { prompt_tokens: input, completion_tokens: output, ...rest } = fieldsOf(usage)
  return {
    inputTokens: { total: input, cacheRead: fieldsOf(rest.prompt_tokens_details).cached_tokens },
    outputTokens: { total: output, reasoning: fieldsOf(rest.completion_tokens_details).reasoning_tokens },
  }
}

const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
