import { plural } from './amounts.ts'
import { type Fields, fieldsOf, joined, listOf, textOf, valueText } from './fields.ts'

/** Question events have the kind `question`, or carry an answer. */
export const isQuestion = ({ kind, answers, values }: Fields): boolean =>
  kind === 'question' || answers !== undefined || values !== undefined

/** `Question`, `3 questions`, `Form`. */
export const questionTitle = ({ questions, schema }: Fields): string => {
  if (schema !== undefined) return 'Form'
  const { length } = listOf(questions)
  return length > 1 ? plural(length, 'question') : 'Question'
}

/** The questions in one line. A form uses its reason instead. */
export const questionText = ({ questions, reason }: Fields): string =>
  joined(...listOf(questions).map((each) => textOf(fieldsOf(each).question))) || textOf(reason)

/** `SQLite`, or `db: SQLite · checks: lint, types` for several. */
export const answerText = ({ answers, values }: Fields): string => {
  const given = Object.entries(fieldsOf(answers ?? values))
  const [only] = given
  if (only && given.length === 1 && values === undefined) return answerValueText(only[1])
  return joined(...given.map(([name, value]) => `${name}: ${answerValueText(value)}`))
}

/** An answer to one question, or the value of one field. */
export const answerValueText = (value: unknown): string => {
  if (!Array.isArray(value)) return valueText(value)
  return value.length === 0 ? 'none' : value.map(valueText).join(', ')
}
