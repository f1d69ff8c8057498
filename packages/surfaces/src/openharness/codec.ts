import { isJsonObject, type JsonObject, present } from '@bridle/events/json'
import type {
  Capabilities,
  CapabilityDenial,
  RequestMessage,
  ResponseMessage,
  ResponsePayload,
} from '@bridle/wire/openharness/wire'
import { requestMessage, responseMessage } from '@bridle/wire/openharness/wire/messages'
import * as v from 'valibot'
import type { AppPorts } from '../app.ts'
import { jsonResponse } from '../http/answers/json-response.ts'
import { type Denial, isDenial } from '../http/denials/denial.ts'
import { engineError, errorOf, invalidField } from './errors.ts'

/** Proxies refuse long headers. */
const HEADER_ID_CHARS_MAX = 200

const ENGINE_VERSION = '1.0.0'

/** Features named by the document. Others are ignored. */
const knownCapabilities = [
  'openharness.streaming',
  'openharness.actions.parallel',
  'openharness.attachments.upload',
  'openharness.ui.rich_cards',
  'openharness.ui.approval',
]

type FeaturePorts = Pick<AppPorts, 'uploads'>

const supportedCapabilities = ({ uploads }: FeaturePorts): Capabilities => ({
  'openharness.execution_feedback': true,
  'openharness.streaming': true,
  'openharness.actions.parallel': true,
  'openharness.ui.approval': true,
  'openharness.ui.rich_cards': true,
  ...(uploads && { 'openharness.attachments.upload': true }),
})

/** The first problem never quotes the caller's values, which may be secret. */
export const decodeRequest = (body: JsonObject): RequestMessage | Denial => {
  const message = withoutEmptyIds(body)
  if (isOtherMajor(message.protocol_version))
    return engineError(
      'protocol_version_unsupported',
      `This engine takes the wire format 1.x.y; send ${ENGINE_VERSION}.`,
    )
  const parsed = v.safeParse(requestMessage, message)
  if (!parsed.success) return issueDenial(parsed.issues[0])
  if (v.is(responseMessage, message))
    return invalidField('response', 'A message is a request or a response. Leave the response out.')
  return parsed.output
}

/** An empty id counts as absent. */
const withoutEmptyIds = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !(value === '' && ['request_id', 'correlation_id'].includes(name))),
  )

/** A malformed version is an invalid field, not another major version. */
const isOtherMajor = (version: unknown): boolean =>
  v.is(requestMessage, { protocol_version: version, request: {} }) && !/^0*1\./.test(String(version))

const issueDenial = (issue: v.BaseIssue<unknown>): Denial => {
  const path = v.getDotPath(issue) ?? 'body'
  const field = path.replace(/^request\./, '')
  const isMissing = issue.kind === 'schema' && issue.received === 'undefined'
  return invalidField(field, `${field}: ${isMissing ? 'It is missing' : expectation(issue)}.`)
}

/** The parser's own messages quote values, which may be secret. The definitions' messages do not. */
const expectation = ({ kind, type, expected, message }: v.BaseIssue<unknown>): string =>
  kind === 'validation' || type === 'picklist' ? message : `Expected ${typeNames[expected ?? ''] ?? 'another value'}`

const typeNames: { readonly [name: string]: string } = { string: 'a text', Object: 'an object', Array: 'a list' }

export interface ResponseHead {
  readonly request_id?: string
  readonly correlation_id?: string
  readonly supported_capabilities: Capabilities
  readonly capability_denials: readonly CapabilityDenial[]
}

/** Reads its fields from any body, even an invalid one. Null if the body was not read. */
export const responseHead = (body: JsonObject | null, ports: FeaturePorts): ResponseHead => {
  const supported = supportedCapabilities(ports)
  return {
    ...present({ request_id: idOf(body?.request_id), correlation_id: idOf(body?.correlation_id) }),
    supported_capabilities: supported,
    capability_denials: capabilityDenials(body?.capabilities, supported),
  }
}

const idOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Features of the shell that the document names but this engine lacks. */
const capabilityDenials = (shell: unknown, supported: Capabilities): readonly CapabilityDenial[] =>
  knownCapabilities
    .filter((name) => !Object.hasOwn(supported, name) && hasCapability(shell, name))
    .map((capability) => ({
      capability,
      code: 'not_supported',
      message: 'This engine does not have it; the request is answered without it.',
    }))

/** Feature values are free-form; `false` and `null` mean no. */
export const hasCapability = (capabilities: unknown, name: string): boolean => {
  if (!isJsonObject(capabilities) || !Object.hasOwn(capabilities, name)) return false
  const value = capabilities[name]
  return value !== undefined && value !== null && value !== false
}

export const envelope = (head: ResponseHead, response: ResponsePayload, init: ResponseInit = {}): Response => {
  const message: ResponseMessage = {
    protocol_version: ENGINE_VERSION,
    ...present({ request_id: head.request_id, correlation_id: head.correlation_id }),
    supported_protocol_versions: [ENGINE_VERSION],
    supported_capabilities: head.supported_capabilities,
    capability_denials: head.capability_denials,
    response,
  }
  return jsonResponse(message, { ...init, headers: echoHeaders(head, init.headers) })
}

export const echoHeaders = (head: ResponseHead, others?: ResponseInit['headers']): Headers => {
  const headers = new Headers(others)
  if (isHeaderText(head.request_id)) headers.set('x-request-id', head.request_id)
  if (isHeaderText(head.correlation_id)) headers.set('x-correlation-id', head.correlation_id)
  return headers
}

/** Ids are caller text, and headers only allow visible characters. */
const isHeaderText = (id: string | undefined): id is string =>
  id !== undefined && id.length <= HEADER_ID_CHARS_MAX && /^[\x21-\x7e]+$/.test(id)

export const errorEnvelope = (denial: Denial, body: JsonObject | null, ports: FeaturePorts): Response => {
  const { error, status } = errorOf(denial)
  const { latencyMs, sessionId } = denial.details as { readonly latencyMs?: number; readonly sessionId?: string }
  return envelope(
    responseHead(body, ports),
    {
      status: 'error',
      ...present({ engine_latency_ms: latencyMs }),
      error,
      ...(sessionId !== undefined && { extensions: vendorFields({ session_id: sessionId }) }),
    },
    { status, headers: denial.headers },
  )
}

/** Key of Bridle's own fields in `extensions`. */
export const VENDOR = 'dev.bridle'

export const vendorFields = (fields: JsonObject): JsonObject => ({ [VENDOR]: fields })

export const tenantOf = (body: JsonObject): string | null => {
  const message = decodeRequest(body)
  return isDenial(message) ? null : message.request.auth?.tenant_id || null
}
