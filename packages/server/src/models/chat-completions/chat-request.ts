// The body of a request in the format of OpenAI's Chat Completions, which most servers of local models speak.

import type {
  ModelCallOptions,
  ModelFilePart,
  ModelMessage,
  ModelToolChoice,
  ModelToolOutput,
} from '@bridle/agents/model/model'
import { type JsonObject, present } from '@bridle/events/json'

/** Bytes that become text at once for base64: the most arguments that every engine takes in one call. */
const BASE64_PIECE_BYTES = 8_192

/** `providerOptions` of this name are further fields of the body. */
export const CHAT_PROVIDER = 'openai-compatible'

export const chatRequest = (modelId: string, options: ModelCallOptions): object => {
  const { prompt, tools, toolChoice, temperature, maxOutputTokens, reasoning, providerOptions } = options
  return present({
    model: modelId,
    messages: prompt.flatMap(chatMessages),
    tools: tools?.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: present({ name, description, parameters: inputSchema }),
    })),
    tool_choice: toolChoice && chatToolChoice(toolChoice),
    temperature,
    max_tokens: maxOutputTokens,
    reasoning_effort: reasoning === 'provider-default' ? undefined : reasoning,
    ...providerOptions?.[CHAT_PROVIDER],
    stream: true,
    // Without it a stream does not say how many tokens it took.
    stream_options: { include_usage: true },
  })
}

const chatToolChoice = (choice: ModelToolChoice): string | JsonObject =>
  choice.type === 'tool' ? { type: 'function', function: { name: choice.toolName } } : choice.type

const chatMessages = (message: ModelMessage): object[] => {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [{ role: 'user', content: userContent(message.content) }]
    case 'assistant':
      return [assistantMessage(message.content)]
    case 'tool':
      return message.content.map(({ toolCallId, output }) => ({
        role: 'tool',
        tool_call_id: toolCallId,
        content: outputText(output),
      }))
  }
}

type UserParts = Extract<ModelMessage, { role: 'user' }>['content']

/** Plain text where there is only text: not every server takes a list. */
const userContent = (parts: UserParts): string | object[] =>
  parts.every((part) => part.type === 'text')
    ? parts.map(({ text }) => text).join('\n')
    : parts.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : fileContent(part)))

const fileContent = ({ mediaType, data, filename }: ModelFilePart): object => {
  const url = `data:${mediaType};base64,${base64(data as Uint8Array)}`
  return mediaType.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: filename ?? 'file', file_data: url } }
}

const base64 = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += BASE64_PIECE_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + BASE64_PIECE_BYTES))
  return btoa(text)
}

type AssistantParts = Extract<ModelMessage, { role: 'assistant' }>['content']

const assistantMessage = (parts: AssistantParts): object => {
  const textOf = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.type === type ? [(part as { text: string }).text] : [])).join('')
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' && !part.providerExecuted
      ? [
          {
            id: part.toolCallId,
            type: 'function',
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  )
  const text = textOf('text')
  return present({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    // Models that think between their calls want to read their thoughts again; the others ignore the field.
    reasoning_content: textOf('reasoning') || undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  })
}

const outputText = (output: ModelToolOutput): string => {
  if (output.type === 'execution-denied') return output.reason ?? 'The call was denied.'
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}
