// An example of a body: the document's own, or the least that its schema asks for.

import { type ApiRoute, asArray, asObject, type Schema, textOf } from './route.ts'

/** Levels of the example of a body: schemas may contain themselves. */
const EXAMPLE_LEVELS_MAX = 5

export const bodyExample = ({ body }: Pick<ApiRoute, 'body'>): unknown =>
  body === null ? undefined : (body.example ?? schemaExample(body.schema))

const schemaExample = (schema: Schema, depth = 0): unknown => {
  if (schema.default !== undefined) return schema.default
  const [first] = asArray(schema.enum)
  if (first !== undefined) return first
  if (schema.const !== undefined) return schema.const
  const [choice] = asArray(schema.anyOf ?? schema.oneOf)
  if (choice !== undefined && depth < EXAMPLE_LEVELS_MAX) return schemaExample(asObject(choice), depth + 1)
  switch (schema.type) {
    case 'string':
      return ''
    case 'number':
    case 'integer':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'null':
      return null
    default:
      return objectExample(schema, depth)
  }
}

const objectExample = (schema: Schema, depth: number): unknown => {
  const properties = asObject(schema.properties)
  if (depth >= EXAMPLE_LEVELS_MAX) return {}
  return Object.fromEntries(
    asArray(schema.required).flatMap((name) =>
      typeof name === 'string' ? [[name, schemaExample(asObject(properties[name]), depth + 1)]] : [],
    ),
  )
}

export interface BodyField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

/** The named values of a body, for people. */
export const bodyFields = (schema: Schema): readonly BodyField[] =>
  Object.entries(asObject(schema.properties)).map(([name, property]) => ({
    name,
    type: typeText(asObject(property)),
    isRequired: asArray(schema.required).includes(name),
    description: textOf(asObject(property).description),
  }))

/** `string`, `"none" | "read"`, `string or null`. */
export const typeText = (schema: Schema): string => {
  const options = asArray(schema.enum)
  if (options.length > 0) return options.map((option) => JSON.stringify(option)).join(' | ')
  const choices = asArray(schema.anyOf ?? schema.oneOf)
  if (choices.length > 0) return choices.map((choice) => typeText(asObject(choice))).join(' or ')
  return Array.isArray(schema.type) ? schema.type.join(' or ') : textOf(schema.type) || 'any'
}
