// The options that keys select: they belong to the question that was focused last.
import { type RefObject, useState } from 'react'
import { answerOf, withOption, withOwnAnswer, withoutOptions } from './question-draft.ts'
import type { AskedRequest, RequestDraft } from './request-draft.ts'

/** Options of a question that have a key. */
export const KEYED_OPTIONS = 9

/** The label of an option. Null = an answer of the person's own. */
export type QuestionChoice = string | null

export const useQuestionChoice = (
  card: RefObject<HTMLElement | null>,
  request: AskedRequest | null,
  draft: RequestDraft | null,
  onChange: (draft: RequestDraft) => void,
) => {
  const [current, setCurrent] = useState(0)
  const questions = request?.questions ?? []
  const keyed = questions[current]
  const options = keyed?.options ?? []
  const choices: readonly QuestionChoice[] = [
    ...options.map(({ label }) => label),
    ...(keyed?.allow_free_text && options.length > 0 ? [null] : []),
  ]

  const select = (place: number, choice: QuestionChoice): void => {
    const [question, before] = [questions[place], draft?.questions[place]]
    if (!draft || !question || !before) return
    const after = choice === null ? withOwnAnswer(question, before) : withOption(question, before, choice)
    onChange({ ...draft, questions: draft.questions.with(place, after) })
  }
  const clear = (place: number): void => {
    const before = draft?.questions[place]
    if (draft && before) onChange({ ...draft, questions: draft.questions.with(place, withoutOptions(before)) })
  }
  const write = (place: number, text: string): void => {
    const before = draft?.questions[place]
    if (draft && before) onChange({ ...draft, questions: draft.questions.with(place, { ...before, text }) })
  }
  const partAt = (place: number) => card.current?.querySelectorAll<HTMLElement>('.question-part')[place]

  /** A text of their own is written at once. After one answer the keys are for the next question. */
  const pick = (choice: QuestionChoice): void => {
    select(current, choice)
    if (choice === null) {
      requestAnimationFrame(() => partAt(current)?.querySelector('textarea')?.focus())
      return
    }
    card.current?.focus({ preventScroll: true })
    if (keyed?.multi_select) return
    const next = questions.findIndex((question, at) => {
      const own = draft?.questions[at]
      return at > current && own !== undefined && answerOf(question, own) === undefined
    })
    if (next === -1) return
    setCurrent(next)
    partAt(next)?.scrollIntoView({ block: 'nearest' })
  }
  const isClearable = keyed?.multi_select === true && options.length > 0
  return {
    current,
    setCurrent,
    choices,
    select,
    clear,
    write,
    pick,
    clearCurrent: isClearable ? () => clear(current) : null,
  }
}
