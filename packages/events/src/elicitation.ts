// Elicitation of MCP: a server asks the person who uses its client, with a form or with a link.

import type { GivenAnswer } from './answers.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import {
  LABEL_CHARS_MAX,
  parseQuestions,
  type QuestionRequest,
  REQUEST_CHARS_MAX,
  type RequestProblem,
} from './questions.ts'

/** The name under which a person sees an elicitation. No model can call a tool with a dot in its name. */
export const ELICITATION_SUBJECT = 'mcp.elicitation'

/** The request of a server, as clients of MCP report it. */
export interface Elicitation {
  readonly server: string
  readonly message: string
  /** Default: a form. */
  readonly mode?: unknown
  readonly requestedSchema?: unknown
  readonly url?: unknown
}

export const elicitationReason = ({ server, message }: Elicitation): string =>
  `The MCP server "${server}" asks: ${message}`

/** The answer in the words of MCP. */
export type ElicitationResult =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

/** The request to a person. A form without fields and a link offer one choice; to refuse it is to decline. */
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

/** The result of an answer that fits the request. */
export const elicitationResult = ({ mode }: Pick<Elicitation, 'mode'>, { values }: GivenAnswer): ElicitationResult =>
  mode === 'url' ? { action: 'accept' } : { action: 'accept', content: values ?? {} }

/** A link is shown whole and opened by the person alone, so only addresses of the web are shown. */
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
