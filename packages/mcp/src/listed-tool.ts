// A tool as listed by an untrusted server. Sizes are bounded, and invalid entries are dropped.
import { isObjectSchema } from '@bridle/agents/tools/json-schema'
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { ToolEffect } from '@bridle/events/schemas'
import { truncate } from '@bridle/kernel/text/truncate'

/** The longest names in use have 64. */
const TOOL_NAME_CHARS_MAX = 256
/** Every model request carries it. Good descriptions have a few hundred. */
const DESCRIPTION_CHARS_MAX = 2_000
/** As JSON, and also part of every model request. A tool with a larger schema is offered without it. */
const SCHEMA_CHARS_MAX = 32_000
/** Real forms have five. The argument check recurses this deep. */
const SCHEMA_DEPTH_MAX = 32

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly claimedEffect: ToolEffect
}

/** Null if a model could not call the entry. */
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

/** Invisible characters could hide instructions that only the model reads. */
const describe = (text: string): string => truncate(text, DESCRIPTION_CHARS_MAX).replace(INVISIBLE, '').trim()

const INVISIBLE = /[^\P{C}\n\t]/gu

const ANY_OBJECT: JsonObject = { type: 'object', properties: {} }

const boundedSchema = (schema: Json | undefined): JsonObject => {
  if (!isJsonObject(schema) || isDeeperThan(schema, SCHEMA_DEPTH_MAX) || !isObjectSchema(schema)) return ANY_OBJECT
  return JSON.stringify(schema).length > SCHEMA_CHARS_MAX ? ANY_OBJECT : (visible(schema) as JsonObject)
}

/** Strips invisible characters from descriptions. Names and values stay, because the server compares them. */
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
