// The schemas accept exactly what the normative draft schema accepts. Objects may have additional fields, which are ignored.

import type { Json, JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import {
  type AnswerOf,
  type AnswerSchema,
  described,
  type Entries,
  flag,
  list,
  oneOf,
  optional,
  type ReferenceField,
  text,
  type Values,
} from '../../http/wire/fields.ts'

/** The parser alone would accept an array as an object without fields. */
const openObject = <E extends Entries>(entries: E): v.GenericSchema<Values<E>> => {
  const schema = v.looseObject(entries)
  return {
    ...schema,
    '~run': (dataset, config) =>
      schema['~run'](Array.isArray(dataset.value) ? { ...dataset, value: null } : dataset, config),
  } as typeof schema as unknown as v.GenericSchema<Values<E>>
}

const message = <const N extends string, const D extends string, E extends Entries>(
  name: N,
  meaning: D,
  entries: E,
): AnswerSchema<N, D, E> =>
  v.pipe(openObject(entries), v.title(name), v.description(meaning)) as unknown as AnswerSchema<N, D, E>

/** JSON Schema refers to the definition, so `_meaning` is only for the published type. */
const part = <S extends v.GenericSchema, const D extends string>(schema: S, _meaning: D) =>
  schema as unknown as ReferenceField<S, D>

const name = v.pipe(v.string(), v.minLength(1, 'Expected a text that is not empty'))
const wholeNumber = v.pipe(v.number(), v.integer('Expected a whole number'), v.minValue(0, 'Expected 0 or more'))

/** The draft's pattern, which accepts `01.0.0`. */
export const semverString = v.pipe(
  v.string(),
  v.regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/, 'Expected a version such as 1.0.0'),
) as v.GenericSchema<string>

/** Feature values by name. */
export type Capabilities = { readonly [name: string]: Json }
export const capabilities = openObject({}) as v.GenericSchema<Capabilities>

/** Vendor fields, keyed by reverse domain name. */
export type Extensions = JsonObject
export const extensions = openObject({}) as v.GenericSchema<Extensions>

export const capabilityDenial = message('CapabilityDenial', 'A feature that the shell asked for and does not get.', {
  capability: described(name, 'The name of the feature.'),
  code: optional(text('The reason, for programs.')),
  message: optional(text('The reason, for people.')),
})
export type CapabilityDenial = AnswerOf<typeof capabilityDenial>

export const auth = message(
  'AuthReferences',
  'References to an identity that the transport has proved; never a secret.',
  {
    tenant_id: optional(text('The tenant that the request is for.')),
    credential_ref: optional(text('A credential that the engine knows by this name.')),
    session_id: optional(text('A session of the identity provider.')),
  },
)
export type AuthReferences = AnswerOf<typeof auth>

export const taskHint = message('TaskHint', 'Hints for routing.', {
  sop_id: optional(text('A workflow.')),
  plugin_id: optional(text('An agent.')),
  business_key: optional(text("A key of the caller's business.")),
})
export type TaskHint = AnswerOf<typeof taskHint>

export const continuation = message('Continuation', 'Names the place where an earlier run continues.', {
  run_id: optional(text('The run, as the engine named it.')),
  sop_id: optional(text('The workflow.')),
  continuation_token: optional(text('A token that the engine gave for the next step.')),
})
export type Continuation = AnswerOf<typeof continuation>

export const attachmentRef = message('AttachmentReference', 'A file by reference.', {
  ref_id: optional(text('A file that was uploaded before.')),
  uri: optional(text('An address of the file.')),
  asset_id: optional(text("A file of the shell's own store.")),
  mime_type: optional(text('The media type.')),
  filename: optional(text('The name of the file.')),
  size_bytes: optional(described(wholeNumber, 'The size in bytes.')),
})
export type AttachmentReference = AnswerOf<typeof attachmentRef>

export const shellIdentity = message('ShellIdentity', 'The shell that asks.', {
  shell_kind: optional(described(name, 'The family of the shell, such as `im_bot` or `com.example.kiosk`.')),
  shell_version: optional(text('The version of the shell.')),
  locale: optional(text('A BCP 47 language tag.')),
  timezone: optional(text('An IANA time zone.')),
})
export type ShellIdentity = AnswerOf<typeof shellIdentity>

/** Privacy of a state. */
export type PrivacyTier = 'public' | 'restricted' | 'secret'
const privacyTier: v.GenericSchema<PrivacyTier> = v.picklist(
  ['public', 'restricted', 'secret'],
  'Expected "public", "restricted" or "secret"',
)

export const environmentState = message('EnvironmentState', 'The state of the device, with the care that it needs.', {
  privacy_tier: optional(described(privacyTier, 'How private the state is.')),
  os: optional(text('The operating system.')),
  active_window: optional(text('The window in front.')),
  screen_hash: optional(text('A fingerprint of the screen.')),
})
export type EnvironmentState = AnswerOf<typeof environmentState>

export const context = message('IntentContext', 'The context of a request.', {
  session_id: optional(text('The line of conversation.')),
  conversation_id: optional(text('A thread within it.')),
  user_intent: optional(text('The intent in words.')),
  task_hint: optional(part(taskHint, 'Hints for routing.')),
  continuation: optional(part(continuation, 'Resumes an earlier run.')),
  environment_state: optional(part(environmentState, 'The state of the device.')),
  attachments: optional(list(attachmentRef, 'Files by reference.')),
  shell: optional(part(shellIdentity, 'The shell that asks.')),
  extensions: optional(part(extensions, 'Fields of vendors.')),
})
export type IntentContext = AnswerOf<typeof context>

export const requestPayload = message('RequestPayload', 'The question of a request.', {
  auth: optional(part(auth, 'References to an identity that the transport has proved.')),
  context: optional(part(context, "Everything about the user's intent.")),
  extensions: optional(part(extensions, 'Fields of vendors.')),
})
export type RequestPayload = AnswerOf<typeof requestPayload>

export const actionDirective = message('ActionDirective', 'A unit of work or output for a shell.', {
  action_type: described(name, 'A core type such as `render_message`, or a namespaced one.'),
  priority: optional(oneOf(['low', 'normal', 'high', 'critical'], 'How urgent it is.')),
  execution: optional(
    oneOf(['sequential', 'parallel'], 'Whether its siblings may run at the same time; absent = `sequential`.'),
  ),
  risk_tier: optional(oneOf(['safe', 'caution', 'dangerous'], 'How much harm it can do.')),
  requires_user_approval: optional(flag('The shell must ask its user before it executes this.')),
  deadline_ms: optional(described(wholeNumber, 'The time from receipt after which it is too late.')),
  payload: optional(described(openObject({}) as v.GenericSchema<JsonObject>, 'The data of the type.')),
  extensions: optional(part(extensions, 'Fields of vendors.')),
})
export type ActionDirective = AnswerOf<typeof actionDirective>

export const errorObject = message('ErrorObject', 'A failure.', {
  code: described(name, 'The reason, for programs.'),
  message: optional(text('The reason, for people; without secrets.')),
  retryable: optional(flag('Whether the same request may succeed later.')),
  details: optional(described(openObject({}) as v.GenericSchema<JsonObject>, 'More about the failure, safe for logs.')),
})
export type ErrorObject = AnswerOf<typeof errorObject>

export const responsePayload = message('ResponsePayload', 'The answer of a response.', {
  status: oneOf(['success', 'error'], 'Whether the request succeeded.'),
  engine_latency_ms: optional(described(v.pipe(v.number(), v.minValue(0)), 'The time that the engine took.')),
  action_directives: optional(list(actionDirective, 'The work and output for the shell, in order.')),
  error: optional(part(errorObject, 'The failure, where there is one.')),
  // Not validated, because the draft has no such field.
  extensions: optional(
    described(
      v.custom<Extensions>(() => true),
      'Fields of vendors. The draft has none here: to others they are an unknown field.',
    ),
  ),
})
export type ResponsePayload = AnswerOf<typeof responsePayload>

const requestId = described(name, 'Pairs request and response, and makes a repeated request harmless.')
const correlationId = described(name, 'Ties the lines of several logs together.')

export const requestMessage = message('RequestMessage', "A shell's request to an engine.", {
  protocol_version: described(semverString, 'The version of the wire format, such as `1.0.0`.'),
  request_id: optional(requestId),
  correlation_id: optional(correlationId),
  capabilities: optional(part(capabilities, 'Features of the shell, by name.')),
  request: part(requestPayload, 'The question itself.'),
})
export type RequestMessage = AnswerOf<typeof requestMessage>

export const responseMessage = message('ResponseMessage', "An engine's answer to a shell.", {
  protocol_version: described(semverString, 'The version of the wire format of this answer.'),
  request_id: optional(requestId),
  correlation_id: optional(correlationId),
  supported_protocol_versions: optional(list(semverString, 'Versions that the engine takes.')),
  supported_capabilities: optional(part(capabilities, 'Features of the engine, by name.')),
  capability_denials: optional(list(capabilityDenial, 'Features of the shell that the engine cannot honour.')),
  response: part(responsePayload, 'The answer itself.'),
})
export type ResponseMessage = AnswerOf<typeof responseMessage>

/** `directive` replaces all directives from its index on. `keep` (UTF-16 code units) and `append` edit a message's text. */
export type DirectiveChange = v.InferOutput<typeof directiveChange>
const directiveChange = v.union([
  openObject({ index: wholeNumber, directive: v.nullable(actionDirective) }),
  openObject({ index: wholeNumber, keep: wholeNumber, append: v.string() }),
])

/** A frame of the streaming profile: part of the answer, or all of it. `seq` is its position in the session's log. */
export type StreamFrame = v.InferOutput<typeof streamFrame>
export const streamFrame = v.pipe(
  v.union([
    openObject({
      type: v.literal('partial'),
      seq: wholeNumber,
      changes: list(directiveChange, 'The changes, in order.'),
    }),
    openObject({ type: v.literal('final'), seq: wholeNumber, message: responseMessage }),
  ]),
  v.title('OpenHarnessStreamFrame'),
)
