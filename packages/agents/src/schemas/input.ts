// The input of a run, made from a request or a prompt, and the result of a run, made from its return value.

import { isJsonObject, type Json, type JsonObject, parseObject } from '@bridle/events/json'
import { PAYLOAD_CHARS_MAX } from '@bridle/events/limits'
import { acceptPromptAlone } from '@bridle/kernel/agent-info'
import type { AgentDefinition } from '../agent.ts'
import { validateWithSchema } from './standard-schema.ts'

type ValidationResult<T> = { readonly value: T } | { readonly problem: string }

/** The prompt and input of a request's body. The log keeps the body as it came, so the schema is applied again where the run starts. */
export const acceptInput = async (
  definition: AgentDefinition,
  body: JsonObject,
): Promise<{ readonly prompt: string; readonly input?: Json } | { readonly problem: string }> => {
  if (!definition.input) return acceptPromptAlone(body)
  const checked = await validateInput(definition, body)
  if ('problem' in checked) return checked
  const { prompt, ...more } = body
  if (typeof prompt !== 'string') return { prompt: JSON.stringify(body), input: body }
  return { prompt, ...(Object.keys(more).length > 0 && { input: body }) }
}

/** The input of `run`. A prompt from a chat is `{ prompt }`, or the JSON object in its text if only that fits the schema. */
export const parseRunInput = async (
  definition: AgentDefinition,
  prompt: string,
  input: Json,
): Promise<ValidationResult<unknown>> => {
  if (input !== null) return validateInput(definition, input)
  const plain = await validateInput(definition, { prompt })
  const parsed = 'problem' in plain ? parseObject(prompt) : null
  return parsed ? validateInput(definition, parsed) : plain
}

/** The result of a run. Undefined: `run` returned nothing, and the streamed text is the result. */
export const parseRunResult = async (
  { output }: Pick<AgentDefinition, 'output'>,
  returned: unknown,
): Promise<ValidationResult<Json | undefined>> => {
  const checked = output ? await validateWithSchema(output, returned) : { value: returned }
  if ('problem' in checked) return { problem: `The output does not fit: ${checked.problem}` }
  if (checked.value === undefined) return { value: undefined }
  try {
    const value = toPlainJson(checked.value, 'output')
    const isSmall = JSON.stringify(value).length <= PAYLOAD_CHARS_MAX
    return isSmall ? { value } : { problem: 'The output is too large; publish it as an artifact.' }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** A copy as plain JSON, so that the log and the run use the same value even if the caller changes the original. */
export const toPlainJson = (value: unknown, name: string): Json => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new TypeError(`The ${name} is not JSON.`, { cause })
  }
  if (text === undefined) throw new TypeError(`The ${name} is not JSON.`)
  return JSON.parse(text) as Json
}

export const toPlainObject = (value: unknown, name: string): JsonObject => {
  const copy = toPlainJson(value, name)
  if (!isJsonObject(copy)) throw new TypeError(`The ${name} must be an object.`)
  return copy
}

const validateInput = async ({ input }: AgentDefinition, value: Json): Promise<ValidationResult<unknown>> => {
  if (!input) return isJsonObject(value) ? { value } : { problem: 'The input is not an object.' }
  const checked = await validateWithSchema(input, value)
  return 'problem' in checked ? { problem: `The input does not fit: ${checked.problem}` } : checked
}
