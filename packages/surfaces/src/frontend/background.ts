import { present } from '@bridle/events/json'
import { RETRIES_MAX } from '@bridle/events/limits'
import { promptRefusal } from '@bridle/kernel/agent-info'
import { isRefusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { HealthSnapshot } from '@bridle/kernel/views/health-snapshot'
import type { BackgroundReceipt } from '@bridle/wire/frontend/wire'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { actorField, viewerOf } from '../http/access/users.ts'
import { json } from '../http/answers/answer-schema.ts'
import { badRequest, Denial, isDenial } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey, idempotencyKey } from '../http/requests/command-id.ts'
import { actorFields, optionalField, optionsType, reasonFields } from '../http/requests/request-fields.ts'
import { get, post, type Route, type RouteCall, timeSchema } from '../http/router/route.ts'
import { commandRoute, findKey, onSession, respondWithCard, sendAndShow } from '../http/sessions/routes.ts'
import { choiceDenial } from '../http/sessions/session-model.ts'
import { settingsOf } from '../http/sessions/session-settings.ts'
import { workspaceOf, workspaceSettings } from '../http/sessions/workspace-choice.ts'
import { claimInputFiles } from '../http/uploads/input-files.ts'
import { discardAndDeny, prepareWorkspace } from '../http/workspaces/session-workspace.ts'
import { chooseAgent } from './agent-choice.ts'
import {
  backgroundAnswer,
  branchAnswer,
  healthAnswer,
  healthStreamAnswer,
  pauseAnswer,
  policyAnswer,
  resumeAnswer,
} from './answers.ts'
import { branchBody, branchFrom, hasBranchOrigin } from './branching.ts'
import { newSessionFields, newSessionKey, newSessionType, parentField } from './new-session-key.ts'
import { policyRequestSchema } from './policy.ts'
import { currentHealth, envelopeRoute, healthQuery, healthStream } from './streams.ts'

/** A killed server counts as a failure and must not end the work. */
const RETRIES_DEFAULT = 3

const startBody = optionsType(...newSessionType, {
  ...newSessionFields,
  prompt: v.pipe(v.string(), v.description('The prompt, for background work.')),
  input: optionalField('Fields of the input beside the prompt, for background work.', jsonObject),
  ...parentField,
  max_retries: optionalField(
    'How often a failed run is tried again.',
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(RETRIES_MAX)),
  ),
  expires_at: v.pipe(v.nullish(timeSchema), v.description('The time at which the session ends, in ISO 8601.')),
  ...actorFields,
})

export const backgroundRoutes: readonly Route[] = [
  post('/sessions', {
    scope: 'operate',
    summary: 'Start a background session',
    call: { name: 'startBackground', positional: [], options: 'NewSession & { readonly prompt: string }' },
    session: newSessionKey('bg'),
    body: startBody,
    headers: ['Idempotency-Key'],
    answers: { 202: backgroundAnswer },
    handle: (call) => startBackground(call),
  }),
  commandRoute({
    path: '/sessions/:id/pause',
    summary: 'Pause a session; it keeps its row, checkpoints and artifacts',
    call: 'pause',
    stopsWork: true,
    body: v.looseObject(reasonFields),
    answers: { 200: pauseAnswer },
    command: ({ reason }) => ({ type: 'pause', ...present({ reason }) }),
  }),
  post('/sessions/:id/resume', {
    scope: 'operate',
    summary: 'Resume a paused session, or branch a new one from an event or a cursor',
    call: { name: 'resume', options: 'ReasonOptions' },
    session: findKey,
    body: branchBody,
    headers: ['Idempotency-Key'],
    answers: { 200: resumeAnswer, 201: branchAnswer('A new session goes on from there.') },
    handle: onSession(async (session, call) => {
      const { access, body } = call
      const actor = actorField(access, body.actor)
      if (hasBranchOrigin(body)) return branchFrom(call, session, { ...body, ...actor, prompt: body.prompt ?? null })
      if (body.prompt !== undefined || body.session_id !== undefined)
        return badRequest('body: prompt and session_id are for a branch: say where by from_event_id or resume_cursor')
      return sendAndShow(call, session.key, { type: 'resume', ...present({ reason: body.reason }), ...actor })
    }),
  }),
  commandRoute({
    path: '/sessions/:id/policy',
    summary: 'Set the budgets of a session; a budget that was crossed is armed again',
    call: 'setPolicy',
    body: v.looseObject({ policy: policyRequestSchema, ...reasonFields }),
    answers: { 200: policyAnswer },
    command: ({ policy, reason }) => ({ type: 'set_policy', policy, ...present({ reason }) }),
  }),
  envelopeRoute('/sessions/:id/events/stream'),
  get('/sessions/:id/health', {
    scope: 'observe',
    summary: 'The health of a session as it is now',
    call: { name: 'sessionHealth', answer: "HealthEnvelope['payload']" },
    session: findKey,
    answers: { 200: healthAnswer },
    handle: onSession((session) => json<HealthSnapshot>(currentHealth(session))),
  }),
  get('/sessions/:id/health/stream', {
    scope: 'observe',
    summary: 'Server-sent `health_snapshot`s: the current one, then each that differs',
    session: findKey,
    query: healthQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: healthStreamAnswer },
    handle: onSession((session, call) => healthStream(call, session)),
  }),
]

const startBackground = async (
  call: RouteCall<undefined, v.InferOutput<typeof startBody>>,
): Promise<Response | Denial> => {
  const { access, body, ports, request } = call
  const key = call.key as Key
  const { tenant, id } = key
  const agent = chooseAgent(call, { agent: key.agent })
  if (isDenial(agent)) return agent
  const unfit = choiceDenial(agent, body)
  if (unfit) return unfit
  const unavailable = promptRefusal(agent, settingsOf(body).model)
  if (unavailable !== null) return new Denial('unavailable', unavailable)
  const input = await claimInputFiles(call, key, { ...body.input, prompt: body.prompt })
  if (isDenial(input)) return input
  const submission = await agent.accept(input)
  if ('problem' in submission) return badRequest(submission.problem)
  const commandId = idempotencyKey(request)
  if (isDenial(commandId)) return commandId
  const { parent_session_id: parent, title, policy } = body
  const isNew = (await ports.directory.find(tenant, id)).length === 0
  if (commandId === null && !isNew)
    return refusalDenial({ refused: 'session_exists', message: 'The session exists already.' })
  const choice = workspaceOf(body)
  if (isDenial(choice)) return choice
  const settings = { ...settingsOf(body), ...workspaceSettings(choice) }
  // An existing session refuses the command, or answers for its Idempotency-Key, and needs no workspace.
  const prepared = isNew ? await prepareWorkspace(call, key, settings, { kind: 'background', goal: body.prompt }) : null
  if (isDenial(prepared)) return prepared
  const owner = (await viewerOf(access)) ?? (parent === undefined ? null : await ownerOfSession(call, tenant, parent))
  const answer = await ports.host.send(
    key,
    {
      type: 'submit',
      ...submission,
      ...actorField(access, body.actor),
      ...(owner !== null && { owner }),
      fresh: true,
      opening: {
        kind: 'background',
        settings: prepared?.settings ?? settings,
        maxRetries: body.max_retries ?? RETRIES_DEFAULT,
        expiresAt: body.expires_at ?? null,
        ...present({ title, policy, parentSessionId: parent }),
        ...(prepared && { artifacts: prepared.artifacts }),
      },
    },
    commandKey(commandId, body),
  )
  if (isRefusal(answer)) return discardAndDeny(prepared, answer)
  const receipt = { ...answer, run_id: answer.runId }
  return respondWithCard<BackgroundReceipt>(call, key, receipt, { status: 202, path: `/sessions/${id}` })
}

/** Background work that an operator starts below a user's session belongs to that user. */
const ownerOfSession = async (
  { ports }: Pick<RouteCall<unknown, unknown>, 'ports'>,
  tenant: string,
  id: string,
): Promise<string | null> => {
  const found = await (ports.relatedSessions ?? ports.directory).find(tenant, id)
  return found.find(({ owner }) => owner !== null)?.owner ?? null
}
