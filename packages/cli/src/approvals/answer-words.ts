import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { answerProblem, type GivenAnswer } from '@bridle/events/answers'
import type { Json, JsonObject } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { usageError } from '../command/command.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import { type AnswerField, answerFields, givenAnswer } from '../terminal/answer-fields.ts'
import { wordAnswer } from '../terminal/typed-answer.ts'

/** An answer by question or field name: words whose type the request determines, or a value from a file. */
export type AnswerEntry = { readonly words: readonly string[] } | { readonly value: Json }
export type AnswerEntries = ReadonlyMap<string, AnswerEntry>

/** Reads `name=value` words and a file, `-` for stdin. Words override the file. */
export const readAnswerEntries = async (
  words: readonly string[],
  file: string | undefined,
  flag: (word: string) => string,
): Promise<AnswerEntries> => {
  const entries = new Map<string, AnswerEntry>()
  if (file !== undefined)
    for (const [name, value] of Object.entries(await readAnswerFile(file))) entries.set(name, { value })
  for (const [name, values] of wordsByName(words, flag)) entries.set(name, { words: values })
  return entries
}

const readAnswerFile = async (file: string): Promise<JsonObject> => {
  if (file === '-') return parseJsonObject('standard input', await text(process.stdin)) as JsonObject
  let json: string
  try {
    json = readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`--answers ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  return parseJsonObject(file, json) as JsonObject
}

const wordsByName = (words: readonly string[], flag: (word: string) => string): Map<string, string[]> => {
  const byName = new Map<string, string[]>()
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) throw usageError(`${flag(word)} is not name=value.`)
    const name = word.slice(0, at)
    byName.set(name, [...(byName.get(name) ?? []), word.slice(at + 1)])
  }
  return byName
}

/** Converts entries for the request. `problem` explains why they do not fit, or is null. */
export const answerFrom = (
  request: QuestionRequest,
  entries: AnswerEntries,
): { readonly given: GivenAnswer; readonly problem: string | null } => {
  const fields = new Map(answerFields(request).map((field) => [field.name, field]))
  const values = [...entries].map(([name, entry]) => [name, entryValue(fields.get(name), entry)] as const)
  const given = givenAnswer(request, Object.fromEntries(values))
  return { given, problem: answerProblem(request, given) }
}

/** A single-value field named twice becomes a list, so that validation rejects it. */
export const entryValue = (field: AnswerField | undefined, entry: AnswerEntry): Json => {
  if ('value' in entry) return entry.value
  const values = entry.words.map((word) => (field === undefined ? word : wordAnswer(field, word)))
  const [only] = values
  return values.length === 1 && only !== undefined && field?.type !== 'choices' ? only : values
}
