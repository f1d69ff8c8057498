// Errors of providers, told apart by status and code. The packages of the AI SDK throw an error with `statusCode`,
// `responseHeaders` and `data`; an error within a stream is the provider's own JSON.
import { isJsonObject, ownProperty, parseObject, present, textOf } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import type { LanguageModel } from './model.ts'
import { ModelError, type ModelErrorReason } from './model-error.ts'

/** Characters of a provider's own error message in ours: its first sentences. */
const PROVIDER_MESSAGE_CHARS_MAX = 500

/** The error of a call that failed while it was requested, or while its answer arrived. */
export const modelError = (
  error: unknown,
  model: LanguageModel,
  now: number,
  phase: 'request' | 'stream',
): ModelError => {
  if (error instanceof ModelError) return error
  const fields = fieldsOf(error)
  const status = typeof fields.statusCode === 'number' ? fields.statusCode : undefined
  const isFailure = status !== undefined && status >= 400
  const details = detailsOf(fields)
  const reason = reasonOf(fields, status, details, phase)
  const retryAfterMs = retryAfter(fields.responseHeaders, now)
  const name = `"${model.provider}/${model.modelId}"`
  return new ModelError(
    reason,
    fields.name === NO_KEY
      ? `There is no key for ${name}. Set the variable that its package reads, such as ANTHROPIC_API_KEY, or give the package an apiKey.`
      : sentence(reason, name, isFailure ? status : undefined, details.message),
    {
      ...present({ status, retryAfterMs }),
      // A provider may know that trying again is of no use.
      ...(isFailure && fields.isRetryable === false && { retryable: false }),
      cause: error,
    },
  )
}

type Fields = { readonly [name: string]: unknown }

interface ErrorDetails {
  readonly codes: readonly string[]
  readonly message: string
}

const fieldsOf = (error: unknown): Fields => (typeof error === 'object' && error !== null ? (error as Fields) : {})

const detailsOf = (fields: Fields): ErrorDetails => {
  const body = isJsonObject(fields.data) ? fields.data : (parseObject(fields.responseBody) ?? fields)
  const inner = isJsonObject(body.error) ? body.error : body
  const nested = isJsonObject(inner.error) ? inner.error : inner
  const codes = [nested.code, nested.type, nested.status, inner.type, fields.code].filter(
    (code) => typeof code === 'string',
  )
  const message = [nested.message, fields.message].find((each) => typeof each === 'string' && each !== '')
  return { codes, message: textOf(message) }
}

const REASON_BY_CODE: Readonly<Record<string, ModelErrorReason>> = {
  context_length_exceeded: 'overflow',
  exceed_context_size_error: 'overflow',
  request_too_large: 'overflow',
  authentication_error: 'auth',
  permission_error: 'auth',
  invalid_api_key: 'auth',
  billing_error: 'refused',
  insufficient_quota: 'refused',
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  RESOURCE_EXHAUSTED: 'rate_limited',
  overloaded_error: 'overloaded',
  UNAVAILABLE: 'overloaded',
  api_error: 'unavailable',
  server_error: 'unavailable',
  timeout_error: 'unavailable',
}

/** The name of the error with which a package says that it has found no key; nothing was sent. */
const NO_KEY = 'AI_LoadAPIKeyError'

/** Errors of the packages themselves, by name: nothing was sent, or the answer could not be read. */
const REASON_BY_NAME: Readonly<Record<string, ModelErrorReason>> = {
  [NO_KEY]: 'auth',
  AI_LoadSettingError: 'refused',
  AI_InvalidArgumentError: 'refused',
  AI_InvalidPromptError: 'refused',
  AI_NoSuchModelError: 'refused',
  AI_UnsupportedFunctionalityError: 'refused',
  AI_EmptyResponseBodyError: 'invalid',
  AI_InvalidResponseDataError: 'invalid',
  AI_JSONParseError: 'invalid',
  AI_TypeValidationError: 'invalid',
}

const reasonOf = (
  fields: Fields,
  status: number | undefined,
  details: ErrorDetails,
  phase: 'request' | 'stream',
): ModelErrorReason => {
  const byCode = details.codes.map((code) => ownProperty(REASON_BY_CODE, code)).find((reason) => reason !== undefined)
  if (byCode) return byCode
  if (isOverflow(status, details)) return 'overflow'
  if (status !== undefined && status >= 400) return reasonOfStatus(status)
  const byName = typeof fields.name === 'string' ? ownProperty(REASON_BY_NAME, fields.name) : undefined
  if (byName) return byName
  if (details.codes.includes('invalid_request_error')) return 'refused'
  if (phase === 'stream') return 'cut'
  // A page of a proxy with a status of success is no answer of a model.
  return status === undefined ? 'unavailable' : 'invalid'
}

const reasonOfStatus = (status: number): ModelErrorReason => {
  if (status === 401 || status === 403) return 'auth'
  if (status === 413) return 'overflow'
  if (status === 429) return 'rate_limited'
  if (status === 503 || status === 529) return 'overloaded'
  return status >= 500 || status === 408 || status === 409 ? 'unavailable' : 'refused'
}

/** Several providers have no code for it. These are their words, and those of servers that speak like OpenAI's. */
const OVERFLOW = /prompt is too long|context (limit|length|window|size)|maximum context|input token count .* exceeds/i

const isOverflow = (status: number | undefined, details: ErrorDetails): boolean => {
  const isRefusal =
    status === undefined ? details.codes.includes('invalid_request_error') : status === 400 || status === 422
  return isRefusal && OVERFLOW.test(details.message)
}

/** The wait that the provider asks for: `retry-after-ms`, or `retry-after` in seconds or as a date. */
const retryAfter = (headers: unknown, now: number): number | undefined => {
  const read = (name: string): string => {
    const value = fieldsOf(headers)[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const ms = read('retry-after-ms')
  if (ms !== '' && Number.isFinite(Number(ms))) return Math.max(0, Number(ms))
  const after = read('retry-after')
  if (after === '') return undefined
  const wait = Number.isFinite(Number(after)) ? Number(after) * 1000 : Date.parse(after) - now
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const sentence = (reason: ModelErrorReason, name: string, status: number | undefined, text: string): string => {
  const code = status === undefined ? '' : ` (${status})`
  const detail = text === '' ? '.' : `: ${truncate(text, PROVIDER_MESSAGE_CHARS_MAX)}`
  // The provider's own words may repeat a part of the key.
  if (reason === 'auth')
    return `The provider of ${name} does not accept the key${code}. Set a key that is valid and may use this model.`
  if (reason === 'overflow')
    return `The conversation is longer than ${name} can read${code}. Shorten it, or use a model with a larger window.`
  if (reason === 'cut') return `The answer of ${name} broke off${code}${detail}`
  return `${name} ${FAILURES[reason] ?? 'failed'}${code}${detail}`
}

const FAILURES: { readonly [R in ModelErrorReason]?: string } = {
  rate_limited: 'accepts no more requests for now',
  overloaded: 'is overloaded',
  invalid: 'sent an answer that is not one of a model',
  refused: 'refused the request',
}
