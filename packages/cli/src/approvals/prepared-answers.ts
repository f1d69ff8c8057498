// Answers given before a run asks, from `--answer db=SQLite`.
import type { GivenAnswer } from '@bridle/events/answers'
import type { Json, JsonObject } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { usageError } from '../command/command.ts'
import { answerFields, givenAnswer } from '../terminal/answer-fields.ts'
import { type AnswerEntries, type AnswerEntry, entryValue, readAnswerEntries } from './answer-words.ts'

/** `given`: all answers. `known`: some of them. `problem`: one does not fit. */
export type PreparedAnswer =
  | { readonly given: GivenAnswer }
  | { readonly problem: string }
  | { readonly known: JsonObject }

export const preparedOptions = {
  answer: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'the answer to a question or field of that name, before it is asked',
  },
  answers: { type: 'string', value: 'FILE', help: 'such answers as a JSON object; - is standard input' },
  wait: { type: 'boolean', help: 'without a terminal: stay until a question is answered elsewhere' },
} as const

export interface PreparedFlags {
  readonly answer?: readonly string[]
  readonly answers?: string
  readonly wait?: boolean
}

export const checkPreparedFlags = (
  flags: PreparedFlags & { readonly background?: boolean; readonly stdin?: boolean },
): void => {
  const { answer, answers, wait, background, stdin } = flags
  if (background && (answer !== undefined || answers !== undefined || wait))
    throw usageError('--background leaves at once. Take --answer, --answers and --wait without it.')
  if (stdin && answers === '-')
    throw usageError('--stdin and --answers - both read standard input; name a file for one of them.')
}

export class PreparedAnswers {
  readonly #unused: Map<string, AnswerEntry>

  constructor(entries: AnswerEntries = new Map()) {
    this.#unused = new Map(entries)
  }

  /** Uses each answer once: a later question with the same name is a different one. */
  take(request: QuestionRequest): PreparedAnswer {
    const known: [string, Json][] = []
    let isComplete = true
    for (const field of answerFields(request)) {
      const entry = this.#unused.get(field.name)
      this.#unused.delete(field.name)
      if (entry === undefined) {
        isComplete &&= !field.isRequired
        continue
      }
      const value = entryValue(field, entry)
      const problem = field.problemOf(value)
      if (problem !== null) return { problem }
      known.push([field.name, value])
    }
    const values = Object.fromEntries(known)
    return isComplete && known.length > 0 ? { given: givenAnswer(request, values) } : { known: values }
  }

  get unusedFields(): { readonly unusedAnswers?: readonly string[] } {
    return this.#unused.size === 0 ? {} : { unusedAnswers: [...this.#unused.keys()] }
  }

  get unusedText(): string | null {
    const names = [...this.#unused.keys()]
    return names.length === 0 ? null : `Answers that no question asked for: ${names.join(', ')}.`
  }
}

export const readPreparedAnswers = async (flags: PreparedFlags): Promise<PreparedAnswers> =>
  new PreparedAnswers(await readAnswerEntries(flags.answer ?? [], flags.answers, (word) => `--answer ${word}`))
