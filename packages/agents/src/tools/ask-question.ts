// `askQuestion()`: the tool with which a model asks the user. The arguments of a call are the questions, and its result is the answer.

import type { GivenAnswer } from '@bridle/events/answers'
import { isJsonObject, type Json, present } from '@bridle/events/json'
import { OPTIONS_MAX, parseQuestions, QUESTIONS_MAX, type QuestionRequest } from '@bridle/events/questions'
import { writtenSchema } from '../schemas/standard-schema.ts'
import { questionTool, type Tool } from './tool.ts'

/** Settings of the tool. */
export interface AskQuestionOptions {
  /** The name by which the model calls the tool. Default: `ask_question`. */
  readonly name?: string
  /** When to ask, for the model. Default: when only the user can decide. */
  readonly description?: string
  /** The time that the user has. Afterwards the default of the request applies, or the model learns that no answer came. Default: no limit. */
  readonly expiresMs?: number
}

/** Makes the tool `ask_question`, for the `tools` of an agent with a model. Throws a TypeError that names the field that is wrong. */
export const askQuestion = ({ name = 'ask_question', description = WHEN, expiresMs }: AskQuestionOptions = {}): Tool =>
  questionTool({
    ...{ name, description, input: requestSchema, effect: 'pure', always: true },
    approve: present({ expiresMs }),
    run: ({ answers, values }) => present({ answers, values }),
  })

const WHEN =
  'Asks the user and waits for the answer. Ask when only the user can decide, and offer options where you know them. Give either `questions` or `schema`.'

/** The request, and the answer once there is one. */
type AnsweredRequest = QuestionRequest & GivenAnswer

const requestSchema = writtenSchema<object, AnsweredRequest>(
  () => ({ type: 'object', properties: { questions, schema, default: byDefault } }),
  (asked) => {
    const request = parseQuestions(asked)
    if ('problem' in request) return { issues: [{ message: request.problem }] }
    const { answers, values } = (isJsonObject(asked) ? asked : {}) as GivenAnswer
    return { value: { ...request, ...present({ answers, values }) } as AnsweredRequest }
  },
)

const text = (about: string): Json => ({ type: 'string', description: about })
const flag = (about: string): Json => ({ type: 'boolean', description: about })

const questions: Json = {
  type: 'array',
  minItems: 1,
  maxItems: QUESTIONS_MAX,
  items: {
    type: 'object',
    properties: {
      id: text('The key of the answer. Default: q1, q2, … by its place.'),
      header: text('A few words above the question.'),
      question: text('The whole question.'),
      options: {
        type: 'array',
        maxItems: OPTIONS_MAX,
        items: {
          type: 'object',
          properties: { label: text('The choice, which is also the answer.'), description: text('What it means.') },
          required: ['label'],
        },
      },
      multi_select: flag('The user may choose several options; the answer is a list.'),
      allow_free_text: flag('The answer may be any text. Required for a question without options.'),
    },
    required: ['question'],
  },
}

const schema: Json = {
  type: 'object',
  description:
    'A form instead of questions: the JSON Schema of an object. Its properties are the fields, of the types string, number, integer, boolean, or string with enum.',
}

const byDefault: Json = {
  type: 'object',
  description: 'The answers by question id, or the values of the form, that apply if the user does not answer in time.',
}
