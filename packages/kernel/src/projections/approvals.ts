// Answers are kept so that a repeated answer gets the same reply, and undelivered answers reach the runner after a restart.

import { answeredArguments, type GivenAnswer, type QuestionAnswer } from '@bridle/events/answers'
import { type ApprovalKind, approvalKinds } from '@bridle/events/approval-kinds'
import { canonicalJson, hashText, type JsonObject, omit, ownProperty, present } from '@bridle/events/json'
import type { ApprovalDecision, ApprovalRisk, Payloads, ToolEffect } from '@bridle/events/schemas'
import type { Event } from '../event.ts'
import { withoutCallId } from '../ids.ts'
import { defaultAnswer, givenAnswer, type QuestionFields, questionFields, requestFields } from '../question-request.ts'
import { truncate } from '../text/truncate.ts'
import type { Projection } from './projection.ts'

/** An answer repeated after this many others is refused as unknown. */
export const DECIDED_APPROVALS_MAX = 256
/** Bounds the directory row, which is rewritten whenever a list would change. */
const SETTLED_APPROVALS_MAX = 20
/** Per settled approval in the row: its reason, and its arguments, questions and answer as JSON. The log has all of it. */
const SETTLED_TEXT_CHARS_MAX = 500
const SETTLED_ARGUMENTS_CHARS_MAX = 1_000

export interface Approvals {
  readonly open: { readonly [id: string]: Approval }
  readonly decided: { readonly [id: string]: DecidedApproval }
  /** The newest answers, in order, as lists across sessions show them. */
  readonly settled: readonly SettledEntry[]
}

export interface Approval extends QuestionFields {
  readonly id: string
  readonly kind: ApprovalKind
  readonly toolCallId: string
  readonly tool: string
  readonly reason: string
  readonly arguments: JsonObject
  readonly requestedDigest: string
  readonly requestedAt: number
  readonly expiresAt: number | null
  readonly runId: string | null
  readonly attempt: number
  /** Asked by a durable run, so it outlives the attempt. */
  readonly durable: boolean
  /** The question is about a call that the server makes for an engine. */
  readonly served?: true
  readonly effect?: ToolEffect
  readonly risk?: ApprovalRisk
  readonly audience?: string
  /** The arguments cannot be edited. */
  readonly fixed?: true
  /** Digest of the call with the default answer. */
  readonly defaultDigest?: string
  /** The descendant that asks, if not this session. */
  readonly child?: ApprovalChild
}

export type ApprovalChild = NonNullable<Payloads['approval_required']['child']>

/** For repeated answers, deliveries and requests. The log has the full request. */
export interface DecidedApproval
  extends Pick<
    Approval,
    'id' | 'toolCallId' | 'tool' | 'kind' | 'requestedDigest' | 'runId' | 'attempt' | 'durable' | 'served'
  > {
  readonly decision: ApprovalDecision
  readonly approvedDigest: string | null
  /** Approved arguments, including the answer to a question, until delivered. */
  readonly arguments: JsonObject | null
  /** Hashes of a question's answer and default, to recognise a repeated answer. */
  readonly answerHash?: string
  readonly defaultHash?: string
  readonly reason: string | null
  /** `actor` is null after an expiry, or if the credential names no user. */
  readonly decidedAt: number
  readonly actor: string | null
  readonly isActorClaimed?: true
  readonly isRefused?: true
  readonly pause?: true
  readonly undelivered: boolean
  /** Once the call has an outcome, an engine may reuse its id. */
  readonly hasOutcome: boolean
}

export const approvals: Projection<Approvals> = {
  initial: { open: {}, decided: {}, settled: [] },
  on: {
    approval_required: (state, event) =>
      event.payload.child
        ? state
        : { ...state, open: { ...state.open, [event.payload.request_id]: openApproval(event) } },

    approval_decided: (state, event) => {
      const { payload } = event
      const approval = ownProperty(state.open, payload.request_id)
      if (!approval) return state
      const { id, kind, toolCallId, tool, requestedDigest, runId, attempt, durable, served } = approval
      const given = givenAnswer(payload)
      const goesToRunner =
        isRunnersQuestion(approval) && payload.decision !== 'superseded' && payload.decision !== 'cancelled'
      return {
        open: omit(state.open, id),
        decided: bounded({
          ...state.decided,
          [id]: {
            id,
            kind,
            toolCallId,
            tool,
            requestedDigest,
            runId,
            attempt,
            durable,
            ...present({ served }),
            decision: payload.decision,
            approvedDigest: payload.approved_digest ?? null,
            arguments: goesToRunner ? answeredArguments(payload.arguments ?? approval.arguments, payload) : null,
            ...(given && { answerHash: answerHash(given) }),
            ...present({ defaultHash: hashOfDefault(approval) }),
            reason: payload.reason ?? null,
            decidedAt: event.at,
            actor: payload.actor ?? null,
            ...(payload.actor_claimed && { isActorClaimed: true }),
            ...(payload.refused && { isRefused: true }),
            ...(payload.pause && { pause: true }),
            undelivered: goesToRunner,
            hasOutcome: false,
          },
        }),
        settled: withSettled(state.settled, approval, event),
      }
    },

    approval_delivered: (state, { payload }) => settle(state, (each) => each.id === payload.request_id),
    tool_outcome: (state, { run, attempt, payload }) =>
      change(
        state,
        (each) =>
          !each.hasOutcome &&
          each.toolCallId === payload.tool_call_id &&
          each.runId === run &&
          (each.durable || each.attempt === attempt),
        { hasOutcome: true },
      ),
    turn_end: (state, { payload }) => settle(state, (each) => each.runId === payload.turn_id),
    branched: () => ({ open: {}, decided: {}, settled: [] }),
    session_imported: ({ settled }) => ({
      ...{ open: {}, decided: {} },
      settled: settled.map((entry) => ({ ...entry, imported: true })),
    }),
  },
}

export const openApproval = ({ at, run, attempt, payload }: Event<'approval_required'>): Approval => ({
  id: payload.request_id,
  ...requestFields(payload),
  toolCallId: payload.tool_call_id,
  tool: payload.tool_name,
  reason: payload.reason,
  arguments: withoutCallId(payload.arguments ?? {}),
  requestedDigest: payload.requested_digest ?? '',
  requestedAt: at,
  expiresAt: payload.expires_at ? Date.parse(payload.expires_at) : null,
  runId: run ?? null,
  attempt: attempt ?? 0,
  durable: payload.durable ?? false,
  ...(payload.served && { served: true }),
  ...present({ effect: payload.effect, risk: payload.risk, audience: payload.audience }),
  ...(payload.fixed && { fixed: true }),
  ...present({ defaultDigest: payload.default_digest, child: payload.child }),
})

/** The stake of a call, in the words shown to people. */
export type RiskLevel = 'low' | 'caution' | 'danger'

/** Never guessed from a name. A declared effect only says that something changes; only a policy can say `danger`. */
export const riskLevelOf = ({ risk, effect }: Pick<Approval, 'risk' | 'effect'>): RiskLevel | null => {
  if (risk !== undefined) return levelOfRisk[risk]
  return effect === undefined ? null : levelOfEffect[effect]
}

const levelOfRisk: { readonly [R in ApprovalRisk]: RiskLevel } = { low: 'low', medium: 'caution', high: 'danger' }
const levelOfEffect: { readonly [E in ToolEffect]: RiskLevel } = {
  pure: 'low',
  idempotent: 'caution',
  unsafe: 'caution',
}

/** Questions of runners concern their calls; all others are the kernel's own. */
export const isRunnersQuestion = ({ kind, durable, served }: Pick<Approval, 'kind' | 'durable' | 'served'>): boolean =>
  approvalKinds[kind].asker === 'runner' || durable || served === true

export const takesAnswers = ({ kind }: Pick<Approval, 'kind'>): boolean => approvalKinds[kind].takes === 'answers'

/** The order of multiple choices does not matter. */
export const answerHash = ({ answers = {}, values }: GivenAnswer): string =>
  hashText(
    canonicalJson({
      answers: Object.fromEntries(Object.entries(answers).map(([id, answer]) => [id, sorted(answer)])),
      ...present({ values }),
    }),
  )

const sorted = (answer: QuestionAnswer): QuestionAnswer => (typeof answer === 'string' ? answer : [...answer].sort())

const hashOfDefault = (approval: Approval): string | undefined => {
  const given = defaultAnswer(approval)
  return given === null ? undefined : answerHash(given)
}

/** Questions of a durable run carry over to its next attempt. */
export const isOfAttempt = (
  approval: Pick<Approval, 'runId' | 'attempt' | 'durable'>,
  run: { readonly runId: string; readonly attempt: number },
): boolean => approval.runId === run.runId && (approval.durable || approval.attempt === run.attempt)

const settle = (state: Approvals, which: (each: DecidedApproval) => boolean): Approvals =>
  change(state, (each) => each.undelivered && which(each), { undelivered: false, arguments: null })

const change = (
  state: Approvals,
  which: (each: DecidedApproval) => boolean,
  to: Partial<DecidedApproval>,
): Approvals => {
  const found = Object.values(state.decided).filter(which)
  if (found.length === 0) return state
  const changed = Object.fromEntries(found.map((each) => [each.id, { ...each, ...to }]))
  return { ...state, decided: { ...state.decided, ...changed } }
}

const bounded = (decided: Record<string, DecidedApproval>): Record<string, DecidedApproval> => {
  const ids = Object.keys(decided)
  if (ids.length <= DECIDED_APPROVALS_MAX) return decided
  const oldest = ids.find((id) => !decided[id]?.undelivered)
  return oldest === undefined ? decided : omit(decided, oldest)
}

/** A settled approval, shortened for a row. `arguments` are null if too large. Questions are only kept if short enough. */
export interface SettledEntry
  extends Pick<Approval, 'id' | 'kind' | 'tool' | 'toolCallId' | 'requestedAt' | 'expiresAt' | 'effect' | 'risk'>,
    QuestionFields,
    GivenAnswer {
  /** The event that settled it. */
  readonly seq: number
  readonly reason: string
  readonly arguments: JsonObject | null
  readonly isCut: boolean
  readonly decision: ApprovalDecision
  readonly decidedAt: number
  readonly decidedBy: string | null
  readonly decidedByClaimed?: true
  readonly decisionReason: string | null
  readonly isEdited: boolean
  /** Claimed by an imported file, not decided on this server. */
  readonly imported?: true
}

/** A superseded question is not settled; its replacement will be. */
const withSettled = (
  settled: readonly SettledEntry[],
  approval: Approval,
  event: Event<'approval_decided'>,
): readonly SettledEntry[] => {
  if (event.payload.superseded_by !== undefined) return settled
  return [...settled.slice(1 - SETTLED_APPROVALS_MAX), settledEntry(approval, event)]
}

const settledEntry = (approval: Approval, { seq, at, payload }: Event<'approval_decided'>): SettledEntry => {
  const { id, kind, tool, toolCallId, reason, requestedAt, expiresAt, effect, risk } = approval
  const args = payload.arguments ? withoutCallId(payload.arguments) : approval.arguments
  // The arguments of a question only repeat it. The answer is kept even if the question is too large: ancestors need it.
  const request = takesAnswers(approval) ? questionFields(approval) : { arguments: args }
  const fits = isShort(request) && isShort(givenAnswer(payload))
  const texts = [tool, toolCallId, reason, payload.reason ?? '']
  return {
    ...{ seq, id, kind, requestedAt, expiresAt, ...present({ effect, risk }) },
    tool: brief(tool),
    toolCallId: brief(toolCallId),
    reason: brief(reason),
    arguments: null,
    ...(isShort(request) && request),
    ...shortAnswer(payload),
    isCut: !fits || texts.some((text) => text.length > SETTLED_TEXT_CHARS_MAX),
    decision: payload.decision,
    decidedAt: at,
    decidedBy: payload.actor ?? null,
    ...(payload.actor_claimed && { decidedByClaimed: true }),
    decisionReason: payload.reason === undefined ? null : brief(payload.reason),
    isEdited:
      payload.decision === 'approved' &&
      payload.arguments !== undefined &&
      payload.approved_digest !== approval.requestedDigest,
  }
}

export const shortAnswer = (from: GivenAnswer): GivenAnswer | null => {
  const given = givenAnswer(from)
  return isShort(given) ? given : null
}

const isShort = (value: object | null): boolean => JSON.stringify(value).length <= SETTLED_ARGUMENTS_CHARS_MAX

const brief = (text: string): string => truncate(text, SETTLED_TEXT_CHARS_MAX)
