// Answers about the server: whether it is well, its agents, engines and builds, and what a caller may do there.
import type { EngineInfo } from '../../../kernel/engine-info.ts'
import type { JsonObject } from '../../../kernel/json.ts'

/** The answer of `/health`. */
export interface Liveness {
  /** True while the process answers. */
  readonly ok: boolean
}

/** The answer of `/ready`. */
export interface Readiness {
  /** True where the server takes requests. */
  readonly ready: boolean
  /** The reason why the server is not ready. */
  readonly message?: string
  /** Only callers with a credential get `workspace` and `agents`. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  /** The agents of the server. */
  readonly agents?: readonly AgentStatus[]
}

/** An agent of a server. */
export interface AgentStatus {
  /** The agent's name. */
  readonly name: string
  /** A sentence for people. */
  readonly description: string
  /** True where the agent can run now. */
  readonly available: boolean
  /** The missing requirement; absent: the agent can run. */
  readonly needs?: string
  /** In production: the reason why callers may not run the agent, and how to open it; absent: the agent is open. */
  readonly closed?: string
  /** The place of the key or login that the agent uses, never its value; absent: it uses none, or none is known here. */
  readonly credential?: string
  /** Mistakes in the definition of the agent that stop nothing; absent: none is known. */
  readonly warnings?: readonly string[]
  /** The ways by which a run of the agent starts. */
  readonly triggers: { readonly webhook: boolean }
}

/** An agent with everything that a page about it shows. */
export interface AgentDescription extends AgentStatus {
  /** The engine that does the work; `native` for an agent in the server. */
  readonly engine: string
  /** The kind of the runner: `in_process` for agents in the server, `bridge` for engines in a sandbox. */
  readonly runner_kind: string
  /** The events and features of the engine; absent: everything is native. */
  readonly capabilities?: EngineInfo
  /**
   * The models that the agent asks, as `provider/model-id` or by the engine's own name, in order: each one after the first where the one
   * before it fails. Absent: the agent asks none, or its engine chooses.
   */
  readonly models?: readonly string[]
  /** JSON Schema of the input; null = the agent takes any object, or its schema cannot be written so. */
  readonly input_schema: JsonObject | null
  /**
   * How the sessions of the agent are spoken with: `realtime`, the model hears and speaks; `cascade`, speech becomes text before the
   * agent reads it, and its text becomes speech; null = not at all.
   */
  readonly voice: 'realtime' | 'cascade' | null
}

/** The agents of a server. */
export interface AgentList {
  /** The agents, in the order in which the server has them. */
  readonly agents: readonly AgentDescription[]
}

/** The caller as the server knows it. */
export interface CallerIdentity {
  /** The user of the credential; null = the credential names none. */
  readonly user: string | null
  /** The tenant of this request. */
  readonly tenant: string
  /** The tenants that the credential may choose among; empty = any. */
  readonly tenants: readonly string[]
  /** `observe` reads and watches; `operate` runs, cancels and removes; `approve` answers approvals. */
  readonly scopes: readonly ('observe' | 'operate' | 'approve')[]
  /** The server asks for no credential. */
  readonly isOpen: boolean
}

export interface EngineStatus extends EngineInfo {
  readonly agent: string
  readonly available: boolean
  readonly needs?: string
}

export interface EngineList {
  readonly engines: readonly EngineStatus[]
}

/** A build on the machine of the server. */
export interface BuildManifest {
  readonly id: string
  readonly target: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Relative to the folder of the project. */
  readonly folder: string
  /** Null = the project is built by its own configuration. */
  readonly agents: readonly string[] | null
  /** The text that the bundler prints. */
  readonly size: string
}

export interface BuildList {
  readonly builds: readonly BuildManifest[]
}

export interface TicketGrant {
  /** Use it as `?ticket=`, or as the WebSocket subprotocol `ticket.<ticket>`. */
  readonly ticket: string
  readonly expiresAt: string
}

/** An uploaded file: a prompt names it as `{ ref_id }` in its attachments. */
export interface UploadGrant {
  /** The reference of the file. */
  readonly ref_id: string
  /** The type that its uploader named. */
  readonly mime_type: string
  /** The length of the file. */
  readonly size_bytes: number
}
