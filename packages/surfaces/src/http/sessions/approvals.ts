import { present } from '@bridle/events/json'
import { type Command, isRefusal } from '@bridle/kernel/commands'
import type { ApprovalPage, ApprovalReceipt, ApprovalsByStatus } from '@bridle/wire/http/wire'
import { jsonObject, questionAnswers } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { actorField, viewerField } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { approvalPageAnswer, approvalReceiptAnswer, badAnswerError } from '../answers/session-answers.ts'
import { badRequest, Denial, isDenial, partNotFound } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { LIST_PAGE_MAX } from '../limits.ts'
import { commandIdOf } from '../requests/command-id.ts'
import { optionalField, optionalText, optionsType, reasonFields } from '../requests/request-fields.ts'
import { limitSchema, type Route, type RouteCall, route } from '../router/route.ts'
import { inboxOf } from './inbox.ts'
import { findKey, listReader, pageOr400, requireKey } from './routes.ts'

/** The path names the decision. The body may repeat it in any of these spellings, in any case, but must not contradict it. */
const decisionSpellings = {
  approve: ['approve', 'approved'],
  reject: ['reject', 'rejected', 'deny', 'denied'],
} as const

const decisionSchema = (verb: keyof typeof decisionSpellings) =>
  v.custom<string>(
    (decision) =>
      typeof decision === 'string' && (decisionSpellings[verb] as readonly string[]).includes(decision.toLowerCase()),
    `The path says "${verb}". Leave the decision out, or let it say the same`,
  )

/** Pausing requires its own scope, even together with an answer. */
const PAUSE_NEEDS = 'To pause needs the scope "operate".'

const pauseField = {
  pause: optionalField('The call gets its answer, and the session pauses before its next step.', v.boolean()),
}

const answerFields = {
  answers: optionalField(
    'The answers by the id of their question: a text, or a list of texts where the question takes several.',
    questionAnswers,
  ),
  values: optionalField('The values of a form.', jsonObject),
}

const decisionRoute = (verb: 'approve' | 'reject'): Route =>
  route({
    method: 'post',
    path: `/sessions/:id/approvals/:approvalId/${verb}`,
    scope: 'approve',
    summary:
      verb === 'approve'
        ? 'Approve a call, with other arguments if the body has `args`; a question gets its default'
        : 'Deny a call, or decline a question',
    call: { name: verb, omits: ['decision'] },
    session: findKey,
    body: optionsType('DecisionOptions', 'Settings of the answer to an approval.', {
      ...pauseField,
      args: optionalField('Other arguments than those asked for; with `approve` only.', jsonObject),
      ...answerFields,
      decision: optionalField('The decision of the path.', decisionSchema(verb)),
      ...reasonFields,
    }),
    headers: ['Idempotency-Key'],
    answers: { 200: approvalReceiptAnswer, 400: badAnswerError },
    handle: (call) =>
      decide(call, {
        decision: verb === 'approve' ? 'approved' : 'denied',
        ...present({ args: call.body.args, answers: call.body.answers, values: call.body.values }),
      }),
  })

const answerRoute = route({
  method: 'post',
  path: '/sessions/:id/approvals/:approvalId/answer',
  scope: 'approve',
  summary: 'Answer a question with `answers`, or a form with `values`',
  call: { name: 'answer', requiresOptions: true },
  session: findKey,
  body: optionsType('AnswerOptions', 'The answer to a question or a form.', {
    ...answerFields,
    ...pauseField,
    ...reasonFields,
  }),
  headers: ['Idempotency-Key'],
  answers: { 200: approvalReceiptAnswer, 400: badAnswerError },
  handle: async (call) => {
    const given = present({ answers: call.body.answers, values: call.body.values })
    if (Object.keys(given).length === 0) return badRequest('The body has neither `answers` nor `values`.')
    return decide(call, { decision: 'approved', ...given })
  },
})

type Decision = Pick<Command & { readonly type: 'approve' }, 'decision' | 'args' | 'answers' | 'values'>

interface DecisionBody {
  readonly pause?: boolean | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}

const decide = async (call: RouteCall<unknown, DecisionBody>, decision: Decision): Promise<Response | Denial> => {
  const { access, body, param, ports } = call
  if (body.pause && !access.scopes.includes('operate')) return new Denial('forbidden', PAUSE_NEEDS)
  const command = {
    type: 'approve',
    approvalId: param('approvalId'),
    ...decision,
    ...present({ reason: body.reason }),
    ...(body.pause && { pause: true }),
    ...actorField(access, body.actor),
  } as const satisfies Command
  const id = commandIdOf(call.request, command)
  if (isDenial(id)) return id
  const key = requireKey(call)
  const outcome = await ports.host.send(key, command, id)
  if (!isRefusal(outcome)) return json<ApprovalReceipt>({ ok: true, ...outcome })
  if (outcome.refused !== 'approval_not_found') return refusalDenial(outcome, key.id)
  const hint = `GET ${publicPath(call.request, '/approvals')} lists those that wait`
  return partNotFound('approval', command.approvalId, hint)
}

export const approvalRoutes: readonly Route[] = [
  decisionRoute('approve'),
  decisionRoute('reject'),
  answerRoute,
  route({
    method: 'post',
    path: '/sessions/:id/approvals/:approvalId/:verdict',
    scope: 'approve',
    summary: 'Anything but approve, reject or answer is a bad decision',
    answers: {},
    handle: () => badRequest('An approval is answered by /approve, /reject or /answer.'),
  }),
  route({
    method: 'get',
    path: '/approvals',
    scope: 'observe',
    summary: 'Approvals of all sessions: the open ones, oldest first, or those that were decided, newest first',
    refusesUnknownParameters: true,
    query: v.looseObject({
      status: optionalField(
        'pending (default): those that wait, oldest first. decided: those that were settled, newest first. all: both, in this order.',
        v.picklist(['pending', 'decided', 'all']),
      ),
      limit: optionalField('The number of approvals on a page.', limitSchema(LIST_PAGE_MAX)),
      cursor: optionalText('The `next` of the page before.'),
    }),
    answers: { 200: approvalPageAnswer },
    handle: async ({ access, query: { status = 'pending', ...page }, ports, request }) => {
      const inbox = inboxOf(ports.directory, access.tenant, await viewerField(access), listReader(access, request))
      const found = await pageOr400(inbox[status](page))
      return isDenial(found) ? found : json<ApprovalPage<ApprovalsByStatus['all']>>(found)
    },
  }),
]
