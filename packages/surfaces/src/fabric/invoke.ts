// The response starts only with the outcome: a client that checks nothing but the status must not mistake a failed run for a
// result. `Prefer` overrides this.

import type { JsonObject } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { isRefusal, type PromptAnswer } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import { type OutcomeWatch, watchRunOutcome } from '@bridle/kernel/session/run-outcome'
import type { Session } from '@bridle/kernel/session/session'
import type { AcceptedRun, InvokeFailure, InvokeResult } from '@bridle/wire/fabric/wire'
import type * as v from 'valibot'
import { ownerField } from '../http/access/users.ts'
import { json } from '../http/answers/answer-schema.ts'
import { jsonResponse } from '../http/answers/json-response.ts'
import { badRequest, Denial, extendDenial, isDenial, sessionNotFound } from '../http/denials/denial.ts'
import { publicPath } from '../http/denials/public-path.ts'
import { commandIdOf } from '../http/requests/command-id.ts'
import type { RouteCall } from '../http/router/route.ts'
import { requireKey } from '../http/sessions/routes.ts'
import { promptRefusalOf } from '../http/sessions/session-model.ts'
import { workspaceInQuery, type workspaceQuery } from '../http/sessions/workspace-choice.ts'
import { claimInputFiles } from '../http/uploads/input-files.ts'
import { discardAndDeny } from '../http/workspaces/session-workspace.ts'
import { workspaceOpening } from '../http/workspaces/workspace-opening.ts'
import { heartbeatBody, type InvocationEnd } from './heartbeat-body.ts'

/** A day. Timers beyond 24.8 days would fire at once. */
const WAIT_SECONDS_MAX = 86_400

type InvokeQuery = v.InferOutput<v.ObjectSchema<typeof workspaceQuery, undefined>>

/** Waits through queue and approvals. The run continues if its caller disconnects. */
export const invoke = async (
  call: RouteCall<InvokeQuery, { readonly [name: string]: unknown }>,
  agent: AgentInfo,
): Promise<Response | Denial> => {
  const { request, body, ports } = call
  const key = requireKey(call)
  const unavailable = await promptRefusalOf(ports.host, key, agent)
  if (unavailable !== null) return new Denial('unavailable', unavailable)
  const input = await claimInputFiles(call, key, body as JsonObject)
  if (isDenial(input)) return input
  const submission = await agent.accept(input)
  if ('problem' in submission) return badRequest(submission.problem)
  const id = commandIdOf(request, body)
  if (isDenial(id)) return id
  const choice = workspaceInQuery(call.query)
  if (isDenial(choice)) return choice
  const found = choice && (await workspaceOpening(call, key, choice))
  if (isDenial(found)) return found
  const prompt = { ...submission, ...(await ownerField(call.access)) }
  // Only for a new session: one that another request creates first has its own workspace.
  const opening = found ? ({ fresh: true, opening: found.opening } as const) : {}
  const answer = await ports.host.send(key, { type: 'submit', ...prompt, ...opening }, id)
  if (isRefusal(answer)) return discardAndDeny(found?.prepared, answer, key.id)
  const response = await respondToInvoke(call, parsePreference(request.headers.get('prefer')), answer)
  const { runId } = answer
  if (isDenial(response)) return extendDenial(response, { headers: { [RUN_ID]: runId } })
  response.headers.set(RUN_ID, runId)
  return response
}

const RUN_ID = 'x-fabric-run-id'

const respondToInvoke = async (
  { request, ports, key: found }: RouteCall<unknown, unknown>,
  preference: InvokePreference,
  answer: PromptAnswer,
): Promise<Response | Denial> => {
  const key = found as Key
  const { waitMs, applied } = preference
  if (waitMs === 0) return acceptedResponse(request, key, answer, applied)
  const { runId } = answer
  const promptSeq = runSeq(runId) as number
  const session = await ports.host.find(key)
  // The session was removed, and perhaps created again, so the run is gone.
  if (!session?.hasEvent(promptSeq)) return sessionNotFound(key.id, key.agent)
  const watch = watchRunOutcome(session, runId, promptSeq - 1)
  const end = runEnd(request, session, runId, watch)
  if (preference.heartbeat) return heartbeatBody(end, ports.heartbeatMs, applied, watch.stop)
  const inTime = waitMs === null ? await end : await endWithin(end, waitMs)
  if (inTime) return isDenial(inTime) ? inTime : jsonResponse(inTime.body, { status: inTime.status })
  watch.stop()
  return acceptedResponse(request, key, answer, applied)
}

/** Null on timeout. A platform timer suffices, because an open request keeps its server awake. */
const endWithin = <T>(end: Promise<T>, ms: number): Promise<T | null> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms)
    end.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const acceptedResponse = (request: Request, key: Key, { runId }: PromptAnswer, applied: string): Response =>
  json<AcceptedRun>(
    { status: 'accepted', sessionId: key.id, agentPath: agentPath(request, key), runId },
    {
      status: 202,
      headers: {
        location: runPath(request, key, runId),
        'preference-applied': applied,
      },
    },
  )

const runEnd = async (
  request: Request,
  session: Session,
  runId: string,
  watch: OutcomeWatch,
): Promise<InvocationEnd | Denial> => {
  const { key } = session
  const outcome = await watch.outcome
  const where = { sessionId: key.id, agentPath: agentPath(request, key) }
  switch (outcome.status) {
    case 'completed':
      return { status: 200, body: { result: outcome.result, ...where } satisfies InvokeResult }
    case 'failed': {
      const { message, reason } = outcome
      const body: InvokeFailure = { error: { type: 'internal_error', message, reason }, ...where }
      return { status: 500, body }
    }
    case 'cancelled':
      return new Denial('conflict', 'The run was cancelled.')
    case 'removed':
      return sessionNotFound(key.id, key.agent)
    case 'moved':
      return new Denial('unavailable', `The server is going away; ${restartNotice(request, session, runId)}`, {
        'retry-after': '1',
      })
  }
}

/** Durable runs, runs outside of this process, and runs that have not started are sure to survive a restart. */
const restartNotice = (request: Request, { key, state, identity }: Session, runId: string): string => {
  const { kind, run } = state.lifecycle
  const hasBegun = run?.runId === runId && (run.phase === 'started' || run.phase === 'cancelling')
  const waits = identity?.engine === 'scripted' && Object.keys(state.approvals.open).length > 0
  if (!hasBegun || run.durable || identity?.runnerKind === 'bridge' || waits)
    return 'the run goes on after the restart.'
  const path = runPath(request, key, runId)
  return kind === 'background'
    ? `the run lives in this process and may be interrupted; it is then started again. GET ${path} tells how it stands.`
    : `the run lives in this process and may be interrupted. GET ${path} tells how it ended.`
}

const agentPath = (request: Request, key: Key): string => publicPath(request, `/agents/${key.agent}/${key.id}`)

const runPath = (request: Request, key: Key, runId: string): string =>
  publicPath(request, `/sessions/${key.id}/runs/${runId}?agent=${key.agent}`)

interface InvokePreference {
  /** Null: until the run ends; 0: do not wait. */
  readonly waitMs: number | null
  /** The caller accepts a response that starts before the outcome is known. */
  readonly heartbeat: boolean
  readonly applied: string
}

/** `respond-async`, `wait=<seconds>`, both, or `heartbeat`. Other preferences are ignored. */
const parsePreference = (prefer: string | null): InvokePreference => {
  const preferences = (prefer ?? '')
    .split(',')
    .map((preference) => preference.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const isAsync = preferences.includes('respond-async')
  const wait = preferences
    .map((preference) => /^wait="?(\d{1,9})"?$/.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined)
  const seconds = wait === undefined ? null : Math.min(Number(wait), WAIT_SECONDS_MAX)
  const waitMs = seconds === null ? (isAsync ? 0 : null) : seconds * 1_000
  const heartbeat = waitMs === null && preferences.includes('heartbeat')
  const parts = [...(isAsync ? ['respond-async'] : []), ...(seconds === null ? [] : [`wait=${seconds}`])]
  return { waitMs, heartbeat, applied: heartbeat ? 'heartbeat' : parts.join(', ') }
}
