// Approvals: the open ones, and the answers. Answers are kept so that a repeated answer gets the same reply, and an
// undelivered one reaches its runner after a restart.

import { answeredArguments, type GivenAnswer, type QuestionAnswer } from '@bridle/events/answers'
import { type ApprovalKind, approvalKinds } from '@bridle/events/approval-kinds'
import { canonicalJson, hashText, type JsonObject, omit, ownProperty, present } from '@bridle/events/json'
import type { ApprovalDecision, ApprovalRisk, Payloads, ToolEffect } from '@bridle/events/schemas'
import type { Event } from '../event.ts'
import { withoutCallId } from '../ids.ts'
import { defaultAnswer, givenAnswer, type QuestionFields, questionFields, requestFields } from '../question-request.ts'
import { truncate } from '../text/truncate.ts'
import type { Projection } from './projection.ts'

/** Answered approvals remembered, so that the same answer twice is the same reply. */
export const DECIDED_APPROVALS_MAX = 256
/** Settled approvals in a session's directory row: its row is written again with every change that a list shows. */
const SETTLED_APPROVALS_MAX = 20
/** Characters of a reason, and of the JSON of the arguments, the questions and the answer of a settled approval there; the log has all of it. */
const SETTLED_TEXT_CHARS_MAX = 500
const SETTLED_ARGUMENTS_CHARS_MAX = 1_000

export interface Approvals {
  readonly open: { readonly [id: string]: Approval }
  readonly decided: { readonly [id: string]: DecidedApproval }
  /** The newest answers as a list over all sessions shows them, oldest first. */
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
  /** The question is of a durable run: it outlives its attempt. */
  readonly durable: boolean
  readonly effect?: ToolEffect
  readonly risk?: ApprovalRisk
  readonly audience?: string
  /** The runner makes the call with its arguments or not at all. */
  readonly fixed?: true
  /** The digest of the call with the default answer. */
  readonly defaultDigest?: string
  /** The session below this one that asks; absent = this session asks. */
  readonly child?: ApprovalChild
}

export type ApprovalChild = NonNullable<Payloads['approval_required']['child']>

/** The fields that a repeated answer, a delivery or a repeated request needs; the whole request is in the log. */
export interface DecidedApproval
  extends Pick<Approval, 'id' | 'toolCallId' | 'tool' | 'kind' | 'requestedDigest' | 'runId' | 'attempt' | 'durable'> {
  readonly decision: ApprovalDecision
  readonly approvedDigest: string | null
  /** The approved arguments, with the answer to a question, until they are delivered. */
  readonly arguments: JsonObject | null
  /** A hash of the answer to a question, and of its default: a repeated answer gets the same reply. */
  readonly answerHash?: string
  readonly defaultHash?: string
  readonly reason: string | null
  /** The time of the answer, and the person who gave it; null = nobody, or not named. */
  readonly decidedAt: number
  readonly actor: string | null
  /** The caller supplied the name, since its credential has no user. */
  readonly isActorClaimed?: true
  /** The session refused the request itself: no person was asked. */
  readonly isRefused?: true
  /** The session pauses after the call. */
  readonly pause?: true
  /** Whether the runner does not have the answer yet. */
  readonly undelivered: boolean
  /** Whether the call has an outcome: an engine may then reuse the call's id. */
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
      const { id, kind, toolCallId, tool, requestedDigest, runId, attempt, durable } = approval
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

/** The approval that an event requests. */
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
  ...present({ effect: payload.effect, risk: payload.risk, audience: payload.audience }),
  ...(payload.fixed && { fixed: true }),
  ...present({ defaultDigest: payload.default_digest, child: payload.child }),
})

/** How much is at stake in a call that a person is asked about, in the words that the person reads. */
export type RiskLevel = 'low' | 'caution' | 'danger'

/**
 * Never guessed from a name: a policy says it, or else the declared effect does. An effect tells that something changes; only a
 * policy knows that the change is dangerous. Null = neither says anything.
 */
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

/** A runner asks about its calls; every other question is the kernel's own. */
export const isRunnersQuestion = ({ kind, durable }: Pick<Approval, 'kind' | 'durable'>): boolean =>
  approvalKinds[kind].asker === 'runner' || durable

/** Whether the answer has answers or values. */
export const takesAnswers = ({ kind }: Pick<Approval, 'kind'>): boolean => approvalKinds[kind].takes === 'answers'

/** Equal answers have equal hashes. The order in which several options were chosen does not count. */
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

/** Whether the current attempt of a run has the question. Questions of a durable run pass on to its next attempt. */
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

/**
 * A settled approval, short enough for a row. Its arguments are those that were approved; null = they are too large. A question has
 * what it asked and the answer in their place, each unless it is too large.
 */
export interface SettledEntry
  extends Pick<Approval, 'id' | 'kind' | 'tool' | 'toolCallId' | 'requestedAt' | 'expiresAt' | 'effect' | 'risk'>,
    QuestionFields,
    GivenAnswer {
  /** The number of the event that settled it: unique and rising in its session. */
  readonly seq: number
  readonly reason: string
  readonly arguments: JsonObject | null
  readonly isCut: boolean
  readonly decision: ApprovalDecision
  readonly decidedAt: number
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. */
  readonly decidedByClaimed?: true
  readonly decisionReason: string | null
  readonly isEdited: boolean
  /** Claimed by an imported file: it was not decided on this server. */
  readonly imported?: true
}

/** A question that another one replaces is not settled: the other one is. */
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
  // A question's arguments only repeat what it asks. Its answer is kept even if what it asks is too large: the sessions above need it.
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

/** The answer, as far as a settled approval keeps it; the log has all of it. */
export const shortAnswer = (from: GivenAnswer): GivenAnswer | null => {
  const given = givenAnswer(from)
  return isShort(given) ? given : null
}

const isShort = (value: object | null): boolean => JSON.stringify(value).length <= SETTLED_ARGUMENTS_CHARS_MAX

const brief = (text: string): string => truncate(text, SETTLED_TEXT_CHARS_MAX)
