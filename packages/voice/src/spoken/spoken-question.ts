// Questions as speech: the text, then the options, one question at a time. Forms and questions too long to remember wait
// in the inbox.
import type { ApprovalKind } from '@bridle/events/approval-kinds'
import type { Question } from '@bridle/events/questions'
import type { QuestionFields } from '@bridle/kernel/question-request'

/** Questions read in a row. A longer list is easier to answer on a screen. */
const SPOKEN_QUESTIONS_MAX = 4
/** Options that a listener can remember. Also the number of `PLACE_WORDS`. */
const SPOKEN_OPTIONS_MAX = 9
/** With options: 90 seconds of speech. */
const SPOKEN_CHARS_MAX = 1_200

/** The questions to read aloud. Null if they need a screen. */
export const spokenQuestions = ({ questions }: QuestionFields): readonly Question[] | null =>
  questions && questions.length > 0 && questions.length <= SPOKEN_QUESTIONS_MAX && questions.every(isSpoken)
    ? questions
    : null

const isSpoken = (question: Question): boolean =>
  (question.options ?? []).length <= SPOKEN_OPTIONS_MAX && questionWords(question).join(' ').length <= SPOKEN_CHARS_MAX

/** The first question as speech, one text per utterance. */
export const askedWords = (fields: QuestionFields): readonly string[] => {
  const questions = spokenQuestions(fields)
  const [first] = questions ?? []
  if (!questions || !first) return [INBOX_WORDS]
  return [...(questions.length > 1 ? [`I have ${questions.length} questions.`] : []), ...questionWords(first)]
}

export const questionWords = (question: Question): readonly string[] => [question.question, ...optionWords(question)]

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

/** Announces an approval of a child session. Speech cannot answer it, so its text is not read. */
export const childWords = (kind: ApprovalKind): string =>
  `My sub-agent ${kind === 'question' ? 'has a question' : 'needs an approval'}. It waits in the inbox.`
