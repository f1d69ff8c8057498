// If a field that the shell acts on is invalid, nothing of the response runs. Invalid informational fields are ignored.
import { isJsonObject, type JsonObject } from '@bridle/events/json'
import type { CapabilityDenial, ErrorObject, RequestMessage } from '@bridle/wire/openharness/wire'
import { ShellFault } from './fault.ts'

/** A response is meant for one person to read. */
export const DIRECTIVES_MAX = 1_000

export interface CheckedResponse {
  /** Null on success. */
  readonly error: ErrorObject | null
  readonly directives: readonly unknown[]
  readonly denials: readonly CapabilityDenial[]
  /** Names of invalid fields that the shell ignored. */
  readonly ignored: readonly string[]
}

export const readResponse = (message: unknown, request: Pick<RequestMessage, 'request_id'>): CheckedResponse => {
  if (!isJsonObject(message)) throw wrong('', 'is no JSON object')
  const { protocol_version: version, request_id: id, response } = message
  const major = typeof version === 'string' ? VERSION_PATTERN.exec(version)?.[1] : undefined
  if (major === undefined) throw wrong('protocol_version', 'is no version such as 1.0.0')
  if (Number(major) !== 1) {
    const text =
      'The engine answers in another major version of the protocol than 1: use an engine or a shell of the same one.'
    throw new ShellFault('protocol_version_unsupported', text, { field: 'protocol_version' })
  }
  if (isJsonObject(message.request)) throw wrong('request', 'stands beside a response')
  if (!isJsonObject(response)) throw wrong('response', 'is missing')
  if (id !== undefined && id !== request.request_id) throw wrong('request_id', 'is not that of the request')
  const { status, action_directives: directives = [] } = response
  if (status !== 'success' && status !== 'error') throw wrong('response.status', 'is neither success nor error')
  if (!Array.isArray(directives)) throw wrong('response.action_directives', 'is no list')
  if (directives.length > DIRECTIVES_MAX)
    throw wrong('response.action_directives', `has more than ${DIRECTIVES_MAX} entries`)
  const denials = Array.isArray(message.capability_denials) ? message.capability_denials : []
  const ignored = Object.entries(INFORMING)
    .filter(([path, fits]) => !fits(valueAt(message, path)))
    .map(([path]) => path)
  const base = { denials: denials.filter(isDenial), ignored }
  return status === 'success'
    ? { ...base, error: null, directives }
    : { ...base, error: readError(response.error), directives: [] }
}

const VERSION_PATTERN = /^(\d+)\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

const wrong = (field: string, reason: string): ShellFault =>
  new ShellFault('invalid_response', `The engine's response breaks the protocol: ${field || 'it'} ${reason}.`, {
    field,
  })

/** An error without a valid code is still an error, but is not assumed to be retryable. */
const readError = (error: unknown): ErrorObject => {
  const { code, message, retryable, details }: JsonObject = isJsonObject(error) ? error : {}
  return {
    code: isText(code) ? code : 'unknown_error',
    retryable: retryable === true,
    ...(typeof message === 'string' && { message }),
    ...(isJsonObject(details) && { details }),
  }
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isDenial = (value: unknown): value is CapabilityDenial & JsonObject =>
  isJsonObject(value) && isText(value.capability)
const absentOr = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value)

const INFORMING: Readonly<Record<string, (value: unknown) => boolean>> = {
  correlation_id: absentOr(isText),
  supported_protocol_versions: absentOr((value) => Array.isArray(value) && value.every(isText)),
  supported_capabilities: absentOr(isJsonObject),
  capability_denials: absentOr((value) => Array.isArray(value) && value.every(isDenial)),
  'response.engine_latency_ms': absentOr((value) => typeof value === 'number' && value >= 0),
  'response.error': absentOr((value) => isJsonObject(value) && isText(value.code)),
}

const valueAt = (message: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), message)
