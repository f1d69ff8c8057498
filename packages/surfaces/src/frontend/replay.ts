// A replay branches before a prompt, and asks it and all later prompts again with something changed.

import { type JsonObject, present } from '@bridle/events/json'
import { QUEUE_MAX } from '@bridle/events/limits'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { isRefusal, type ReplayPrompt } from '@bridle/kernel/commands'
import { messageSeq } from '@bridle/kernel/ids'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { Session } from '@bridle/kernel/session/session'
import type { ReplayReceipt } from '@bridle/wire/frontend/wire'
import * as v from 'valibot'
import { actorField, isOtherUsersId, ownerField } from '../http/access/users.ts'
import { badRequest, type Denial, isDenial, sessionNotFound } from '../http/denials/denial.ts'
import { commandKey, idempotencyKey } from '../http/requests/command-id.ts'
import { unknownNameMessage } from '../http/requests/parse-input.ts'
import { optionalField, optionalText, optionsType, reasonFields } from '../http/requests/request-fields.ts'
import { post, type Route, type RouteCall } from '../http/router/route.ts'
import { continuationFields, continuationWorkspace, continuedSettings } from '../http/sessions/import-confirmation.ts'
import { findKey, onSession, respondWithCard } from '../http/sessions/routes.ts'
import { choiceDenial } from '../http/sessions/session-model.ts'
import { sessionTitle, settingsFields, settingsOf } from '../http/sessions/session-settings.ts'
import { discardAndDeny, prepareWorkspace } from '../http/workspaces/session-workspace.ts'
import { chooseAgent } from './agent-choice.ts'
import { replayAnswer } from './answers.ts'
import { newSessionId, userPart } from './new-session-key.ts'
import { policyRequestSchema } from './policy.ts'

const replayBody = optionsType(
  'ReplayRequest',
  'The changes with which the prompts of a session are asked again. Without any, the agent as it is now answers them.',
  {
    model: optionalField(
      'Another model: `provider/model-id` for an agent with a model, a name of the engine’s own for an engine.',
      v.pipe(v.string(), v.trim(), v.minLength(1)),
    ),
    policy: v.optional(policyRequestSchema),
    settings: optionalField(
      'Other settings of the session.',
      v.strictObject(settingsFields, unknownNameMessage(Object.keys(settingsFields))),
    ),
    title: optionalField('The title of the new session.', sessionTitle),
    from_message: optionalText('The id of the prompt to begin with. Default: the first one.'),
    ...reasonFields,
    ...continuationFields,
  },
)

type ReplayCall = RouteCall<unknown, v.InferOutput<typeof replayBody>>

export const replayRoutes: readonly Route[] = [
  post('/sessions/:id/replay', {
    scope: 'operate',
    summary: 'Ask the prompts of a session again, in a branch with another model, policy or settings',
    call: 'replay',
    session: findKey,
    body: replayBody,
    headers: ['Idempotency-Key'],
    answers: { 201: replayAnswer },
    handle: onSession((session, call) => replay(call, session)),
  }),
]

const replay = async (call: ReplayCall, session: Session): Promise<Response | Denial> => {
  const { access, body, ports, request } = call
  const agent = chooseAgent(call, { agent: session.key.agent })
  if (isDenial(agent)) return agent
  const plan = replayPlan(session.state.conversation.messages, body.from_message)
  if (isDenial(plan)) return plan
  const commandId = idempotencyKey(request)
  if (isDenial(commandId)) return commandId
  const { kind } = session.state.lifecycle
  const prefix = kind === 'chat' ? 'chat' : 'bg'
  const childId = await newSessionId(prefix, [session.key, 'replay', ...userPart(access), commandId])
  const key = { ...session.key, id: childId }
  if (await isOtherUsersId(access, childId)) return sessionNotFound(childId)
  const isNew = (await ports.directory.find(key.tenant, childId)).length === 0
  const workspace = await continuationWorkspace(ports, session, body, isNew)
  if (isDenial(workspace)) return workspace
  const settings = replaySettings(session, body, { agent, workspace })
  if (isDenial(settings)) return settings
  // A replay of the whole session starts with a fresh workspace of the same source.
  const origin = { kind, ...(!plan.isWhole && !workspace && { parent: session.key }) }
  const prepared = isNew ? await prepareWorkspace(call, key, settings, origin) : null
  if (isDenial(prepared)) return prepared
  const { title, policy, reason } = body
  const id = commandKey(commandId, { replay: body })
  const answer = await ports.host.branch(session.key, plan.seq, childId, {
    ...(await ownerField(access)),
    ...actorField(access, body.actor),
    prompts: plan.prompts,
    settings: prepared?.settings ?? settings,
    ...(prepared && { artifacts: prepared.artifacts }),
    ...present({ title, policy, reason, id: id ?? undefined, promptsDigest: body.prompts_digest }),
  })
  if (isRefusal(answer)) return discardAndDeny(prepared, answer, session.key.id)
  const receipt = { ...answer, prompts: answer.prompts ?? plan.prompts.length }
  return respondWithCard<ReplayReceipt>(call, key, receipt, { status: 201, path: `/sessions/${childId}` })
}

const replaySettings = (
  session: Session,
  { model, settings: changes = {} }: ReplayCall['body'],
  {
    agent,
    workspace,
  }: {
    readonly agent: AgentInfo
    readonly workspace: JsonObject | null
  },
) => {
  const name = model ?? changes.model
  if (name !== undefined && !agent.modelProblem)
    return badRequest(`body: model: The agent "${session.key.agent}" has no model that a session could choose`)
  const unfit = choiceDenial(agent, { ...changes, model: name })
  if (unfit) return unfit
  const changed = { ...changes, ...(name !== undefined && { model: name }) }
  // A default named in the request replaces the session's value.
  const own = Object.entries(continuedSettings(session, workspace)).filter(([field]) => !Object.hasOwn(changed, field))
  return { ...Object.fromEntries(own), ...settingsOf(changed) }
}

interface ReplayPlan {
  readonly seq: number
  readonly prompts: readonly ReplayPrompt[]
  /** The replay starts with the first prompt. */
  readonly isWhole: boolean
}

const replayPlan = (messages: readonly HarnessMessage[], from: string | undefined): ReplayPlan | Denial => {
  const answers = new Map(
    messages
      .flatMap((message) => (message.role === 'assistant' ? [[message.runId, message] as const] : []))
      .toReversed(),
  )
  const turnPrompts = messages.filter(({ role, runId }) => role === 'user' && answers.has(runId))
  const first = from === undefined ? turnPrompts[0] : turnPrompts.find(({ id }) => id === from)
  if (!first && from === undefined)
    return badRequest('Nothing was asked in this session yet, so nothing can be asked again.')
  if (!first)
    return badRequest(
      `body: from_message: "${from}" is not the prompt of a turn of this session; its messages name them`,
    )
  if (turnPrompts.find(({ runId }) => runId === first.runId) !== first)
    return badRequest(`body: from_message: "${from}" was sent while a turn was running; name the prompt of that turn`)
  const prompts = turnPrompts.slice(turnPrompts.indexOf(first)).map(({ content: text, input }) => ({
    text,
    ...(input !== undefined && { input }),
  }))
  if (prompts.length > QUEUE_MAX)
    return badRequest(
      `The session has ${prompts.length} prompts, and ${QUEUE_MAX} can be asked again at once. Name a later one as from_message.`,
    )
  return { seq: eventBefore(first, answers.get(first.runId)), prompts, isWhole: first === turnPrompts[0] }
}

/** Last event before the prompt's turn. A prompt may have been queued during an earlier turn, which the branch keeps whole. */
const eventBefore = (prompt: HarnessMessage, answer: HarnessMessage | undefined): number => {
  const queued = messageSeq(prompt.id) ?? 1
  const requested = (messageSeq(answer?.id ?? '') ?? 0) - 1
  return requested - 1 > queued ? requested - 1 : queued - 1
}
