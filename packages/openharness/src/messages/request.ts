import { type Json, type JsonObject, present } from '@bridle/events/json'
import { isDataAddress } from '@bridle/kernel/text/data-address'
import type {
  AttachmentReference,
  AuthReferences,
  Continuation,
  EnvironmentState,
  PrivacyTier,
  RequestMessage,
  ShellIdentity,
  TaskHint,
} from '@bridle/wire/openharness/wire'
import { ShellFault } from './fault.ts'

/** State of the device. The privacy tier is required, because only the program knows how far the data may travel. */
export type ShellEnvironment = EnvironmentState & {
  /** Privacy tier of the state. */
  readonly privacy_tier: PrivacyTier
  /** Additional state, with names chosen by the shell. */
  readonly [name: string]: Json | undefined
}

/** Routing hints, and business keys of the caller. */
export type ShellTaskHint = TaskHint & {
  /** Additional key. */
  readonly [name: string]: Json | undefined
}

export interface RequestParts {
  readonly requestId: string
  readonly correlationId: string
  readonly capabilities: JsonObject
  readonly identity: ShellIdentity | undefined
  readonly auth: AuthReferences | undefined
  readonly sessionId: string
  readonly conversationId: string | undefined
  readonly intent: string | undefined
  readonly continuation: Continuation | undefined
  readonly taskHint: ShellTaskHint | undefined
  readonly attachments: readonly AttachmentReference[] | undefined
  readonly environment: ShellEnvironment | undefined
  readonly extensions: JsonObject | undefined
  readonly payloadExtensions?: JsonObject
}

export const PROTOCOL_VERSION = '1.0.0'

export const buildRequest = (parts: RequestParts): RequestMessage => {
  parts.attachments?.forEach(checkAttachment)
  return {
    protocol_version: PROTOCOL_VERSION,
    request_id: parts.requestId,
    correlation_id: parts.correlationId,
    capabilities: parts.capabilities,
    request: {
      ...(parts.auth && { auth: referencesOf(parts.auth) }),
      context: present({
        session_id: parts.sessionId,
        conversation_id: parts.conversationId,
        user_intent: parts.intent,
        task_hint: parts.taskHint,
        continuation: parts.continuation,
        environment_state: parts.environment,
        attachments: parts.attachments,
        shell: parts.identity,
        extensions: parts.extensions,
      }),
      ...(parts.payloadExtensions && { extensions: parts.payloadExtensions }),
    },
  }
}

/** Only references are sent, even if `auth` has more fields. Credentials belong to the transport. */
const referencesOf = ({ tenant_id, credential_ref, session_id }: AuthReferences): AuthReferences =>
  present({ tenant_id, credential_ref, session_id })

const TIERS: readonly unknown[] = ['public', 'restricted', 'secret'] satisfies PrivacyTier[]

/** Runs before anything is sent, uploads included. */
export const checkEnvironment = (environment: ShellEnvironment | undefined): void => {
  if (environment === undefined || TIERS.includes(environment.privacy_tier)) return
  const text = 'The environment has no privacy_tier: say public, restricted or secret.'
  throw new ShellFault('invalid_options', text, { field: 'environment.privacy_tier' })
}

export const checkAttachment = ({ ref_id, uri, asset_id }: AttachmentReference, index: number): void => {
  const field = `attachments.${index}`
  if (uri !== undefined && isDataAddress(uri))
    throw new ShellFault(
      'invalid_options',
      'An attachment is a reference: upload the file first, and give its ref_id.',
      { field },
    )
  if (!ref_id && !uri && !asset_id)
    throw new ShellFault('invalid_options', 'An attachment needs a ref_id, a uri or an asset_id.', { field })
}
