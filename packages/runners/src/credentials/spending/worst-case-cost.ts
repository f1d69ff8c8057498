// The most that a request to a provider may cost, known before it is sent.

import { costUsd, type Price, type TokenUsage } from '@bridle/model-data/prices'

/** No model takes more, so no request is billed for more. */
const CONTEXT_TOKENS_MAX = 1_000_000
/** The longest answer that any model gives; assumed where a request sets no limit. */
const ANSWER_TOKENS_MAX = 128_000
/** A block of content lies this deep at most: message, content, block, tool result, block, source. */
const CONTENT_DEPTH_MAX = 8

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

/** Tools whose results the client sends; a provider's own bring results of their own. */
const OWN_TOOLS = /^(custom|function|local_shell|bash_.*|text_editor_.*|computer_.*|memory_.*)$/

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
