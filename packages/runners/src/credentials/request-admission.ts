// Every place that spends a key admits requests by one check: path, size, model, and whether the run may spend the worst case.
import type { IncomingMessage } from 'node:http'
import { costUsd, type Price, type PriceTable, priceOf, type TokenUsage } from '@bridle/model-data/prices'
import type { ProviderRoute } from './providers/provider.ts'
import { checkProviderRequest, type ProviderTarget, type ProxyRefusal, tooManyRequests } from './request-rules.ts'
import { isProxyRefusal, type RequestSlot, type SpendLedger } from './spending/spend-ledger.ts'

/** The vendors' own limit for a request. */
const PROVIDER_BODY_BYTES_MAX = 32 * 1024 * 1024

/** No model takes more, so no request is billed for more. */
const CONTEXT_TOKENS_MAX = 1_000_000
/** The longest answer that any model gives; assumed where a request sets no limit. */
const ANSWER_TOKENS_MAX = 128_000
/** A block of content lies this deep at most: message, content, block, tool result, block, source. */
const CONTENT_DEPTH_MAX = 8

/** Tools whose results the client sends; a provider's own bring results of their own. */
const OWN_TOOLS = /^(custom|function|local_shell|bash_.*|text_editor_.*|computer_.*|memory_.*)$/

export interface AdmissionTerms {
  /** Names or patterns with `*`; null = any model. */
  readonly models: readonly string[] | null
  readonly ledger: SpendLedger
  /** Rows that come before Bridle's own. */
  readonly prices?: PriceTable | undefined
  readonly bodyBytesMax?: number | undefined
}

/** A request that may be sent. `end` must be called in any case: it gives back what the request reserved and did not cost. */
export interface AdmittedRequest {
  /** Null: the request has no body. */
  readonly model: string | null
  readonly body: string | null
  settle(usd: number): void
  end(): void
}

export const pathNotAllowed = (method: string | undefined, { path, provider }: ProviderTarget): ProxyRefusal => [
  'path_not_allowed',
  `${method} ${path} is not passed on to ${provider.title}.`,
]

/** A request to a provider, as the platform received it. */
export interface IncomingCall {
  readonly encoding: string | null | undefined
  readonly signal: AbortSignal
  /** `hold` gets the size of each piece and may refuse it. */
  readonly readText: (bytesMax: number, hold: RequestSlot['addBytes']) => Promise<BodyText>
}

export type BodyText = { readonly text: string } | 'too large' | 'too many'

/** `onModel` is called as soon as the model is known, also for a request that is refused later. */
export const admitRequest = async (
  { encoding, signal, readText }: IncomingCall,
  route: ProviderRoute,
  { models, ledger, prices, bodyBytesMax = PROVIDER_BODY_BYTES_MAX }: AdmissionTerms,
  onModel: (model: string) => void = () => {},
): Promise<AdmittedRequest | ProxyRefusal> => {
  const slot = ledger.openSlot()
  if (isProxyRefusal(slot)) return slot
  let settle = (_usd: number) => {}
  const end = () => {
    // Release the reservation of a request that cost nothing.
    settle(0)
    slot.release()
  }
  const admit = async (): Promise<AdmittedRequest | ProxyRefusal> => {
    const passed = (usd: number) => settle(usd)
    if (route.method !== 'POST') return { model: null, body: null, settle: passed, end }
    if (ledger.refusal) return ledger.refusal
    const read = await readText(bodyBytesMax, slot.addBytes)
    if (read === 'too large') return ['body_too_large', `A request may have ${bodyBytesMax} bytes.`]
    if (read === 'too many') return tooManyRequests
    const checked = checkProviderRequest(read.text, encoding, models)
    if ('refused' in checked) return checked.refused
    const { model, body, content } = checked
    onModel(model)
    if (route.kind === 'answer') {
      const reserved = await ledger.reserve(worstCaseUsd(content, body, priceOf(model, prices)), signal)
      if (isProxyRefusal(reserved)) return reserved
      settle = reserved.settle
    }
    return { model, body, settle: passed, end }
  }
  let isAdmitted = false
  try {
    const answer = await admit()
    isAdmitted = !isProxyRefusal(answer)
    return answer
  } finally {
    if (!isAdmitted) end()
  }
}

export const incomingCall = (request: IncomingMessage, signal: AbortSignal): IncomingCall => ({
  encoding: request.headers['content-encoding'],
  signal,
  readText: (bytesMax, hold) => readBody(request, bytesMax, hold),
})

const readBody = (request: IncomingMessage, bytesMax: number, hold: RequestSlot['addBytes']): Promise<BodyText> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    let isRefusing = false
    // Read and drop the rest of a body that is too large: a client that is still sending would not see the refusal.
    request.on('data', (part: Buffer) => {
      bytes += part.byteLength
      if (isRefusing) return
      const refusal = bytes > bytesMax ? 'too large' : hold(part.byteLength) ? null : 'too many'
      if (refusal === null) return void parts.push(part)
      isRefusing = true
      parts.length = 0
      resolve(refusal)
    })
    request.once('end', () => resolve({ text: Buffer.concat(parts).toString('utf8') }))
    request.once('error', reject)
    request.once('close', () => reject(new Error('The client left.')))
  })

/** A token is a byte at least, and input may cost what writing it to the cache costs. */
export const worstCaseUsd = (body: object, text: string, price: Price): number => {
  const bytes = addsProviderInput(body) ? CONTEXT_TOKENS_MAX : new TextEncoder().encode(text).byteLength
  const input = Math.min(bytes, CONTEXT_TOKENS_MAX)
  const usage: TokenUsage = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: input,
    cacheWriteHourTokens: /"ttl":\s*"1h"/.test(text) ? input : 0,
    outputTokens: answerTokensMax(body as RequestContent),
  }
  return Math.max(costUsd(usage, price), costUsd({ ...usage, inputTokens: input, cacheWriteTokens: 0 }, price))
}

type RequestContent = { readonly [name: string]: unknown }

/** The most that a request to a provider may cost, known before it is sent. */
const answerTokensMax = ({ max_tokens: anthropic, max_output_tokens: openai }: RequestContent): number => {
  const limit = [anthropic, openai].find((each) => typeof each === 'number' && each > 0)
  return typeof limit === 'number' ? limit : ANSWER_TOKENS_MAX
}

/** Whether the provider itself adds to the input: a file it has or fetches, an earlier answer, a tool that it runs. */
const addsProviderInput = (body: object): boolean => {
  const { tools, messages, input, system, ...rest } = body as RequestContent
  if (['previous_response_id', 'conversation', 'prompt', 'mcp_servers', 'container'].some((name) => isSet(rest[name])))
    return true
  const runsThere = (tool: unknown) => isContent(tool) && isSet(tool.type) && !OWN_TOOLS.test(String(tool.type))
  if (Array.isArray(tools) && tools.some(runsThere)) return true
  return [messages, input, system].some((content) => refersToExternalContent(content, 0))
}

const refersToExternalContent = (content: unknown, depth: number): boolean => {
  if (Array.isArray(content))
    return depth < CONTENT_DEPTH_MAX && content.some((each) => refersToExternalContent(each, depth + 1))
  if (!isContent(content)) return false
  const { type, source, file_id: file, file_url: fileUrl, image_url: image } = content
  if (type === 'tool_use' || type === 'function_call') return false
  if (type === 'item_reference' || isSet(file) || isSet(fileUrl)) return true
  if (typeof image === 'string' && !image.startsWith('data:')) return true
  if (isContent(source) && (source.type === 'url' || source.type === 'file')) return true
  return [content.content, source, content.output].some((each) => refersToExternalContent(each, depth + 1))
}

const isContent = (value: unknown): value is RequestContent => typeof value === 'object' && value !== null
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
