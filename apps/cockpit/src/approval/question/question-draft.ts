// The answer to a question while a person gives it: what is chosen, and a text of their own.
import { answerProblem, type Question, type QuestionAnswer } from 'bridle/client'

export interface QuestionDraft {
  /** Labels in the order of the options. Null = not yet chosen; an empty list is an answer. */
  readonly chosen: readonly string[] | null
  /** The text is the answer, or one of several. */
  readonly isOwn: boolean
  readonly text: string
}

type AskedQuestion = Pick<Question, 'options' | 'multi_select' | 'allow_free_text'>

/** The default is selected from the start. */
export const initialQuestion = (question: AskedQuestion, byDefault: unknown): QuestionDraft => {
  const given = typeof byDefault === 'string' ? [byDefault] : isTextList(byDefault) ? byDefault : null
  if (given === null) return { chosen: null, isOwn: false, text: '' }
  const labels = labelsOf(question)
  const own = given.filter((each) => !labels.includes(each))
  const chosen = labels.filter((label) => given.includes(label))
  return {
    chosen: own.length > 0 && !question.multi_select ? null : chosen,
    isOwn: own.length > 0,
    text: own.join('\n'),
  }
}

/** The option takes the place of another. Where several are allowed, it is added or removed. */
export const withOption = (question: AskedQuestion, draft: QuestionDraft, label: string): QuestionDraft => {
  if (!question.multi_select) return { ...draft, chosen: [label], isOwn: false }
  const before = draft.chosen ?? []
  const isOn = before.includes(label)
  return { ...draft, chosen: labelsOf(question).filter((each) => (each === label ? !isOn : before.includes(each))) }
}

export const withOwnAnswer = (question: AskedQuestion, draft: QuestionDraft): QuestionDraft =>
  question.multi_select
    ? { ...draft, chosen: draft.chosen ?? [], isOwn: !draft.isOwn }
    : { ...draft, chosen: null, isOwn: true }

export const withoutOptions = (draft: QuestionDraft): QuestionDraft => ({ ...draft, chosen: [], isOwn: false })

/** Undefined = there is no answer yet. */
export const answerOf = (
  question: AskedQuestion,
  { chosen, isOwn, text }: QuestionDraft,
): QuestionAnswer | undefined => {
  const isBlank = text.trim() === ''
  if (labelsOf(question).length === 0) {
    if (isBlank) return undefined
    return question.multi_select ? text.split('\n').filter((line) => line.trim() !== '') : text
  }
  if (isOwn && isBlank) return undefined
  if (!question.multi_select) return isOwn ? text : chosen?.[0]
  return chosen === null ? undefined : [...chosen, ...(isOwn ? [text] : [])]
}

export interface AnswerState<T> {
  /** Undefined = it cannot be sent yet. */
  readonly given: T | undefined
  /** Parts that a person has to answer, and has not. */
  readonly missing: number
  /** The reason why a part does not fit, by its name. */
  readonly problems: ReadonlyMap<string, string>
}

export const answersOf = (
  questions: readonly Question[],
  drafts: readonly QuestionDraft[],
): AnswerState<{ readonly [id: string]: QuestionAnswer }> => {
  const given = questions.map((question, at) => {
    const draft = drafts[at]
    return { question, answer: draft && answerOf(question, draft) }
  })
  const problems = new Map<string, string>()
  const answers: [string, QuestionAnswer][] = []
  for (const { question, answer } of given) {
    if (answer === undefined) continue
    answers.push([question.id, answer])
    const problem = answerProblem({ questions: [question] }, { answers: { [question.id]: answer } })
    if (problem !== null) problems.set(question.id, problem)
  }
  const missing = questions.length - answers.length
  const isWhole = missing === 0 && problems.size === 0
  return { given: isWhole ? Object.fromEntries(answers) : undefined, missing, problems }
}

/** The question that the server's refusal is about; null = it names none of them. The sentence quotes the name. */
export const problemPlace = (names: readonly string[], problem: string): string | null =>
  names.find((name) => problem.includes(`"${name}"`)) ?? null

const labelsOf = ({ options = [] }: AskedQuestion): readonly string[] => options.map(({ label }) => label)

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
