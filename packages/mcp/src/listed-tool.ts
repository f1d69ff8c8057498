// A tool as a server lists it. Everything in it comes from outside: sizes are bounded, and an entry that is no tool is left out.
import { isObjectSchema } from '@bridle/agents/tools/json-schema'
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { ToolEffect } from '@bridle/events/schemas'
import { truncate } from '@bridle/kernel/text/truncate'

/** Characters of a tool's name on its server: the longest in use have 64. */
const TOOL_NAME_CHARS_MAX = 256
/** Characters of a description: every request to the model carries it. Good ones have a few hundred. */
const DESCRIPTION_CHARS_MAX = 2_000
/** Characters of a schema as JSON, for the same reason. A tool with a larger one is offered without it. */
const SCHEMA_CHARS_MAX = 32_000
/** Levels of nesting in a schema: forms of people have five. The check of arguments recurses as deep. */
const SCHEMA_DEPTH_MAX = 32

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** The effect that the server claims. */
  readonly claimedEffect: ToolEffect
}

/** Null: the entry is no tool that a model could call. */
export const parseListedTool = (server: string, entry: unknown): ListedTool | null => {
  if (!isJsonObject(entry)) return null
  const { name, title, description, inputSchema, annotations } = entry
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_CHARS_MAX) return null
  const words = [description, title].find((text): text is string => typeof text === 'string' && text.trim() !== '')
  return {
    name,
    description: describe(words ?? '') || `The tool ${describe(name)} of the server ${server}.`,
    inputSchema: boundedSchema(inputSchema),
    claimedEffect: effectOf(annotations),
  }
}

/** Characters that people do not see can carry instructions that only the model reads. */
const describe = (text: string): string => truncate(text, DESCRIPTION_CHARS_MAX).replace(INVISIBLE, '').trim()

const INVISIBLE = /[^\P{C}\n\t]/gu

const ANY_OBJECT: JsonObject = { type: 'object', properties: {} }

const boundedSchema = (schema: Json | undefined): JsonObject => {
  if (!isJsonObject(schema) || isDeeperThan(schema, SCHEMA_DEPTH_MAX) || !isObjectSchema(schema)) return ANY_OBJECT
  return JSON.stringify(schema).length > SCHEMA_CHARS_MAX ? ANY_OBJECT : (visible(schema) as JsonObject)
}

/** The schema with the characters of its own words that people see. Names and values stay: the server compares them. */
const visible = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(visible)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      WORDS.has(name) && typeof value === 'string' ? value.replace(INVISIBLE, '') : visible(value),
    ]),
  )
}

const WORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment'])

const effectOf = (annotations: Json | undefined): ToolEffect => {
  if (!isJsonObject(annotations)) return 'unsafe'
  if (annotations.readOnlyHint === true) return 'pure'
  return annotations.idempotentHint === true ? 'idempotent' : 'unsafe'
}
