import { present } from '@bridle/events/json'
import { promptRefusal } from '@bridle/kernel/agent-info'
import { isRefusal } from '@bridle/kernel/commands'
import { eventId, type Key } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import type { ChatSession, TurnReceipt } from '@bridle/wire/frontend/wire'
import type { SessionCard } from '@bridle/wire/http/wire'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import { wholeSession } from '@bridle/wire/views/whole-session'
import * as v from 'valibot'
import { actorField, ownerField } from '../http/access/users.ts'
import { badRequest, Denial, isDenial, missingSession } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandIdOf } from '../http/requests/command-id.ts'
import { jsonWithTag } from '../http/requests/conditional-requests.ts'
import { actorFields, optionalField, optionsType } from '../http/requests/request-fields.ts'
import { get, omitSchema, post, type Route, type RouteCall } from '../http/router/route.ts'
import { lookUp } from '../http/sessions/event-lookup.ts'
import { importedPart } from '../http/sessions/import-confirmation.ts'
import { backgroundArtifacts } from '../http/sessions/related-sessions.ts'
import { findKey, findSession, onSession, respondWithCard } from '../http/sessions/routes.ts'
import { choiceDenial } from '../http/sessions/session-model.ts'
import { settingsOf } from '../http/sessions/session-settings.ts'
import { workspaceOf, workspaceSettings } from '../http/sessions/workspace-choice.ts'
import { claimInputFiles } from '../http/uploads/input-files.ts'
import { discardAndDeny, prepareWorkspace } from '../http/workspaces/session-workspace.ts'
import { chooseAgent } from './agent-choice.ts'
import { branchAnswer, chatCreatedAnswer, chatSessionAnswer, turnAnswer, turnStreamAnswer } from './answers.ts'
import { branchBody, branchFrom } from './branching.ts'
import { newSessionFields, newSessionKey, newSessionType } from './new-session-key.ts'
import { envelopeRoute, tierSchema, turnStream } from './streams.ts'

const path = '/chat/sessions/:id'

const createBody = optionsType(...newSessionType, newSessionFields)

const turnQuery = v.looseObject({ tier: tierSchema })
const turnBody = v.looseObject({
  prompt: v.string(),
  input: optionalField('Fields of the input beside the prompt.', jsonObject),
  ...actorFields,
})

export const chatRoutes: readonly Route[] = [
  post('/chat/sessions', {
    scope: 'operate',
    summary: 'Make a chat session, which waits for its first prompt',
    call: 'createChat',
    session: newSessionKey('chat'),
    body: createBody,
    headers: ['Idempotency-Key'],
    answers: { 201: chatCreatedAnswer },
    handle: (call) => createChat(call),
  }),
  post(`${path}/turns`, {
    scope: 'operate',
    summary: 'Send a prompt; answers at once, or with the stream of the turn to a caller that accepts one',
    call: { name: 'turn', omits: ['tier'] },
    session: findKey,
    query: turnQuery,
    body: turnBody,
    headers: ['Idempotency-Key'],
    answers: { 200: turnStreamAnswer, 202: turnAnswer },
    handle: (call) => takeTurn(call),
  }),
  get(path, {
    scope: 'observe',
    summary: 'A chat session with everything that a page about it shows',
    call: { name: 'chat', fixed: { omit: 'channel' } },
    session: findKey,
    query: v.looseObject({ omit: omitSchema }),
    headers: ['If-None-Match', 'If-Match'],
    answers: { 200: chatSessionAnswer },
    handle: onSession(async (session, call) => {
      const agent = call.ports.agents.get(session.key.agent) ?? null
      return jsonWithTag<ChatSession>(call.request, {
        ...(await lookUp(session, (facts) => wholeSession(facts, agent, call.query.omit))),
        ...(await importedPart(call.ports, session, call.query.omit)),
        background_artifacts: await backgroundArtifacts(call.ports, session.key, call.access),
      })
    }),
  }),
  envelopeRoute(`${path}/events/stream`),
  post(`${path}/branch`, {
    scope: 'operate',
    summary: 'Branch a new session from an event or a cursor; the first session continues',
    call: { name: 'branch', requiresOptions: true },
    session: findKey,
    body: branchBody,
    headers: ['Idempotency-Key'],
    answers: { 201: branchAnswer('The new session.') },
    handle: onSession(async (session, call) => {
      return branchFrom(call, session, { ...call.body, ...actorField(call.access, call.body.actor) })
    }),
  }),
]

const createChat = async (call: RouteCall<undefined, v.InferOutput<typeof createBody>>): Promise<Response | Denial> => {
  const { body, ports, request } = call
  const key = call.key as Key
  const unfit = choiceDenial(ports.agents.get(key.agent) ?? {}, body)
  if (unfit) return unfit
  const id = commandIdOf(request, body)
  if (isDenial(id)) return id
  const choice = workspaceOf(body)
  if (isDenial(choice)) return choice
  const { title, policy } = body
  const settings = { ...settingsOf(body), ...(choice.mode !== 'none' && workspaceSettings(choice)) }
  const isNew = (await ports.host.find(key)) === null
  const prepared = isNew ? await prepareWorkspace(call, key, settings, { kind: 'chat' }) : null
  if (isDenial(prepared)) return prepared
  const opening = {
    kind: 'chat',
    settings: prepared?.settings ?? settings,
    ...present({ title, policy }),
    ...(prepared && { artifacts: prepared.artifacts }),
  } as const
  const answer = await ports.host.send(key, { type: 'create', ...(await ownerField(call.access)), opening }, id)
  if (isRefusal(answer)) return discardAndDeny(prepared, answer)
  return respondWithCard<SessionCard>(call, key, answer, { status: 201, path: `/chat/sessions/${key.id}` })
}

type TurnCall = RouteCall<v.InferOutput<typeof turnQuery>, v.InferOutput<typeof turnBody>>

const takeTurn = async (call: TurnCall): Promise<Response | Denial> => {
  const session = await findSession(call)
  if (isDenial(session)) return session
  const { request, body, ports, query } = call
  const { key } = session
  const agent = chooseAgent(call, { agent: key.agent })
  if (isDenial(agent)) return agent
  const unavailable = promptRefusal(agent, session.state.lifecycle.settings.model)
  if (unavailable !== null) return new Denial('unavailable', unavailable)
  const input = await claimInputFiles(call, key, { ...body.input, prompt: body.prompt })
  if (isDenial(input)) return input
  const submission = await agent.accept(input)
  if ('problem' in submission) return badRequest(submission.problem)
  const id = commandIdOf(request, body)
  if (isDenial(id)) return id
  const prompt = { ...submission, ...actorField(call.access, body.actor) }
  const answer = await ports.host.send(key, { type: 'submit', existing: true, ...prompt }, id)
  if (isRefusal(answer)) return refusalDenial(answer, key.id)
  const { runId } = answer
  const since = (runSeq(runId) as number) - 1
  if (wantsStream(request)) {
    const watched = await ports.host.find(key)
    return watched?.hasEvent(since + 1)
      ? turnStream(call, watched, { runId, since, tier: query.tier })
      : missingSession(call)
  }
  return respondWithCard<TurnReceipt>(
    call,
    key,
    {
      turn_id: runId,
      run_id: runId,
      message_id: answer.messageId,
      delivery: answer.delivery,
      after: eventId(since, session.incarnations.own),
    },
    { status: 202, path: `/sessions/${key.id}/runs/${runId}?agent=${key.agent}` },
  )
}

const wantsStream = (request: Request): boolean =>
  /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(request.headers.get('accept') ?? '')
