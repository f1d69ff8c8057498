// Directives tell a shell what to render or execute. Directives of agents are validated before they are logged.

import { isJsonObject, type JsonObject } from '@bridle/events/json'
import { CUSTOM_CHARS_MAX } from '@bridle/events/limits'
import { isCoreType, wrongPayloadField } from './directive-payloads.ts'

/** Something for a shell to render or execute. */
export interface Directive {
  /** A core type such as `render_ui`, or a namespaced one such as `com.example.sop.start`. `session.approval()` creates approvals. */
  readonly action_type: string
  /** The data of the type. */
  readonly payload?: JsonObject
  /** How urgent it is. */
  readonly priority?: 'low' | 'normal' | 'high' | 'critical'
  /** Whether it may run in parallel with its siblings. Default: `sequential`. */
  readonly execution?: 'sequential' | 'parallel'
  /** How much harm it can do. */
  readonly risk_tier?: 'safe' | 'caution' | 'dangerous'
  /** The shell must ask its user before it executes this. */
  readonly requires_user_approval?: boolean
  /** Milliseconds from receipt until it is too late to execute. */
  readonly deadline_ms?: number
  /** Vendor fields, each under a name such as `com.example`. */
  readonly extensions?: JsonObject
}

/** Why an agent may not emit the directive, field first, or null. `value` must be JSON. */
export const directiveProblem = (value: unknown): string | null => {
  const problem = fieldsProblem(value)
  if (problem !== null) return problem
  const { action_type: type, payload = {} } = value as Directive
  const field = isCoreType(type) ? wrongPayloadField(type, payload) : null
  if (field !== null) return `payload.${field}: it is missing, or does not fit ${type}.`
  return JSON.stringify(value).length > CUSTOM_CHARS_MAX
    ? `payload: the directive is larger than ${CUSTOM_CHARS_MAX} characters. Publish an artifact, and name it in the payload.`
    : null
}

/** Checks all fields except the payload. */
export const fieldsProblem = (value: unknown): string | null => {
  if (!isJsonObject(value)) return 'A directive is an object: { action_type, payload }.'
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(DIRECTIVE_FIELDS, name))
  if (unknown !== undefined) return `${unknown.slice(0, 64)}: a directive has no such field. Put it under extensions.`
  const wrong = wrongDirectiveField(value)
  if (wrong !== null) return `${wrong}: a directive cannot have this value.`
  const { action_type: type } = value as unknown as Directive
  if (type === 'request_approval') return APPROVALS_ONLY
  return isCoreType(type) || NAMESPACED.test(type)
    ? null
    : 'action_type: it is neither a core type (render_ui, simulate_action, render_message, noop) nor a namespaced one such as com.example.sop.start.'
}

/** Only the engine can create the option tokens that make a question answerable. */
const APPROVALS_ONLY =
  'action_type: request_approval comes from the engine alone. To ask a person, call session.approval().'

/** The first field that the protocol does not allow, or null. */
export const wrongDirectiveField = (value: JsonObject): string | null => {
  const wrong = Object.entries(DIRECTIVE_FIELDS).find(
    ([name, fits]) => !fits(Object.hasOwn(value, name) ? value[name] : undefined),
  )
  return wrong?.[0] ?? null
}

const NAMESPACED = /^(?=.{1,128}$)[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$/i

type FieldCheck = (value: unknown) => boolean
const absentOr =
  (fits: FieldCheck): FieldCheck =>
  (value) =>
    value === undefined || fits(value)
const enumOf =
  (...values: string[]): FieldCheck =>
  (value) =>
    typeof value === 'string' && values.includes(value)

const DIRECTIVE_FIELDS: Readonly<Record<keyof Directive, FieldCheck>> = {
  action_type: (value) => typeof value === 'string' && value !== '',
  priority: absentOr(enumOf('low', 'normal', 'high', 'critical')),
  execution: absentOr(enumOf('sequential', 'parallel')),
  risk_tier: absentOr(enumOf('safe', 'caution', 'dangerous')),
  requires_user_approval: absentOr((value) => typeof value === 'boolean'),
  deadline_ms: absentOr((value) => Number.isInteger(value) && (value as number) >= 0),
  payload: absentOr(isJsonObject),
  extensions: absentOr(isJsonObject),
}
