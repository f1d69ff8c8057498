import type { ModelFilePart, ModelMessage, ModelTextPart, ModelToolOutput } from '@bridle/agents/model/model'
import { canonicalJson, type JsonObject } from '@bridle/events/json'
import { encodeBase64 } from '@bridle/kernel/text/base64'

export interface ConversationItem {
  /** Equal prints mean equal items. */
  readonly print: string
  /** The `conversation.item.create` payload without an id. */
  readonly item: JsonObject
  /** The texts of a prompt: notes first, then the prompt itself. */
  readonly prompt?: readonly string[]
}

export const conversationItems = (messages: readonly ModelMessage[]): ConversationItem[] =>
  messages.flatMap(messageItems)

const messageItems = (message: ModelMessage): ConversationItem[] => {
  switch (message.role) {
    case 'system':
      return [systemItem(message.content)]
    case 'user':
      return [userItem(message.content)]
    case 'assistant':
      return message.content.flatMap((part): ConversationItem[] => {
        if (part.type === 'text') return part.text.trim() === '' ? [] : [assistantItem(part.text)]
        if (part.type === 'tool-call') return [callItem(part.toolCallId, part.toolName, part.input)]
        return []
      })
    case 'tool':
      return message.content.map(({ toolCallId, output }) => resultItem(toolCallId, outputText(output)))
  }
}

export const systemItem = (text: string): ConversationItem => ({
  print: `system ${text}`,
  item: { type: 'message', role: 'system', content: [{ type: 'input_text', text }] },
})

const userItem = (parts: readonly (ModelTextPart | ModelFilePart)[]): ConversationItem => {
  const content = parts.map(userPart)
  const prompt = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return {
    print: `user ${JSON.stringify(content)}`,
    item: { type: 'message', role: 'user', content },
    // A prompt with a file was not just spoken.
    ...(prompt.length === parts.length && { prompt }),
  }
}

const userPart = (part: ModelTextPart | ModelFilePart): JsonObject => {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const bytes: unknown = part.data instanceof Uint8Array ? part.data : part.data?.data
  return part.mediaType.startsWith('image/') && bytes instanceof Uint8Array
    ? { type: 'input_image', image_url: `data:${part.mediaType};base64,${encodeBase64(bytes)}` }
    : { type: 'input_text', text: `[A file that this model cannot read: ${part.filename ?? part.mediaType}]` }
}

/** Ignores surrounding whitespace, which may differ between log and provider. */
export const assistantPrint = (text: string): string => `assistant ${text.trim()}`

export const assistantItem = (text: string): ConversationItem => ({
  print: assistantPrint(text),
  item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
})

export const callPrint = (id: string, name: string, input: JsonObject): string =>
  `call ${id} ${name} ${canonicalJson(input)}`

const callItem = (id: string, name: string, input: JsonObject): ConversationItem => ({
  print: callPrint(id, name, input),
  item: { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) },
})

const resultItem = (id: string, output: string): ConversationItem => ({
  print: `result ${id} ${output}`,
  item: { type: 'function_call_output', call_id: id, output },
})

const outputText = (output: ModelToolOutput): string => {
  if (output.type === 'execution-denied') return `The call was not made: ${output.reason ?? 'it was denied'}`
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}
