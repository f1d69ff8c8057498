// Questions as a listener hears them: the question, then its options. Several questions are asked one after the other. What nobody could keep in
// mind, and forms, wait in the inbox.
import type { Question } from '@bridle/events/questions'
import type { QuestionFields } from '@bridle/kernel/question-request'

/** Questions that a line asks in a row: more are a form. */
const SPOKEN_QUESTIONS_MAX = 4
/** Options that a listener can keep in mind, and the places that have a word. */
const SPOKEN_OPTIONS_MAX = 9
/** Characters of a question with its options: a minute and a half of speech. */
const SPOKEN_CHARS_MAX = 1_200

/** The questions that a line asks aloud; null: they are answered on a screen. */
export const spokenQuestions = ({ questions }: QuestionFields): readonly Question[] | null =>
  questions && questions.length > 0 && questions.length <= SPOKEN_QUESTIONS_MAX && questions.every(isSpoken)
    ? questions
    : null

const isSpoken = (question: Question): boolean =>
  (question.options ?? []).length <= SPOKEN_OPTIONS_MAX && questionWords(question).join(' ').length <= SPOKEN_CHARS_MAX

/** The words with which a line asks: each text is said at once. */
export const askedWords = (fields: QuestionFields): readonly string[] => {
  const questions = spokenQuestions(fields)
  const [first] = questions ?? []
  if (!questions || !first) return [INBOX_WORDS]
  return [...(questions.length > 1 ? [`I have ${questions.length} questions.`] : []), ...questionWords(first)]
}

export const questionWords = (question: Question): readonly string[] => [question.question, ...optionWords(question)]

/** The options again, after words that are none of them. */
export const repeatedWords = (question: Question): readonly string[] => [
  'That is none of the options.',
  ...optionWords(question),
]

const optionWords = ({ options = [], multi_select, allow_free_text }: Question): readonly string[] => {
  if (options.length === 0) return []
  const more = [
    multi_select ? 'You can choose several.' : '',
    allow_free_text ? 'You can also say something else.' : '',
  ]
  return [
    ...options.map(({ label }, index) => `${PLACE_WORDS[index]}: ${label}.`),
    ...more.filter((words) => words !== ''),
  ]
}

const PLACE_WORDS = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth']

const INBOX_WORDS = 'I have a question that is answered on a screen. It waits in the inbox.'
