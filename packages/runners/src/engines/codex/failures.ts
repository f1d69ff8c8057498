// Errors of Codex in words that a person can act on, and whether a retry may succeed. Codes are matched, never text.
import { isJsonObject, type JsonObject, objectOf, parseObject } from '@bridle/events/json'
import type { TurnEnd } from '../engine.ts'
import { textIn } from './events/lenient-json.ts'
import { httpStatusOf } from './events/notifications.ts'

type TurnFailure = Extract<TurnEnd, { kind: 'failed' }>

/** `retried` is the last error after which Codex tried again: the final error of a cut stream does not name the cause. */
export const turnFailureOf = (error: JsonObject | null, retried: JsonObject | null): TurnFailure => {
  const code = codeOf(error)
  const known = code !== null && Object.hasOwn(FAILURE_KINDS, code) ? FAILURE_KINDS[code] : undefined
  const told = known ? undefined : httpStatusOf(code === 'other' && retried ? retried : (error ?? {}))
  const advice = known?.advice ?? (told ? STATUS_ADVICE[told] : undefined)
  const said = codexErrorMessage(error)
  const transient = known?.transient ?? (told !== undefined && isTransient(told))
  return {
    kind: 'failed',
    message: advice ? `${advice} (${said})` : said,
    reason: known?.reason ?? (told === undefined ? 'engine_error' : 'provider_error'),
    ...(transient && { transient }),
  }
}

interface FailureKind {
  readonly reason: string
  readonly advice?: string
  readonly transient?: boolean
}

const FAILURE_KINDS: Record<string, FailureKind> = {
  contextWindowExceeded: { reason: 'context_full' },
  usageLimitExceeded: { reason: 'quota', advice: "The provider account's quota is used up." },
  sessionBudgetExceeded: { reason: 'quota' },
  rateLimitExceeded: { reason: 'rate_limited', transient: true },
  serverOverloaded: { reason: 'overloaded', transient: true },
  flexUnavailable: { reason: 'overloaded', transient: true },
  policyCapacityUnavailable: { reason: 'overloaded', transient: true },
  internalServerError: { reason: 'provider_error', transient: true },
  unauthorized: { reason: 'unauthorized', advice: 'The provider refused the key: check the one the runner was given.' },
  modelNotFound: {
    reason: 'model_unknown',
    advice: "The provider does not know the model: choose another in the session's settings.",
  },
  badRequest: { reason: 'bad_request' },
  cyberPolicy: { reason: 'refused' },
  misalignmentPolicyViolation: { reason: 'refused' },
  tooManyDenials: { reason: 'denied' },
  sandboxError: { reason: 'sandbox', advice: "Codex's own sandbox does not work on this machine." },
}

const STATUS_ADVICE: Record<number, string> = {
  401: 'The provider refused the key: check the one the runner was given.',
  403: 'The provider does not let this key do that.',
  404: 'The provider does not know this address: check its base URL.',
}

const isTransient = (status: number | null): boolean =>
  status === null || status === 408 || status === 429 || status >= 500

const codeOf = (error: JsonObject | null): string | null => {
  const info = error?.codexErrorInfo
  if (typeof info === 'string') return info
  return isJsonObject(info) ? (Object.keys(info)[0] ?? null) : null
}

/** The message may be the provider's body; the URL in it is removed. */
const codexErrorMessage = (error: JsonObject | null): string => {
  const message = textIn(error, 'message') ?? 'The turn failed, and Codex did not say why.'
  const inside = textIn(objectOf(parseObject(message)).error, 'message')
  return (inside ?? message).replace(/, url: \S+/, '')
}
