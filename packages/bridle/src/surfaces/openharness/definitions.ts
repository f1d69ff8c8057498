// The definitions of OpenHarness messages. They accept exactly what the normative draft schema accepts, and the JSON Schema that the
// engine publishes is made from them.
import * as v from 'valibot'
import { definitionsSchema } from '../http/openapi/json-schemas.ts'
import type { RequestMessage, ResponseMessage, StreamFrame } from './wire.ts'

/** An object with any further fields. The parser alone would take an array for an object without fields. */
const object = <const E extends v.ObjectEntries>(entries: E): v.LooseObjectSchema<E, undefined> => {
  const schema = v.looseObject(entries)
  return {
    ...schema,
    '~run': (dataset, config) =>
      schema['~run'](Array.isArray(dataset.value) ? { ...dataset, value: null } : dataset, config),
  }
}

const optionalText = v.optional(v.string())
const name = v.pipe(v.string(), v.minLength(1, 'Expected a text that is not empty'))
const wholeNumber = v.pipe(v.number(), v.integer('Expected a whole number'), v.minValue(0, 'Expected 0 or more'))

/** As the draft writes it: `01.0.0` is well-formed. */
const semverString = v.pipe(
  v.string(),
  v.regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/, 'Expected a version such as 1.0.0'),
)
const capabilities = object({})
const extensions = object({})
const capabilityDenial = object({ capability: name, code: optionalText, message: optionalText })
const auth = object({ tenant_id: optionalText, credential_ref: optionalText, session_id: optionalText })
const taskHint = object({ sop_id: optionalText, plugin_id: optionalText, business_key: optionalText })
const continuation = object({ run_id: optionalText, sop_id: optionalText, continuation_token: optionalText })
const attachmentRef = object({
  ref_id: optionalText,
  uri: optionalText,
  asset_id: optionalText,
  mime_type: optionalText,
  filename: optionalText,
  size_bytes: v.optional(wholeNumber),
})
const shellIdentity = object({
  shell_kind: v.optional(name),
  shell_version: optionalText,
  locale: optionalText,
  timezone: optionalText,
})
const environmentState = object({
  privacy_tier: v.optional(
    v.picklist(['public', 'restricted', 'secret'], 'Expected "public", "restricted" or "secret"'),
  ),
  os: optionalText,
  active_window: optionalText,
  screen_hash: optionalText,
})
const context = object({
  session_id: optionalText,
  conversation_id: optionalText,
  user_intent: optionalText,
  task_hint: v.optional(taskHint),
  continuation: v.optional(continuation),
  environment_state: v.optional(environmentState),
  attachments: v.optional(v.array(attachmentRef)),
  shell: v.optional(shellIdentity),
  extensions: v.optional(extensions),
})
const requestPayload = object({
  auth: v.optional(auth),
  context: v.optional(context),
  extensions: v.optional(extensions),
})
const actionDirective = object({
  action_type: name,
  priority: v.optional(v.picklist(['low', 'normal', 'high', 'critical'])),
  execution: v.optional(v.picklist(['sequential', 'parallel'])),
  risk_tier: v.optional(v.picklist(['safe', 'caution', 'dangerous'])),
  requires_user_approval: v.optional(v.boolean()),
  deadline_ms: v.optional(wholeNumber),
  payload: v.optional(object({})),
  extensions: v.optional(extensions),
})
const errorObject = object({
  code: name,
  message: optionalText,
  retryable: v.optional(v.boolean()),
  details: v.optional(object({})),
})
const responsePayload = object({
  status: v.picklist(['success', 'error']),
  engine_latency_ms: v.optional(v.pipe(v.number(), v.minValue(0))),
  action_directives: v.optional(v.array(actionDirective)),
  error: v.optional(errorObject),
})

/** The types of wire.ts say the same to clients, which have no parser. */
type Definition<T> = v.GenericSchema<T>

export const requestMessage = object({
  protocol_version: semverString,
  request_id: v.optional(name),
  correlation_id: v.optional(name),
  capabilities: v.optional(capabilities),
  request: requestPayload,
}) as unknown as Definition<RequestMessage>
export const responseMessage = object({
  protocol_version: semverString,
  request_id: v.optional(name),
  correlation_id: v.optional(name),
  supported_protocol_versions: v.optional(v.array(semverString)),
  supported_capabilities: v.optional(capabilities),
  capability_denials: v.optional(v.array(capabilityDenial)),
  response: responsePayload,
}) as unknown as Definition<ResponseMessage>

const directiveChange = v.union([
  object({ index: wholeNumber, directive: v.nullable(actionDirective) }),
  object({ index: wholeNumber, keep: wholeNumber, append: v.string() }),
])

/** A frame of the streaming profile, which is no message of the draft. */
export const streamFrame = v.pipe(
  v.variant('type', [
    v.looseObject({ type: v.literal('partial'), seq: wholeNumber, changes: v.array(directiveChange) }),
    v.looseObject({ type: v.literal('final'), seq: wholeNumber, message: responseMessage }),
  ]),
  v.title('OpenHarnessStreamFrame'),
) as unknown as Definition<StreamFrame>

/** A message is a request or a response, and never both. */
export const isMessage = (value: unknown): boolean => v.is(requestMessage, value) !== v.is(responseMessage, value)

/** The definitions as JSON Schema, draft 2020-12, with the names that the normative draft gives them. */
export const messageSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'OpenHarness wire message (v1)',
  oneOf: [{ $ref: '#/$defs/requestMessage' }, { $ref: '#/$defs/responseMessage' }],
  $defs: definitionsSchema({
    semverString,
    requestMessage,
    responseMessage,
    capabilities,
    capabilityDenial,
    requestPayload,
    auth,
    context,
    taskHint,
    continuation,
    attachmentRef,
    shellIdentity,
    environmentState,
    extensions,
    responsePayload,
    actionDirective,
    errorObject,
  }),
})
