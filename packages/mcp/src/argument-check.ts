// A basic check of arguments against a server's JSON Schema, for the types, names and choices that models get wrong. The
// server checks the rest. Patterns are ignored: a malicious one could backtrack forever.

import { type SchemaIssue, type StandardSchema, writtenSchema } from '@bridle/agents/schemas/standard-schema'
import { ISSUES_MAX } from '@bridle/agents/session/limits'
import { canonicalJson, isJsonObject, type Json, type JsonObject, ownProperty } from '@bridle/events/json'

export const argumentSchema = (schema: JsonObject): StandardSchema<object, unknown> =>
  writtenSchema(
    () => schema,
    (value) => {
      const issues: SchemaIssue[] = []
      check(schema, value as Json, [], issues)
      return issues.length > 0 ? { issues: issues.slice(0, ISSUES_MAX) } : { value }
    },
  )

type Path = readonly (string | number)[]

/** Recursion is bounded by `SCHEMA_DEPTH_MAX`. */
const check = (schema: JsonObject, value: Json, path: Path, issues: SchemaIssue[]): void => {
  if (issues.length > ISSUES_MAX) return
  const types = typeNames(schema.type)
  if (types.length > 0 && !types.some((type) => TYPES.get(type)?.(value) ?? true)) {
    issues.push({ message: `This is not of the type ${types.join(' or ')}.`, path })
    return
  }
  const choices = choicesOf(schema)
  if (choices !== null && !choices.has(canonicalJson(value)))
    issues.push({ message: 'This is not one of the values that are allowed.', path })
  if (isJsonObject(value)) checkNames(schema, value, path, issues)
  if (Array.isArray(value) && isJsonObject(schema.items)) {
    for (const [index, each] of value.entries()) check(schema.items, each, [...path, index], issues)
  }
}

/** Allowed values as text. Null: any. Cached per schema, because an enum may be large and is checked for every list item. */
const choicesOf = (schema: JsonObject): ReadonlySet<string> | null => {
  if (!Array.isArray(schema.enum) && !Object.hasOwn(schema, 'const')) return null
  const known = choicesOfSchemas.get(schema)
  if (known) return known
  const values = Array.isArray(schema.enum) ? schema.enum : [schema.const]
  const choices = new Set(values.map(canonicalJson))
  choicesOfSchemas.set(schema, choices)
  return choices
}

const choicesOfSchemas = new WeakMap<JsonObject, ReadonlySet<string>>()

const checkNames = (schema: JsonObject, value: JsonObject, path: Path, issues: SchemaIssue[]): void => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      issues.push({ message: 'It is missing.', path: [...path, name] })
  for (const [name, each] of Object.entries(value)) {
    const property = ownProperty(properties, name)
    if (isJsonObject(property)) check(property, each, [...path, name], issues)
    else if (property === undefined && schema.additionalProperties === false && !isJsonObject(schema.patternProperties))
      issues.push({ message: 'The tool has no argument of this name.', path: [...path, name] })
  }
}

const typeNames = (type: Json | undefined): readonly string[] =>
  (Array.isArray(type) ? type : [type]).filter((each): each is string => typeof each === 'string')

const TYPES: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ['null', (value: Json) => value === null],
  ['boolean', (value: Json) => typeof value === 'boolean'],
  ['string', (value: Json) => typeof value === 'string'],
  ['number', (value: Json) => typeof value === 'number'],
  ['integer', (value: Json) => Number.isInteger(value)],
  ['array', (value: Json) => Array.isArray(value)],
  ['object', isJsonObject as (value: Json) => boolean],
])
