// The request for a response of the provider.
import type { ModelCallOptions } from '../../agents/model/model.ts'
import type { JsonObject } from '../../kernel/json.ts'

export const responseRequest = ({ toolChoice, maxOutputTokens }: ModelCallOptions): JsonObject => ({
  type: 'response.create',
  response: {
    ...(toolChoice && { tool_choice: toolChoiceOf(toolChoice) }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  },
})

const toolChoiceOf = (choice: NonNullable<ModelCallOptions['toolChoice']>) =>
  choice.type === 'tool' ? { type: 'function', name: choice.toolName } : choice.type

/** A remark for the model: the person has heard the words above. */
export const GO_ON_REMARK =
  'The connection broke in the middle of your last message, and the person has heard it so far. Go on with the next word. Repeat nothing, and say nothing about it.'
