import assert from 'node:assert/strict'
import type { GivenAnswer } from '@bridle/events/answers'
import type { Json } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { SEND_AGAIN, SEND_AGAIN_ANSWERS } from '../approvals/ask-questions.ts'
import { type AnswerField, answerFields, givenAnswer } from '../terminal/answer-fields.ts'
import type { CliOutput } from '../terminal/output.ts'
import { answerIn } from '../terminal/question.ts'
import { fieldLines, introLines, keysLines, placeOf, valueText } from '../terminal/question-text.ts'
import { answerPrompt, typedAnswer } from '../terminal/typed-answer.ts'

/** `shown`: the answer as text. `given`: all answers, or null while questions remain. */
export type QuestionStep = { readonly problem: string } | { readonly shown: string; readonly given: GivenAnswer | null }

export class QuestionTalk {
  readonly #request: QuestionRequest
  readonly #reason: string
  readonly #fields: readonly AnswerField[]
  readonly #values: [string, Json][] = []
  #at = 0
  #unsent: GivenAnswer | null

  constructor(request: QuestionRequest, reason: string, unsent: GivenAnswer | null) {
    this.#request = request
    this.#unsent = unsent
    this.#reason = reason
    this.#fields = answerFields(request)
  }

  get prompt(): string {
    if (this.#unsent !== null) return SEND_AGAIN
    return this.#field === undefined ? '' : answerPrompt(this.#field)
  }

  get takesText(): boolean {
    if (this.#unsent !== null) return false
    return this.#field?.type === 'text' || this.#field?.takesText === true
  }

  lines(columns: number, style: CliOutput['style']): string[] {
    const field = this.#field
    if (field === undefined || this.#unsent !== null) return []
    return [
      ...(this.#at === 0 ? introLines(this.#request, this.#reason, columns, style) : []),
      ...fieldLines(field, placeOf(this.#fields, this.#at), columns, style),
      ...keysLines(field, columns, style),
    ]
  }

  read(text: string): QuestionStep {
    const unsent = this.#unsent
    if (unsent !== null) {
      const choice = answerIn(text, SEND_AGAIN_ANSWERS)
      if (choice === null) return { problem: 'Answer y or n.' }
      this.#unsent = null
      return { shown: choice, given: choice === 'y' ? unsent : null }
    }
    const field = this.#field
    assert(field, 'a question is read after the last answer')
    const answer = typedAnswer(field, text)
    if ('problem' in answer) return answer
    if ('value' in answer) this.#values.push([field.name, answer.value])
    this.#at += 1
    const shown = 'value' in answer ? valueText(answer.value) : '(left out)'
    const isLast = this.#field === undefined
    return { shown, given: isLast ? givenAnswer(this.#request, Object.fromEntries(this.#values)) : null }
  }

  get #field(): AnswerField | undefined {
    return this.#fields[this.#at]
  }
}
