// The messages of OpenHarness v1, as its normative draft schema has them. Every object may have further fields: they are ignored.
import type { Json, JsonObject } from '../../kernel/json.ts'

/** A shell's request to an engine. */
export interface RequestMessage {
  /** The version of the wire format, such as `1.0.0`. */
  readonly protocol_version: string
  /** Pairs request and response, and makes a repeated request harmless. */
  readonly request_id?: string
  /** Ties the lines of several logs together. */
  readonly correlation_id?: string
  /** Features of the shell, by name. */
  readonly capabilities?: Capabilities
  /** The question itself. */
  readonly request: RequestPayload
}

/** An engine's answer to a shell. */
export interface ResponseMessage {
  /** The version of the wire format of this answer. */
  readonly protocol_version: string
  /** The id of the request, where it has one. */
  readonly request_id?: string
  /** The correlation id of the request, where it has one. */
  readonly correlation_id?: string
  /** Versions that the engine takes. */
  readonly supported_protocol_versions?: readonly string[]
  /** Features of the engine, by name. */
  readonly supported_capabilities?: Capabilities
  /** Features of the shell that the engine cannot honour. */
  readonly capability_denials?: readonly CapabilityDenial[]
  /** The answer itself. */
  readonly response: ResponsePayload
}

/** Features by name; the values are up to each feature. */
export type Capabilities = { readonly [name: string]: Json }

/** Fields of vendors, by reverse domain name. */
export type Extensions = JsonObject

/** A feature that the shell asked for and does not get. */
export interface CapabilityDenial {
  /** The name of the feature. */
  readonly capability: string
  /** The reason, for programs. */
  readonly code?: string
  /** The reason, for people. */
  readonly message?: string
}

/** The question of a request. */
export interface RequestPayload {
  /** References to an identity that the transport has proved. */
  readonly auth?: AuthReferences
  /** Everything about the user's intent. */
  readonly context?: IntentContext
  /** Fields of vendors. */
  readonly extensions?: Extensions
}

/** References to an identity; never a secret. */
export interface AuthReferences {
  /** The tenant that the request is for. */
  readonly tenant_id?: string
  /** A credential that the engine knows by this name. */
  readonly credential_ref?: string
  /** A session of the identity provider. */
  readonly session_id?: string
}

/** The context of a request. */
export interface IntentContext {
  /** The line of conversation. */
  readonly session_id?: string
  /** A thread within it. */
  readonly conversation_id?: string
  /** The intent in words. */
  readonly user_intent?: string
  /** Hints for routing. */
  readonly task_hint?: TaskHint
  /** Resumes an earlier run. */
  readonly continuation?: Continuation
  /** The state of the device. */
  readonly environment_state?: EnvironmentState
  /** Files by reference. */
  readonly attachments?: readonly AttachmentReference[]
  /** The shell that asks. */
  readonly shell?: ShellIdentity
  /** Fields of vendors. */
  readonly extensions?: Extensions
}

/** Hints for routing. */
export interface TaskHint {
  /** A workflow. */
  readonly sop_id?: string
  /** An agent. */
  readonly plugin_id?: string
  /** A key of the caller's business. */
  readonly business_key?: string
}

/** Names the place where an earlier run goes on. */
export interface Continuation {
  /** The run, as the engine named it. */
  readonly run_id?: string
  /** The workflow. */
  readonly sop_id?: string
  /** A token that the engine gave for the next step. */
  readonly continuation_token?: string
}

/** The state of the device, with the care that it needs. */
export interface EnvironmentState {
  /** How private the state is. */
  readonly privacy_tier?: PrivacyTier
  /** The operating system. */
  readonly os?: string
  /** The window in front. */
  readonly active_window?: string
  /** A fingerprint of the screen. */
  readonly screen_hash?: string
}

/** How private a state is. */
export type PrivacyTier = 'public' | 'restricted' | 'secret'

/** A file by reference. */
export interface AttachmentReference {
  /** A file that was uploaded before. */
  readonly ref_id?: string
  /** An address of the file. */
  readonly uri?: string
  /** A file of the shell's own store. */
  readonly asset_id?: string
  /** The media type. */
  readonly mime_type?: string
  /** The name of the file. */
  readonly filename?: string
  /** The size in bytes. */
  readonly size_bytes?: number
}

/** The shell that asks. */
export interface ShellIdentity {
  /** The family of the shell, such as `im_bot` or `com.example.kiosk`. */
  readonly shell_kind?: string
  /** The version of the shell. */
  readonly shell_version?: string
  /** A BCP 47 language tag. */
  readonly locale?: string
  /** An IANA time zone. */
  readonly timezone?: string
}

/** The answer of a response. */
export interface ResponsePayload {
  /** Whether the request succeeded. */
  readonly status: 'success' | 'error'
  /** The time that the engine took. */
  readonly engine_latency_ms?: number
  /** The work and output for the shell, in order. */
  readonly action_directives?: readonly ActionDirective[]
  /** The failure, where there is one. */
  readonly error?: ErrorObject
  /** Fields of vendors. The draft has none here: to others they are an unknown field. */
  readonly extensions?: Extensions
}

/** A unit of work or output for a shell. */
export interface ActionDirective {
  /** A core type such as `render_message`, or a namespaced one. */
  readonly action_type: string
  /** How urgent it is. */
  readonly priority?: 'low' | 'normal' | 'high' | 'critical'
  /** Whether its siblings may run at the same time; absent = `sequential`. */
  readonly execution?: 'sequential' | 'parallel'
  /** How much harm it can do. */
  readonly risk_tier?: 'safe' | 'caution' | 'dangerous'
  /** The shell must ask its user before it executes this. */
  readonly requires_user_approval?: boolean
  /** The time from receipt after which it is too late. */
  readonly deadline_ms?: number
  /** The data of the type. */
  readonly payload?: JsonObject
  /** Fields of vendors. */
  readonly extensions?: Extensions
}

/** A change of the directives so far, in the streaming profile. */
export type DirectiveChange =
  | {
      /** The place in the list of directives. */
      readonly index: number
      /** The directive at this place. The earlier ones here and behind it are withdrawn; null = nothing replaces them. */
      readonly directive: ActionDirective | null
    }
  | {
      /** The place of a `render_message`, whose text changes. */
      readonly index: number
      /** The UTF-16 code units of its text that stay: fewer than all where some were withdrawn. */
      readonly keep: number
      /** The text that follows them. */
      readonly append: string
    }

/** A frame of the streaming profile: a part of the answer, or the whole of it. */
export type StreamFrame =
  | {
      /** The directives so far have changed. */
      readonly type: 'partial'
      /** The place in the session's log. */
      readonly seq: number
      /** The changes, in order. */
      readonly changes: readonly DirectiveChange[]
    }
  | {
      /** The end of the stream. */
      readonly type: 'final'
      /** The place in the session's log. */
      readonly seq: number
      /** The message that a request without the profile gets. */
      readonly message: ResponseMessage
    }

/** A failure. */
export interface ErrorObject {
  /** The reason, for programs. */
  readonly code: string
  /** The reason, for people; without secrets. */
  readonly message?: string
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean
  /** More about the failure, safe for logs. */
  readonly details?: JsonObject
}
