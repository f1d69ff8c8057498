// Supports a subset of JSON Schema.

import { canonicalJson, isJsonObject, isSameJson, type Json, type JsonObject, ownProperty } from './json.ts'

/** More than a person enters, and every entry is compared with every option. */
export const ENTRIES_MAX = 200

/** Why the value does not fit, as a sentence that starts with its name, or null. */
export const valueProblem = (schema: JsonObject, value: Json, name: string): string | null => {
  const type = typeProblem(schema, value, name)
  if (type !== null) return type
  if (schema.const !== undefined && !isSameJson(schema.const, value))
    return `${name} must be ${canonicalJson(schema.const)}.`
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => isSameJson(each, value)))
    return `${name} must be one of ${schema.enum.map(canonicalJson).join(', ')}.`
  const fits = (part: unknown) => !isJsonObject(part) || valueProblem(part, value, name) === null
  for (const parts of [schema.oneOf, schema.anyOf])
    if (Array.isArray(parts) && !parts.some(fits)) return alternativesProblem(parts, name)
  if (Array.isArray(schema.allOf))
    for (const part of schema.allOf) {
      const problem = isJsonObject(part) ? valueProblem(part, value, name) : null
      if (problem !== null) return problem
    }
  if (typeof value === 'string') return textProblem(schema, value, name)
  if (typeof value === 'number') return numberProblem(schema, value, name)
  if (Array.isArray(value)) return listProblem(schema, value, name)
  return isJsonObject(value) ? objectProblem(schema, value, name) : null
}

const alternativesProblem = (parts: readonly unknown[], name: string): string => {
  const values = parts.map((part) => (isJsonObject(part) ? part.const : undefined))
  return values.every((each) => each !== undefined)
    ? `${name} must be one of ${values.map((each) => canonicalJson(each)).join(', ')}.`
    : `${name} fits none of the alternatives.`
}

const typeProblem = ({ type }: JsonObject, value: Json, name: string): string | null => {
  if (type === undefined) return null
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string')
  if (types.some((each) => ownProperty(TYPES, each)?.(value) ?? true)) return null
  return `${name} must be ${types.map((each) => ownProperty(TYPE_WORDS, each) ?? each).join(' or ')}.`
}

export const TYPES: { readonly [type: string]: (value: Json) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isJsonObject,
}
const TYPE_WORDS: { readonly [type: string]: string } = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const textProblem = ({ minLength, maxLength, format }: JsonObject, value: string, name: string): string | null => {
  const length = [...value].length
  if (typeof minLength === 'number' && length < minLength) return `${name} must have at least ${characters(minLength)}.`
  if (typeof maxLength === 'number' && length > maxLength) return `${name} must have at most ${characters(maxLength)}.`
  const rule = typeof format === 'string' ? ownProperty(FORMATS, format) : undefined
  return rule === undefined || rule.fits(value) ? null : `${name} must be ${rule.words}.`
}

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isDay = (value: string): boolean => {
  const [, year, month, day] = (DAY.exec(value) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  return day >= 1 && day <= days
}

const FORMATS: { readonly [format: string]: { readonly words: string; readonly fits: (value: string) => boolean } } = {
  date: { words: 'a date such as 2026-11-19', fits: isDay },
  'date-time': {
    words: 'a date and time such as 2026-11-19T18:30:00Z',
    fits: (value) => isDay(value.slice(0, 10)) && /^[Tt ]$/.test(value.charAt(10)) && TIME.test(value.slice(11)),
  },
  email: { words: 'an e-mail address', fits: (value) => /^[^\s@]+@[^\s@]+$/.test(value) },
  uri: {
    words: 'an address with a scheme, such as https://example.com',
    fits: (value) => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(value),
  },
}

const numberProblem = (schema: JsonObject, value: number, name: string): string | null => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof minimum === 'number' && value < minimum) return `${name} must be at least ${minimum}.`
  if (typeof maximum === 'number' && value > maximum) return `${name} must be at most ${maximum}.`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `${name} must be more than ${exclusiveMinimum}.`
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `${name} must be less than ${exclusiveMaximum}.`
  return null
}

const listProblem = (
  { items, minItems, maxItems }: JsonObject,
  value: readonly Json[],
  name: string,
): string | null => {
  if (value.length > ENTRIES_MAX) return `${name} must have at most ${entries(ENTRIES_MAX)}.`
  if (typeof minItems === 'number' && value.length < minItems) return `${name} must have at least ${entries(minItems)}.`
  if (typeof maxItems === 'number' && value.length > maxItems) return `${name} must have at most ${entries(maxItems)}.`
  if (!isJsonObject(items)) return null
  for (const [index, each] of value.entries()) {
    const problem = valueProblem(items, each, `${name}, entry ${index + 1},`)
    if (problem !== null) return problem
  }
  return null
}

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`

const objectProblem = (schema: JsonObject, value: JsonObject, name: string): string | null => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const missing = (Array.isArray(schema.required) ? schema.required : []).find(
    (each) => !Object.hasOwn(value, String(each)),
  )
  if (missing !== undefined) return `${name} must have "${String(missing)}".`
  for (const [key, each] of Object.entries(value)) {
    const part = ownProperty(properties, key)
    if (part === undefined && schema.additionalProperties === false) return `${name} has no property "${key}".`
    const problem = isJsonObject(part) ? valueProblem(part, each, `${name}, property "${key}",`) : null
    if (problem !== null) return problem
  }
  return null
}
