// Asks a person questions, or for the values of a form, once. The session accepts only an answer that fits the request. A form is also
// checked by the schema of the agent, which may say more than its JSON Schema.

import { isJsonObject, type Json, type JsonObject, present } from '@bridle/events/json'
import { parseQuestions, type QuestionRequest } from '@bridle/events/questions'
import { questionReport } from '@bridle/kernel/host/question-report'
import { toPlainJson, toPlainObject } from '../schemas/input.ts'
import { isSchema, type StandardSchema, validateWithSchema } from '../schemas/standard-schema.ts'
import { EXPIRY_MS_MAX } from '../session/limits.ts'
import { ASK_SUBJECT, type QuestionSettings } from '../session/questions.ts'
import { checkMs } from '../session/session-parts.ts'
import type { CallLookup } from '../steps/call-lookup.ts'
import type { ApprovalRecord } from '../steps/memo.ts'
import { jsonSchemaOf } from '../tools/json-schema.ts'
import { askOnce } from './call-approval.ts'
import type { FunctionRun } from './function-run.ts'

/** An answer without its types: `answers` or `values`, or null in their place. */
export type AnyQuestionOutcome = JsonObject & { readonly decision: 'approved' | 'denied' | 'expired' }

/** Throws a TypeError that names the problem of a malformed request. */
export const waitForAnswer = async (
  run: FunctionRun,
  lookup: CallLookup,
  base: string,
  asked: unknown,
  { reason, expiresMs, default: byDefault }: QuestionSettings,
): Promise<AnyQuestionOutcome> => {
  const form = isSchema(asked) ? asked : null
  const request = requestOf(asked, byDefault)
  // A default that the schema refuses would apply at each expiry, and the question would be asked again without end.
  const unfit = form && byDefault !== undefined ? await validateWithSchema(form, byDefault) : {}
  if ('problem' in unfit) throw new TypeError(`session.ask(): The default does not fit. ${unfit.problem}`)
  const { schema, questions } = request
  if (reason !== undefined && typeof reason !== 'string') throw new TypeError('The reason of a question is a text.')
  checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
  const field = schema === undefined ? 'answers' : 'values'
  const args = present({ questions, schema }) as unknown as JsonObject
  const text = reason ?? questions?.map(({ question }) => question).join(' ') ?? 'The agent asks for values.'
  const taken = lookup.take(base, ASK_SUBJECT, args, 'pure')
  const call = { toolCallId: taken.call.id, tool: ASK_SUBJECT, arguments: args, ...present({ expiresMs }) }
  const approval = await askOnce(run, taken, {
    ask: (problem) => questionReport(run.ports.digest, { ...call, reason: problem ?? text }, request),
    resultOf: ({ arguments: answered }) => ({ [field]: answered[field] ?? null }),
    problem: async ({ arguments: { values } }) => {
      const checked = form && (await validateWithSchema(form, values))
      return checked && 'problem' in checked ? `The values do not fit: ${checked.problem}` : null
    },
  })
  return outcomeOf(approval, field, form)
}

const requestOf = (asked: unknown, byDefault: unknown): QuestionRequest => {
  const request = parseQuestions(
    present({
      ...(Array.isArray(asked) ? { questions: toPlainJson(asked, 'list of questions') } : { schema: schemaOf(asked) }),
      default: byDefault === undefined ? undefined : toPlainJson(byDefault, 'default of a question'),
    }),
  )
  if ('problem' in request) throw new TypeError(`session.ask(): ${request.problem}`)
  return request
}

const schemaOf = (asked: unknown): JsonObject => {
  if (!isSchema(asked)) {
    if (!isJsonObject(asked)) throw new TypeError('session.ask() takes a list of questions, or the schema of a form.')
    if (asked.question !== undefined)
      throw new TypeError(
        'session.ask() takes a list of questions. Put the question in brackets: session.ask([{ … }]).',
      )
    return toPlainObject(asked, 'schema of a form')
  }
  const converted = jsonSchemaOf(asked)
  if ('problem' in converted) throw new TypeError(`session.ask(): The schema of a form ${converted.problem}`)
  return converted.schema
}

const outcomeOf = async (
  { decision, arguments: args, reason }: ApprovalRecord,
  field: 'answers' | 'values',
  form: StandardSchema | null,
): Promise<AnyQuestionOutcome> => {
  if (decision !== 'approved')
    return { answered: false, decision: decision === 'expired' ? 'expired' : 'denied', [field]: null, reason }
  const given = structuredClone(args[field] ?? null)
  const checked = form ? await validateWithSchema(form, given) : { value: given }
  // The agent may have another schema than it had when it asked.
  if ('problem' in checked)
    throw new TypeError(`The values of a form do not fit its schema any more: ${checked.problem}`)
  return { answered: true, decision, [field]: checked.value as Json, reason }
}
