// The schema of a tool's arguments as JSON Schema, which is all that a model reads of it. A library that follows Standard JSON
// Schema (standardschema.dev/json-schema) writes it itself; for Valibot its own converter does.

import { isJsonObject, type JsonObject } from '@bridle/events/json'
import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema'
import type { AgentDefinition } from '../agent.ts'
import { toPlainObject } from '../schemas/input.ts'
import { missingJsonSchema, type StandardSchema } from '../schemas/standard-schema.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { isTool } from './tool.ts'

export type JsonSchemaResult = { readonly schema: JsonObject } | { readonly problem: string }

/** The JSON Schema of the values that the schema takes, or the rest of a sentence that says why there is none. */
export const jsonSchemaOf = (schema: StandardSchema): JsonSchemaResult => {
  const missing = missingJsonSchema(schema)
  if (missing !== null) return { problem: missing }
  try {
    return { schema: convertSchema(schema) }
  } catch (error) {
    return { problem: `cannot be written as JSON Schema, which the model needs: ${shortErrorMessage(error)}` }
  }
}

/** The JSON Schema of an object. Providers take nothing else for the arguments of a call. */
export const objectSchemaOf = (schema: StandardSchema | null): JsonSchemaResult => {
  if (schema === null) return { schema: { type: 'object', properties: {} } }
  const converted = jsonSchemaOf(schema)
  if ('problem' in converted || converted.schema.type === 'object') return converted
  return isObjectSchema(converted.schema)
    ? { schema: { type: 'object', ...converted.schema } }
    : { problem: 'is not the schema of an object: the arguments of a call have names.' }
}

/** The JSON Schema of an agent's input; null = it takes any object, or its schema cannot be written so. */
export const inputSchemaOf = ({ input }: Pick<AgentDefinition, 'input'>): JsonObject | null => {
  const converted = input && jsonSchemaOf(input)
  return converted && 'schema' in converted ? converted.schema : null
}

/** The first schema of a model agent that its model cannot be told of, as a sentence; null = none. */
export const modelSchemaProblem = (definition: AgentDefinition): string | null => {
  const { name, model, tools, use, output } = definition
  if (model === null) return null
  for (const tool of [...tools, ...use.flatMap(({ tools: more = [] }) => more)]) {
    if (!isTool(tool)) continue
    const result = objectSchemaOf(tool.input)
    if ('problem' in result) return `The input of the tool "${tool.name}" ${result.problem}`
  }
  const result = output && jsonSchemaOf(output)
  return result && 'problem' in result ? `The output of "${name}" ${result.problem}` : null
}

/** Whether the JSON Schema takes objects only. A union of objects has no type of its own. */
export const isObjectSchema = ({ type, anyOf, oneOf, allOf }: JsonObject): boolean => {
  if (type !== undefined) return type === 'object'
  if (Array.isArray(allOf)) return allOf.some((each) => isJsonObject(each) && isObjectSchema(each))
  const options = anyOf ?? oneOf
  return (
    Array.isArray(options) && options.length > 0 && options.every((each) => isJsonObject(each) && isObjectSchema(each))
  )
}

/** The JSON Schema of the values that the schema takes. Throws as its library does. */
export const convertSchema = (schema: StandardSchema): JsonObject => {
  // The dialect is known from the provider interface, and some providers refuse its name.
  const { $schema, ...rest } = toPlainObject(convert(schema), 'JSON Schema')
  return rest
}

const convert = (schema: StandardSchema): unknown => {
  const { jsonSchema } = schema['~standard']
  if (jsonSchema === undefined) return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], VALIBOT)
  const converter = jsonSchema as { readonly input: (options: { readonly target: string }) => unknown }
  try {
    return converter.input({ target: TARGET })
  } catch {
    // A library may know the newer dialect only. If the schema itself is the problem, the second try says so again.
    return converter.input({ target: 'draft-2020-12' })
  }
}

/** The provider interface takes JSON Schema 7. */
const TARGET = 'draft-07'

const VALIBOT: ConversionConfig = {
  target: TARGET,
  typeMode: 'input',
  errorMode: 'throw',
  // A check that JSON Schema cannot express is left out: the arguments go through the schema itself before the tool runs.
  overrideAction: ({ errors, jsonSchema }) => (errors ? jsonSchema : null),
}
