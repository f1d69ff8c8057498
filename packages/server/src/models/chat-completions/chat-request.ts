import type {
  ModelCallOptions,
  ModelFilePart,
  ModelMessage,
  ModelToolChoice,
  ModelToolOutput,
} from '@bridle/agents/model/model'
import { type JsonObject, present } from '@bridle/events/json'

/** `String.fromCharCode` gets one argument per byte, and engines limit their number. */
const BASE64_PIECE_BYTES = 8_192

/** `providerOptions` under this name become additional fields of the body. */
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
    // Without it, streams omit token counts.
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

/** A plain string if there is only text, because not every server accepts a list. */
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
    // Reasoning models need their thoughts back between tool calls; others ignore the field.
    reasoning_content: textOf('reasoning') || undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  })
}

const outputText = (output: ModelToolOutput): string => {
  if (output.type === 'execution-denied') return output.reason ?? 'The call was denied.'
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}
