// Routes of approvals: the inbox over all sessions, and the answer to one approval.

import { present } from '@bridle/events/json'
import { type Command, isRefusal } from '@bridle/kernel/commands'
import type { ApprovalPage, ApprovalReceipt, ApprovalsByStatus } from '@bridle/wire/http/wire'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { actorField, viewerField } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { approvalPageAnswer, approvalReceiptAnswer } from '../answers/session-answers.ts'
import { badRequest, Denial, isDenial, partNotFound } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { LIST_PAGE_MAX } from '../limits.ts'
import { commandIdOf } from '../requests/command-id.ts'
import { optionalField, optionalText, optionsType, reasonFields } from '../requests/request-fields.ts'
import { limitSchema, type Route, route } from '../router/route.ts'
import { inboxOf } from './inbox.ts'
import { findKey, listReader, pageOr400, requireKey } from './routes.ts'

/** The path names the decision. The body may repeat it in any of these spellings, in upper or lower case, and may not contradict it. */
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

/** Pausing is an act of its own, also together with an answer. */
const PAUSE_NEEDS = 'To pause needs the scope "operate".'

const decisionRoute = (verb: 'approve' | 'reject'): Route =>
  route({
    method: 'post',
    path: `/sessions/:id/approvals/:approvalId/${verb}`,
    scope: 'approve',
    summary: verb === 'approve' ? 'Approve a call, with other arguments if the body has `args`' : 'Deny a call',
    call: { name: verb, omits: ['decision'] },
    session: findKey,
    body: optionsType('DecisionOptions', 'Settings of the answer to an approval.', {
      pause: optionalField('The call gets its answer, and the session pauses before its next step.', v.boolean()),
      args: optionalField('Other arguments than those asked for; with `approve` only.', jsonObject),
      decision: optionalField('The decision of the path.', decisionSchema(verb)),
      ...reasonFields,
    }),
    headers: ['Idempotency-Key'],
    answers: { 200: approvalReceiptAnswer },
    handle: async (call) => {
      const { access, body, param, ports } = call
      if (body.pause && !access.scopes.includes('operate')) return new Denial('forbidden', PAUSE_NEEDS)
      const command = {
        type: 'approve',
        approvalId: param('approvalId'),
        decision: verb === 'approve' ? 'approved' : 'denied',
        ...present({ args: body.args, reason: body.reason }),
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
    },
  })

export const approvalRoutes: readonly Route[] = [
  decisionRoute('approve'),
  decisionRoute('reject'),
  route({
    method: 'post',
    path: '/sessions/:id/approvals/:approvalId/:verdict',
    scope: 'approve',
    summary: 'Anything but approve or reject is a bad decision',
    answers: {},
    handle: () => badRequest('An approval is answered by /approve or /reject.'),
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
