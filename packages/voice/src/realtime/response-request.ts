import type { ModelCallOptions } from '@bridle/agents/model/model'
import type { ResponseRequest } from './provider.ts'

let lastName = 0

/** Unique across connections. */
export const newResponseName = (): string => {
  lastName += 1
  return `response_${lastName}`
}

/** Requests a text answer. The first system message becomes the instructions. */
export const writtenRequest = ({
  prompt,
  tools = [],
  toolChoice,
  maxOutputTokens,
}: ModelCallOptions): ResponseRequest => {
  const first = prompt[0]
  const [instructions, messages] = first?.role === 'system' ? [first.content, prompt.slice(1)] : ['', prompt]
  return { response: newResponseName(), instructions, messages, tools, toolChoice, maxOutputTokens }
}

const SPOKEN_NOTE =
  'You speak with a person, and everything that you write is read out. Use short sentences without Markdown, lists or addresses of pages.'

/** Requests a spoken answer. `wishes` come from the client and rank below the agent's instructions. */
export const spokenRequest = (options: ModelCallOptions, wishes: string | undefined): ResponseRequest => {
  const request = writtenRequest(options)
  const wished = wishes && `The person on the line wishes, as far as the instructions above allow it:\n${wishes}`
  const instructions = [request.instructions, SPOKEN_NOTE, wished].filter(Boolean).join('\n\n')
  return { ...request, instructions }
}

export const GO_ON_REMARK =
  'The connection broke in the middle of your last message, and the person has heard it so far. Go on with the next word. Repeat nothing, and say nothing about it.'
