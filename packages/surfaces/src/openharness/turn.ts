// In a turn, the intent becomes a prompt, and the run's output the answer.

import { type Json, type JsonObject, present } from '@bridle/events/json'
import { isRefusal, type Refusal } from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import { openTextQuestion } from '@bridle/kernel/rules/approvals/typed-answers'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import type { Session } from '@bridle/kernel/session/session'
import type { ActionDirective, RequestMessage, ResponseMessage } from '@bridle/wire/openharness/wire'
import type { AppPorts } from '../app.ts'
import { ownerField } from '../http/access/users.ts'
import { type Denial, extendDenial, isDenial, notFound } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey } from '../http/requests/command-id.ts'
import type { RouteCall } from '../http/router/route.ts'
import { requireKey } from '../http/sessions/routes.ts'
import { promptRefusalOf } from '../http/sessions/session-model.ts'
import { claimUploads } from '../http/uploads/claim.ts'
import { agentInput, comparedFields, type KeptFields, keptFields } from './agent-input.ts'
import { withoutSignature } from './attachments.ts'
import { decodeRequest, echoHeaders, envelope, errorEnvelope, responseHead, vendorFields } from './codec.ts'
import { openContinuation } from './continuation.ts'
import { approvalDirective, messageDirectives, shapeDirectives } from './directives.ts'
import { engineError, expiredContinuation, invalidField, requestIdConflict, withoutRetry } from './errors.ts'
import { type RequestFeedback, splitFeedback, takeFeedback } from './execution-feedback.ts'
import { discardFetched, fetchAttachments } from './fetched-attachments.ts'
import { requestKeyOf } from './line-ids.ts'
import type { SessionTarget } from './line-sessions.ts'
import { resumeRun } from './resumption.ts'
import { directivesOf, type RunPlace, readRunOutput } from './run-output.ts'
import { awaitRunAnswer, type RunAnswer } from './run-watch.ts'
import { turnPrompt } from './turn-prompt.ts'
import { type TurnSession, turnSessionOf } from './turn-session.ts'
import { streamCursorOf, turnStream } from './turn-stream.ts'

/** Many proxies drop silent requests after 60 seconds. */
const TURN_WAIT_MS = 50_000
/** For a text whose question a concurrent request has answered. */
const REROUTES_MAX = 5

/** Responds when the run ends or needs an approval. The run continues if its caller leaves; a retry gets its answer. */
export const takeTurn = async (call: RouteCall<unknown, unknown>): Promise<Response | Denial> => {
  const { ports, rawBody } = call
  const startedAt = ports.clock.now()
  const body = await rawBody.object()
  const message = isDenial(body) ? body : decodeRequest(body)
  if (isDenial(message)) return message
  const found = requireKey(call)
  const place = await turnSessionOf(call, found, message)
  if (isDenial(place)) return place
  const cursor = streamCursorOf(call.request, message)
  if (isDenial(cursor)) return cursor
  let { key } = place.target
  const respond = (answer: TurnAnswer | Denial): Response | Denial => {
    const latencyMs = Math.max(0, ports.clock.now() - startedAt)
    const headers = { 'x-bridle-session': key.id }
    if (isDenial(answer)) return extendDenial(answer, { headers, details: { latencyMs, sessionId: key.id } })
    return envelope(
      responseHead(body as JsonObject, ports),
      {
        status: 'success',
        engine_latency_ms: latencyMs,
        action_directives: answer.directives,
        extensions: vendorFields(present({ session_id: key.id, run_id: answer.runId })),
      },
      { headers },
    )
  }
  const split = splitFeedback(message)
  if (isDenial(split)) return respond(split)
  const isAlone = await takeFeedback(call, place, message, split)
  if (isDenial(isAlone)) return respond(isAlone)
  if (isAlone) return respond({ directives: [] })
  let run = await startRun(call, place, message, split)
  for (let tries = 0; run === 'answered already' && tries < REROUTES_MAX; tries++) {
    const next = await turnSessionOf(call, found, message)
    if (isDenial(next)) return respond(next)
    key = next.target.key
    run = await startRun(call, next, message, split)
  }
  if (run === 'answered already') return respond(expiredContinuation('The question was answered already.'))
  if (isDenial(run)) return respond(run)
  const started = run
  const finish = async (end: RunAnswer) => {
    const answer = await turnAnswer(ports, started.session, started.place, end)
    if (isDenial(answer)) return respond(isRepeatable(message) ? answer : withoutRetry(answer))
    return respond({ ...answer, directives: shapeDirectives(answer.directives, message, answer.typed) })
  }
  // Fetching attachments already used up some of the shell's wait.
  const waitMs = (ports.openharness?.waitMs ?? TURN_WAIT_MS) - (ports.clock.now() - startedAt)
  if (!cursor)
    return finish(await awaitRunAnswer(started.session, started.place.runId, started.since, Math.max(0, waitMs)))
  return turnStream(ports, {
    ...started,
    cursor,
    shape: (directive) => shapeDirectives([directive], message),
    headers: echoHeaders(responseHead(body as JsonObject, ports), { 'x-bridle-session': key.id }),
    finish: async (end) => {
      const answer = await finish(end)
      const whole = isDenial(answer) ? errorEnvelope(answer, body as JsonObject, ports) : answer
      return (await whole.json()) as ResponseMessage
    },
  })
}

/** Without an id, a retry would start another run. A token identifies its run. */
const isRepeatable = ({ request_id, request }: RequestMessage): boolean =>
  Boolean(request_id || request.context?.continuation?.continuation_token)

interface TurnAnswer {
  /** Absent if nothing runs. */
  readonly runId?: string
  readonly directives: readonly ActionDirective[]
  /** The question that the user's next message answers; one of the directives. */
  readonly typed?: ActionDirective
}

interface StartedRun {
  readonly session: Session
  readonly place: RunPlace
  readonly since: number
}

const startRun = async (
  call: RouteCall<unknown, unknown>,
  turn: TurnSession,
  message: RequestMessage,
  split: RequestFeedback,
): Promise<StartedRun | Denial | 'answered already'> => {
  const { key } = turn.target
  const token = message.request.context?.continuation?.continuation_token
  const place = token
    ? await continueRun(call, key, message, token)
    : turn.resumes !== undefined
      ? { runId: turn.resumes, approvalId: null }
      : await submitIntent(call, turn, message, split)
  if (place === 'answered already' || isDenial(place)) return place
  const promptSeq = runSeq(place.runId) as number
  const session = await call.ports.host.find(key)
  // The session was removed, and perhaps created again, so the run is gone.
  return session?.hasEvent(promptSeq) ? { session, place, since: promptSeq - 1 } : notFound()
}

const continueRun = async (
  call: RouteCall<unknown, unknown>,
  key: Key,
  message: RequestMessage,
  token: string,
): Promise<RunPlace | Denial> => {
  const claim = await openContinuation(call.ports, token)
  if (!claim || keyText(claim.key) !== keyText(key))
    return invalidField(
      'context.continuation.continuation_token',
      'Send a token that this engine gave for this session.',
    )
  return (await resumeRun(call, claim, message.request_id ?? null, message.request)) ?? claim
}

const submitIntent = async (
  call: RouteCall<unknown, unknown>,
  { target, only }: TurnSession,
  message: RequestMessage,
  split: RequestFeedback,
): Promise<RunPlace | Denial | 'answered already'> => {
  const { ports } = call
  const { key } = target
  const agent = ports.agents.get(key.agent)
  if (!agent) return notFound()
  const unavailable = await promptRefusalOf(ports.host, key, agent)
  if (unavailable !== null) return engineError('engine_unavailable', unavailable)
  const kept = await keptFields(call, split.request)
  if (isDenial(kept)) return kept
  const session = await ports.host.find(key)
  const prompt = turnPrompt(message, kept, agent, session)
  if (!prompt) return invalidField('context.user_intent', 'Say what the user wants, as a text.')
  const requestKey = await requestKeyOf(call.request, message)
  if (isDenial(requestKey)) return requestKey
  const id = requestIdempotency(requestKey, kept)
  const fetched = await fetchAttachments(call, key, kept.attachments, id)
  if (isDenial(fetched)) return fetched
  const attachments = await claimUploads(call, key, fetched)
  if ('problem' in attachments) {
    await discardFetched(call, kept.attachments, fetched)
    return invalidField(`context.attachments.${attachments.index}.ref_id`, attachments.problem)
  }
  const feedback = session?.state.feedback.waiting ?? []
  const fields = { ...kept, prompt: prompt.text, attachments: attachments.map(withoutSignature) }
  const submission = await agent.accept(agentInput(fields, ports.clock.now(), feedback))
  if ('problem' in submission) return invalidField('context', `The agent "${agent.name}" does not take this input.`)
  const rule = only ?? prompt.only
  const command = {
    type: 'submit',
    ...submission,
    ...(await openingOf(call, target)),
    ...(rule && { only: rule }),
  } as const
  const answer = await ports.host.send(key, command, id)
  if (only === 'answer' && isRefusal(answer) && answer.refused === 'approval_not_found') return 'answered already'
  return isRefusal(answer) ? submitDenial(answer) : { runId: answer.runId, approvalId: answer.approvalId ?? null }
}

/** Earlier versions compared all kept fields. A request retried across an update must still match. */
const requestIdempotency = (requestKey: string | null, kept: KeptFields): IdempotencyKey | null => {
  const id = commandKey(requestKey, comparedFields(kept))
  const older = commandKey(requestKey, kept)
  return id && older && { ...id, olderHash: older.bodyHash }
}

const openingOf = async ({ access }: RouteCall<unknown, unknown>, { parentSessionId, owner }: SessionTarget) => ({
  ...(parentSessionId !== null && { opening: { parentSessionId } }),
  ...(owner === undefined ? await ownerField(access) : owner !== null && { owner }),
})

const submitDenial = (refusal: Refusal): Denial => {
  switch (refusal.refused) {
    case 'command_conflict':
      return requestIdConflict()
    case 'prompt_empty':
    case 'prompt_too_long':
      return invalidField('context.user_intent', refusal.message)
    default:
      return refusalDenial(refusal)
  }
}

const turnAnswer = async (
  ports: AppPorts,
  session: Session,
  { runId, approvalId }: RunPlace,
  answer: RunAnswer,
): Promise<TurnAnswer | Denial> => {
  switch (answer.status) {
    case 'completed':
      return { runId, directives: await outputDirectives(session, runId, approvalId, answer.result) }
    case 'awaiting_approval': {
      const { approvals } = answer
      const asked = await Promise.all(
        approvals.map((each) => approvalDirective(ports, session.key, each.runId ?? runId, each)),
      )
      const output = await outputDirectives(session, runId, approvalId, null)
      const question = openTextQuestion(session.state)
      const typed = asked[approvals.findIndex(({ id }) => id === question?.id)]
      return { runId, directives: [...output, ...asked], ...present({ typed }) }
    }
    case 'working':
      return engineError(
        'engine_timeout',
        'The run goes on. Send the same request again for its answer.',
        { run_id: runId },
        { 'retry-after': '1' },
      )
    case 'failed':
      // The fault's message may quote anything, so it stays in the session.
      return engineError('engine_error', 'The run failed.', { run_id: runId, reason: answer.reason })
    case 'cancelled':
      return engineError('run_cancelled', 'The run was cancelled.', { run_id: runId })
    case 'moved':
      return engineError('engine_unavailable', 'The session moved. Send the same request again.', { run_id: runId })
    case 'removed':
      return notFound()
  }
}

/** In order. A run without output returns its result as text. */
const outputDirectives = async (
  session: Session,
  runId: string,
  approvalId: string | null,
  result: Json,
): Promise<readonly ActionDirective[]> => {
  const place = { runId, approvalId }
  const output = await readRunOutput(session, place, (runSeq(runId) as number) - 1)
  const directives = directivesOf(output, session, place)
  return directives.length > 0 ? directives : messageDirectives(resultText(result))
}

const resultText = (result: Json): string => {
  if (result === null) return ''
  return typeof result === 'string' ? result : JSON.stringify(result)
}
