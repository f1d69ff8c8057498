// The words of a prompt, and of a tool: its name in pieces, its description, and the fields of its arguments.
import { isJsonObject, type Json } from '@bridle/events/json'
import type { Tool } from '../../tools/tool.ts'
import { modelTools } from '../tools/offered-tools.ts'

/** Words of one tool that count: a schema with thousands of fields must not cost more than the step. */
const TOOL_WORDS_MAX = 500
/** Levels of a schema whose fields count: deeper ones say little about what the tool is for. */
const SCHEMA_LEVELS = 3
/** How much more a word counts in the name of a tool than in its description. */
const NAME_WEIGHT = 3

/** Lower case, without endings: `listOpenIssues` is list, open, issue. */
export const wordsIn = (text: string): string[] =>
  (text.normalize('NFKC').replaceAll(CAMEL, '$1 $2').toLowerCase().match(WORD) ?? [])
    .filter((word) => !EMPTY.has(word))
    .map(stem)

const CAMEL = /([\p{Ll}\p{N}])(\p{Lu})/gu
const WORD = /[\p{L}\p{N}]+/gu

/** Words that stand in every sentence, and say nothing about what is wanted. */
const EMPTY: ReadonlySet<string> = new Set(
  (
    'a about all am an and any are as at be been but by can could did do does for from get give had has have he her him his how ' +
    'i if in into is it its just like may me my need of on one or our out please she should so some than that the their them then ' +
    'there these they this those to up us use used uses using want was we were what when where which who will with would you your'
  ).split(' '),
)

/** The same stem for the forms of a word. Rough on purpose: both sides are treated alike. */
const stem = (word: string): string => {
  for (const [ending, replacement] of ENDINGS) {
    if (word.length - ending.length >= 3 && word.endsWith(ending)) return word.slice(0, -ending.length) + replacement
  }
  return word
}

const ENDINGS: readonly (readonly [string, string])[] = [
  ['ations', 'at'],
  ['ation', 'at'],
  ['ating', 'at'],
  ['ated', 'at'],
  ['ates', 'at'],
  ['ate', 'at'],
  ['ies', 'y'],
  ['ings', ''],
  ['ing', ''],
  ['ers', ''],
  ['er', ''],
  ['ed', ''],
  ['es', ''],
  ['s', ''],
  ['e', ''],
]

/** The weight of each word of a tool. Converted once: a tool does not change. */
export const wordsOfTool = (tool: Tool): ReadonlyMap<string, number> => {
  const known = counted.get(tool)
  if (known) return known
  const weights = new Map<string, number>()
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  add(wordsIn(tool.name), NAME_WEIGHT)
  add(wordsIn(tool.description).slice(0, TOOL_WORDS_MAX), 1)
  const [model] = modelTools([tool])
  add(wordsIn(fieldTexts(model?.inputSchema ?? {}, 0).join(' ')).slice(0, TOOL_WORDS_MAX), 1)
  counted.set(tool, weights)
  return weights
}

const counted = new WeakMap<Tool, ReadonlyMap<string, number>>()

const fieldTexts = (schema: Json, level: number): string[] => {
  if (!isJsonObject(schema) || level > SCHEMA_LEVELS) return []
  const { properties, items, description } = schema
  return [
    ...(typeof description === 'string' ? [description] : []),
    ...(isJsonObject(properties)
      ? Object.entries(properties).flatMap(([name, field]) => [name, ...fieldTexts(field ?? null, level + 1)])
      : []),
    ...fieldTexts(items ?? null, level + 1),
  ]
}
