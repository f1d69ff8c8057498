// A turn: the intent becomes a prompt, and the answer is what its run said.
import type { AgentInfo } from '../../kernel/agent-info.ts'
import { isRefusal, type Refusal } from '../../kernel/commands.ts'
import type { Key } from '../../kernel/event.ts'
import { runSeq } from '../../kernel/ids.ts'
import { type Json, type JsonObject, present } from '../../kernel/json.ts'
import { type RunOutcome, watchRunOutcome } from '../../kernel/session/run-outcome.ts'
import type { Session } from '../../kernel/session/session.ts'
import { ownerField } from '../http/access/users.ts'
import { commandKey } from '../http/requests/command-id.ts'
import { type Denial, extendDenial, isDenial, notFound } from '../http/router/denial.ts'
import { refusalDenial } from '../http/router/kernel-denials.ts'
import type { RouteCall } from '../http/router/route.ts'
import { requireKey } from '../http/sessions/routes.ts'
import { parseAttachments } from './attachments.ts'
import { decodeRequest, envelope, responseHead, vendorFields } from './codec.ts'
import { engineError, invalidField } from './errors.ts'
import { TURN_WAIT_MS } from './limits.ts'
import { keptState } from './privacy.ts'
import { idFrom } from './session-key.ts'
import type { ActionDirective, RequestMessage } from './wire.ts'

/** Answers when the run has ended. The run goes on when its caller leaves, and a repeated request gets its answer. */
export const takeTurn = async (call: RouteCall<unknown, unknown>): Promise<Response | Denial> => {
  const { ports, rawBody } = call
  const started = ports.clock.now()
  const key = requireKey(call)
  const body = await rawBody.object()
  const message = isDenial(body) ? body : decodeRequest(body)
  if (isDenial(message)) return message
  const answer = await runIntent(call, key, message)
  const latencyMs = Math.max(0, ports.clock.now() - started)
  const headers = { 'x-bridle-session': key.id }
  if (isDenial(answer)) return extendDenial(answer, { headers, details: { latencyMs, sessionId: key.id } })
  return envelope(
    responseHead(body as JsonObject),
    {
      status: 'success',
      engine_latency_ms: latencyMs,
      action_directives: answer.directives,
      extensions: vendorFields({ session_id: key.id, run_id: answer.runId }),
    },
    { headers },
  )
}

interface TurnAnswer {
  readonly runId: string
  readonly directives: readonly ActionDirective[]
}

const runIntent = async (
  call: RouteCall<unknown, unknown>,
  key: Key,
  message: RequestMessage,
): Promise<TurnAnswer | Denial> => {
  const { ports, access } = call
  const { context = {} } = message.request
  if (!context.user_intent) return invalidField('context.user_intent', 'Say what the user wants, as a text.')
  const agent = ports.agents.get(key.agent)
  if (!agent) return notFound()
  if (agent.needs !== null)
    return engineError('engine_unavailable', `The agent "${agent.name}" is not available: ${agent.needs}`)
  const input = await agentInput(message, ports.openharness?.restrictedKeys)
  if (isDenial(input)) return input
  const submission = await agent.accept(input as Parameters<AgentInfo['accept']>[0])
  if ('problem' in submission) return invalidField('context', `The agent "${agent.name}" does not take this input.`)
  const id = commandKey(message.request_id ? await idFrom(message.request_id) : null, input)
  const answer = await ports.host.send(key, { type: 'submit', ...submission, ...(await ownerField(access)) }, id)
  if (isRefusal(answer)) return submitDenial(answer)
  return awaitRun(call, key, answer.runId)
}

/** The fields beside the prompt, as the agent gets them: nothing of `auth`, which is for the edge alone. */
const agentInput = async (
  { request: { context = {}, extensions } }: RequestMessage,
  restrictedKeys?: readonly string[],
): Promise<JsonObject | Denial> => {
  const { user_intent: prompt = '', task_hint, shell, extensions: own } = context
  const attachments = parseAttachments(context.attachments ?? [])
  if (isDenial(attachments)) return attachments
  const fields = present({
    task_hint,
    shell,
    attachments: attachments.length > 0 ? attachments : undefined,
    environment_state: (await keptState(context.environment_state, restrictedKeys)) ?? undefined,
    extensions: own,
    request_extensions: extensions,
  })
  return { prompt, ...(Object.keys(fields).length > 0 && { openharness: fields as unknown as JsonObject }) }
}

const submitDenial = (refusal: Refusal): Denial => {
  switch (refusal.refused) {
    case 'command_conflict':
      return engineError('request_id_conflict', 'This request_id was used for another request in this session.')
    case 'prompt_empty':
    case 'prompt_too_long':
      return invalidField('context.user_intent', refusal.message)
    default:
      return refusalDenial(refusal)
  }
}

const awaitRun = async (
  { ports }: Pick<RouteCall<unknown, unknown>, 'ports'>,
  key: Key,
  runId: string,
): Promise<TurnAnswer | Denial> => {
  const promptSeq = runSeq(runId) as number
  const session = await ports.host.find(key)
  // The session was removed in the meantime, and perhaps created again: the run is gone.
  if (!session?.hasEvent(promptSeq)) return notFound()
  const watch = watchRunOutcome(session, runId, promptSeq - 1)
  const outcome = await Promise.race([watch.outcome, timeout(ports.openharness?.waitMs ?? TURN_WAIT_MS, watch.outcome)])
  if (outcome !== null) return turnAnswer(session, runId, outcome)
  watch.stop()
  return engineError(
    'engine_timeout',
    'The run goes on. Send the same request again for its answer.',
    { run_id: runId },
    { 'retry-after': '1' },
  )
}

/** Null when the time is over first. A platform timer is enough: an open request keeps its server awake. */
const timeout = (ms: number, other: Promise<unknown>): Promise<null> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ms)
    other.finally(() => clearTimeout(timer))
  })

const turnAnswer = (session: Session, runId: string, outcome: RunOutcome): TurnAnswer | Denial => {
  switch (outcome.status) {
    case 'completed':
      return { runId, directives: messageDirectives(textOf(session, runId, outcome.result)) }
    case 'failed':
      // The message of a fault may quote anything, so it stays in the session.
      return engineError('engine_error', 'The run failed.', { run_id: runId, reason: outcome.reason })
    case 'cancelled':
      return engineError('run_cancelled', 'The run was cancelled.', { run_id: runId })
    case 'moved':
      return engineError('engine_unavailable', 'The session moved. Send the same request again.', { run_id: runId })
    case 'removed':
      return notFound()
  }
}

/** The text that the run said; of one that said nothing, its result. */
const textOf = (session: Session, runId: string, result: Json): string => {
  const said = session.state.conversation.messages
    .filter((each) => each.role === 'assistant' && each.runId === runId)
    .map(({ content }) => content)
    .join('\n\n')
  if (said !== '' || result === null) return said
  return typeof result === 'string' ? result : JSON.stringify(result)
}

const messageDirectives = (text: string): readonly ActionDirective[] =>
  text === '' ? [] : [{ action_type: 'render_message', priority: 'normal', risk_tier: 'safe', payload: { text } }]
