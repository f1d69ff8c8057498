import type { GivenAnswer } from '@bridle/events/answers'
import { type Json, type JsonObject, ownProperty } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { type AnswerField, answerFields, givenAnswer } from '../terminal/answer-fields.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askLine, type QuestionSlot } from '../terminal/question.ts'
import { fieldLines, introLines, keysLines, placeOf } from '../terminal/question-text.ts'
import { answerPrompt, DECLINE, type TypedAnswer, typedAnswer } from '../terminal/typed-answer.ts'

export const SEND_AGAIN = 'Send the same answers again? [y]es, [n]o: '
export const SEND_AGAIN_ANSWERS = ['y', 'n'] as const

export interface QuestionContext {
  readonly reason: unknown
  readonly known: JsonObject
  /** Answers that were refused together. Those that fit their question become its default. */
  readonly earlier: JsonObject
  readonly signal: AbortSignal
  readonly slot: QuestionSlot
}

export const askQuestions = async (
  out: CliOutput,
  request: QuestionRequest,
  { reason, known, earlier, signal, slot }: QuestionContext,
): Promise<GivenAnswer | 'declined' | null> => {
  const fields = answerFields(request).map((field) => withEarlier(field, ownProperty(earlier, field.name)))
  const values: [string, Json][] = []
  introLines(request, reason, out.width, out.style).forEach(out.line)
  for (const [at, field] of fields.entries()) {
    const value = ownProperty(known, field.name)
    if (value !== undefined) {
      values.push([field.name, value])
      continue
    }
    fieldLines(field, placeOf(fields, at), out.width, out.style).forEach(out.line)
    keysLines(field, out.width, out.style).forEach(out.line)
    const answer = await askLine(out, `  ${answerPrompt(field)}`, answerOrDecline(field), signal, slot)
    if (answer === null || answer === 'declined') return answer
    if ('value' in answer) values.push([field.name, answer.value])
  }
  return givenAnswer(request, Object.fromEntries(values))
}

const withEarlier = (field: AnswerField, value: Json | undefined): AnswerField =>
  value === undefined || field.problemOf(value) !== null ? field : { ...field, default: value }

type FieldAnswer = Exclude<TypedAnswer, { readonly problem: string }> | 'declined'

const answerOrDecline =
  (field: AnswerField) =>
  (line: string): { readonly answer: FieldAnswer } | { readonly problem: string } => {
    if (line.trim() === DECLINE) return { answer: 'declined' }
    const answer = typedAnswer(field, line)
    return 'problem' in answer ? answer : { answer }
  }
