// The questions and forms of an agent, and the answers, with their types.

import type { QuestionAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { QuestionOption } from '@bridle/events/questions'

/** The name of a call that only asks. */
export const ASK_SUBJECT = 'ask'

/** A question as an agent writes it. */
export interface QuestionInput {
  /** The key of its answer. Default: `q1`, `q2`, … by its place. */
  readonly id?: string
  /** A few words above the question. */
  readonly header?: string
  /** The question. */
  readonly question: string
  /** The choices: a label, or a label with a description. */
  readonly options?: readonly (string | QuestionOption)[]
  /** The answer is a list of choices. */
  readonly multi_select?: boolean
  /** The answer may be any text. */
  readonly allow_free_text?: boolean
}

/** A form: the JSON Schema of an object, whose properties are the fields. */
export interface FormSchema {
  /** A form gives an object. */
  readonly type: 'object'
  /** The fields. */
  readonly properties: JsonObject
  /** The names of the fields that must have a value. */
  readonly required?: readonly string[]
  /** Any other keyword of JSON Schema. */
  readonly [keyword: string]: unknown
}

/** Settings of a question or a form. */
export interface QuestionSettings<Answer = unknown> {
  /** The sentence above a form. Default for questions: their texts. */
  readonly reason?: string
  /** The time that the person has. Afterwards `default` applies, or the decision is `expired`. Default: no limit. */
  readonly expiresMs?: number
  /** The answer that applies when the time is over. */
  readonly default?: Answer
}

/** The answer to `session.ask`. `T` is `{ answers }` or `{ values }`; each of them is null without an answer. */
export type QuestionOutcome<T extends object> = (
  | ({
      /** True where there is an answer: from a person, or the default. */
      readonly answered: true
      /** Why: answered, or else declined or expired. */
      readonly decision: 'approved'
    } & T)
  | ({
      /** True where there is an answer: from a person, or the default. */
      readonly answered: false
      /** Why: answered, or else declined or expired. */
      readonly decision: 'denied' | 'expired'
    } & { readonly [Field in keyof T]: null })
) & {
  /** The words of the person who declined, or `expired`; null where there are none. */
  readonly reason: string | null
}

/** Answers by the id of their question. */
export type AnswersTo<Questions extends readonly QuestionInput[]> = {
  readonly [Each in Questions[number] as IdOf<Each>]: AnswerTo<Each>
}

type IdOf<Asked> = Asked extends { readonly id: infer Id extends string } ? Id : string

type AnswerTo<Asked> = Asked extends { readonly multi_select: true }
  ? readonly ChoiceOf<Asked>[]
  : Asked extends { readonly multi_select: false } | { readonly question: string; readonly multi_select?: never }
    ? ChoiceOf<Asked>
    : QuestionAnswer

type ChoiceOf<Asked> = Asked extends { readonly allow_free_text: true }
  ? string
  : Asked extends { readonly options: readonly (infer Option)[] }
    ? LabelOf<Option>
    : string

type LabelOf<Option> = Option extends string
  ? Option
  : Option extends { readonly label: infer Label extends string }
    ? Label
    : string
