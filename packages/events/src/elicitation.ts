// MCP elicitation: a server asks its client's user, with a form or a link.

import type { GivenAnswer } from './answers.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import {
  LABEL_CHARS_MAX,
  parseQuestions,
  type QuestionRequest,
  REQUEST_CHARS_MAX,
  type RequestProblem,
} from './questions.ts'

/** Contains a dot, so that it cannot be the name of a model's tool. */
export const ELICITATION_SUBJECT = 'mcp.elicitation'

export interface Elicitation {
  readonly server: string
  readonly message: string
  /** Default: `form`. */
  readonly mode?: unknown
  readonly requestedSchema?: unknown
  readonly url?: unknown
}

export const elicitationReason = ({ server, message }: Elicitation): string =>
  `The MCP server "${server}" asks: ${message}`

export type ElicitationResult =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

/** Empty forms and links offer a single choice, and rejecting it declines the elicitation. */
export const elicitationRequest = (asked: Elicitation): QuestionRequest | RequestProblem => {
  const { mode = 'form', requestedSchema, url, message } = asked
  if (message.length > REQUEST_CHARS_MAX)
    return { problem: `The message has ${message.length} characters; at most ${REQUEST_CHARS_MAX} are allowed.` }
  if (mode === 'url') return linkRequest(asked, url)
  if (mode !== 'form') return { problem: `There is no elicitation of the mode "${String(mode).slice(0, 40)}".` }
  const fields = isJsonObject(requestedSchema) ? requestedSchema.properties : undefined
  const isEmpty = isJsonObject(fields) && Object.keys(fields).length === 0
  return isEmpty ? confirmation(asked, { label: 'Yes' }) : parseQuestions({ schema: requestedSchema })
}

export const elicitationResult = ({ mode }: Pick<Elicitation, 'mode'>, { values }: GivenAnswer): ElicitationResult =>
  mode === 'url' ? { action: 'accept' } : { action: 'accept', content: values ?? {} }

/** Links are shown in full and only opened by the person, so only web addresses are allowed. */
const linkRequest = (asked: Elicitation, url: unknown): QuestionRequest | RequestProblem => {
  if (typeof url !== 'string' || !/^https?:\/\/[^\s/]\S*$/.test(url))
    return { problem: 'The link of an elicitation must begin with http:// or https:// and have no spaces.' }
  const option = { label: 'Continue', description: 'Open the link first, and do there what it asks.' }
  return confirmation({ ...asked, message: `${asked.message}\n${url}` }, option)
}

const confirmation = ({ server, message }: Elicitation, option: { label: string; description?: string }) =>
  parseQuestions({
    questions: [{ header: server.slice(0, LABEL_CHARS_MAX).toWellFormed(), question: message, options: [option] }],
  })
