// The tool `AskUserQuestion` of Claude Code: its questions in our shape, and our answers in its own.

import type { QuestionAnswer, QuestionAnswers } from '@bridle/events/answers'
import { isJsonObject, type Json, type JsonObject, ownProperty, present } from '@bridle/events/json'
import { parseQuestions } from '@bridle/events/questions'
import type { EngineApprovalDecision, EngineApprovalRequest, TurnReporter } from '../engine.ts'
import { askQuestion, NO_ANSWER } from '../questions.ts'

export const USER_QUESTION_TOOL = 'AskUserQuestion'

/** The decision about the call, with the input that answers it. */
export const askUserQuestions = async (
  turn: TurnReporter,
  { toolUseId, toolName, input }: Omit<EngineApprovalRequest, 'reason'>,
): Promise<EngineApprovalDecision> => {
  const request = parseQuestions(userQuestions(input))
  const texts = 'problem' in request ? [] : (request.questions ?? []).map(({ question }) => question)
  const verdict = await askQuestion(turn, { toolUseId, toolName, input, reason: texts.join(' ') }, request)
  if (verdict.decision === 'denied') return verdict
  if (verdict.given?.answers) return { ...verdict, input: answeredInput(input, verdict.given.answers) }
  // Callers that know no questions write the answers into the input.
  const { answers } = verdict.input
  const hasAnswers = isJsonObject(answers) && Object.keys(answers).length > 0
  return hasAnswers ? verdict : { decision: 'denied', reason: NO_ANSWER }
}

/** Ids are given by place: Claude Code gives its questions none. Its own form always offers a text in place of the options. */
export const userQuestions = ({ questions }: JsonObject): JsonObject => ({
  questions: Array.isArray(questions) ? questions.map(userQuestion) : (questions ?? null),
})

const userQuestion = (asked: Json): Json => {
  if (!isJsonObject(asked)) return asked
  const { header, question, options: asOffered, multiSelect } = asked
  const options = Array.isArray(asOffered) ? asOffered.map(option) : asOffered
  return { ...present({ header, question, options, multi_select: multiSelect }), allow_free_text: true }
}

/** A preview is a text to compare the options by, such as a sketch or a piece of code. */
const option = (asked: Json): Json => {
  if (!isJsonObject(asked)) return asked
  const { label, description, preview } = asked
  const texts = [description, preview].filter((text) => typeof text === 'string' && text !== '')
  return present({ label, description: texts.length > 0 ? texts.join('\n\n') : undefined })
}

/** The input with which Claude Code runs the call: answers have the text of their question as their name. */
export const answeredInput = (input: JsonObject, answers: QuestionAnswers): JsonObject => {
  const questions = withOwnTexts(input.questions as readonly JsonObject[])
  const answered = questions.map(({ question }, index): [string, string] => [
    String(question),
    answerText(ownProperty(answers, `q${index + 1}`) ?? ''),
  ])
  return { ...input, questions, answers: Object.fromEntries(answered) as JsonObject }
}

/** Two questions with the same text would have one answer, so the second gets another text. */
const withOwnTexts = (questions: readonly JsonObject[]): JsonObject[] => {
  const texts = questions.map(({ question }) => question)
  return questions.map((each, index) =>
    texts.indexOf(each.question) === index ? each : { ...each, question: `${each.question} (${index + 1})` },
  )
}

/** Several answers as Claude Code writes and reads them: with commas, and in quotes where one has a comma or a quote. */
const answerText = (answer: QuestionAnswer): string => {
  if (typeof answer === 'string') return answer
  return answer.map((each) => (/, |"/.test(each) ? JSON.stringify(each) : each)).join(', ')
}
