import type { QuestionAnswers } from '@bridle/events/answers'
import type { Question, QuestionOption } from '@bridle/events/questions'
import * as v from 'valibot'
import * as f from './fields.ts'

const optionSchema = f.kernelSchema<QuestionOption>('QuestionOption', 'An option of a question.', {
  label: f.text('The label, which is also the answer.'),
  description: f.optional(f.text('The explanation beside it.')),
})

export const questionSchema = f.kernelSchema<Question>('Question', 'A question of an agent.', {
  id: f.text('The key of its answer.'),
  header: f.optional(f.text('A few words above the question.')),
  question: f.text('The question.'),
  options: f.optional(f.list(optionSchema, 'The options.')),
  multi_select: f.optional(f.flag('The answer is a list.')),
  allow_free_text: f.optional(f.flag('The answer may be any text.')),
})

export const questionEntries = {
  questions: f.optional(f.list(questionSchema, 'The questions; absent = it is not a question, or a form.')),
  schema: f.optional(f.anyObject('The JSON Schema of the form; absent = it is not a form.')),
  default: f.optional(f.anyObject('The answers or values that apply when the question expires; absent = none.')),
}

export const answerEntries = {
  answers: f.optional(
    f.described(
      v.record(v.string(), v.union([v.string(), v.array(v.string())])) as v.GenericSchema<QuestionAnswers>,
      'The answers by the id of their question; absent = none.',
    ),
  ),
  values: f.optional(f.anyObject('The values of the form; absent = none.')),
}
