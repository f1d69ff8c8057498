// Requests for a response.
import type { JsonObject } from '../../../kernel/json.ts'
import type { NoticeRequest, ResponseRequest } from '../provider.ts'
import { objectOf, textOf } from '../provider-json.ts'

export const responseRequest = ({ toolChoice, maxOutputTokens }: ResponseRequest): JsonObject => ({
  type: 'response.create',
  response: {
    ...(toolChoice && { tool_choice: toolChoiceOf(toolChoice) }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  },
})

const toolChoiceOf = (choice: NonNullable<ResponseRequest['toolChoice']>) =>
  choice.type === 'tool' ? { type: 'function', name: choice.toolName } : choice.type

const NOTICE = 'notice'

export const noticeRequest = ({ instructions }: NoticeRequest): JsonObject => ({
  type: 'response.create',
  response: {
    conversation: 'none',
    metadata: { purpose: NOTICE },
    input: [],
    tools: [],
    tool_choice: 'none',
    instructions,
  },
})

/** The event is about a notice. */
export const isNotice = ({ response }: JsonObject): boolean =>
  textOf(objectOf(objectOf(response).metadata).purpose) === NOTICE
