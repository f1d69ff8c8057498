// The options of calls to the HTTP routes. The types of their answers are in the `wire.ts` of the surfaces.
import type { AgentEventData } from '../../surfaces/fabric/wire.ts'
import type { HealthEnvelope } from '../../surfaces/frontend/wire.ts'
import type { EventFeedOptions } from './event-feed.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

/** The folder that a new session works with. */
export interface NewWorkspace {
  /**
   * `write`: on a branch of its own where the source is a repository, else in a copy, or in an empty folder without a source. `in_place`:
   * in the source itself, on a server of one's own. Default: `write`.
   */
  readonly mode?: 'write' | 'in_place'
  /** A folder of the server, as `GET /workspaces` names them. */
  readonly source?: string
}

/** A choice of sessions, their order, and the page. */
export interface SessionFilter {
  /** Only sessions with this status. */
  readonly status?: string
  /** Only sessions of this kind: `chat` or `background`. */
  readonly kind?: string
  /** Only sessions of this agent. */
  readonly agent?: string
  /** Only sessions that were started or branched from this one. */
  readonly parent?: string
  /** Only sessions whose title or id contains this text. */
  readonly search?: string
  /** Sessions that somebody put away: without them (false, the default), only those (true), or both (all). */
  readonly archived?: boolean | 'all'
  /** Only sessions of agents with this engine. */
  readonly engine?: string
  /** Only sessions whose health has this flag. */
  readonly flag?: string
  /** Only sessions that changed after this time, in ISO 8601. */
  readonly changed_since?: string
  /** updated (default): newest change first. created: oldest first; pages show each session once, even if sessions change meanwhile. */
  readonly order?: 'updated' | 'created'
  /** The number of sessions on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of a signal. */
export interface SignalRequestOptions {
  /** The same key and signal take effect once, however often they are sent. */
  readonly idempotencyKey?: string
  /** The sender's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** Settings of the decision about a value that an agent proposes for its memory. */
export interface MemoryDecisionOptions {
  /** Another key than the proposed one; with `accept` only, as are the next two. */
  readonly key?: string
  /** Another value than the proposed one. */
  readonly value?: FabricJson
  /** The time after which the value is forgotten. Default: never. */
  readonly ttlMs?: number
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** A page of the inbox. */
export interface ApprovalFilter<S extends 'pending' | 'decided' | 'all' = 'pending' | 'decided' | 'all'> {
  /** pending (default): those that wait, oldest first. decided: those that were settled, newest first. all: both, in this order. */
  readonly status?: S
  /** The number of approvals on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of the answer to an approval. */
export interface DecisionOptions {
  /** The call gets its answer, and the session pauses before its next step. */
  readonly pause?: boolean
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: FabricJsonObject
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** Settings of one `invoke` call. */
export interface InvokeOptions {
  /** Idempotency key: a repeated request with the same input gets the answer of the first run. */
  readonly idempotencyKey?: string
  /** Answer as soon as the run is accepted. */
  readonly async?: boolean
  /** Ends the request. The run continues. */
  readonly signal?: AbortSignal
  /** The folder of a new session. A session that exists with another one is a FabricError. */
  readonly workspace?: NewWorkspace
}

/** Fields that every act of an operator accepts. The audit log records them. */
export interface ReasonOptions {
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, where the credential names none. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
  /** Idempotency key: a repeated request takes effect once. */
  readonly idempotencyKey?: string
}

/** The name of a budget. */
type BudgetOfPolicy = HealthEnvelope['payload']['budget_pressure']['budgets'][number]['budget']

/** The budgets of a session, and the action when one is crossed. */
export type PolicyRequest = {
  /** The budgets by name; one that is absent guards nothing. */
  readonly health?: { readonly [budget in BudgetOfPolicy]?: number } & {
    /** `request_approval` (the default) asks a person; `pause` pauses the session. */
    readonly action?: 'request_approval' | 'pause'
  }
}

/** A session to make: a chat, or background work that starts at once. */
export interface NewSession {
  /** The agent. Default: the server's default agent. */
  readonly agent?: string
  /** The session's id. Default: the server chooses one. */
  readonly session_id?: string
  /** The title. Default: the beginning of the prompt. */
  readonly title?: string
  /** The budgets. */
  readonly policy?: PolicyRequest
  /** `keep_audio`: the audio of spoken turns and of their answers becomes artifacts of the session. Default: no audio is kept. */
  readonly voice?: { readonly keep_audio?: boolean }
  /** The prompt, for background work. */
  readonly prompt?: string
  /** Fields of the input beside the prompt, for background work. */
  readonly input?: FabricJsonObject
  /** The folder to work with. Default: none. */
  readonly workspace?: NewWorkspace
  /** The access to a workspace without a source, for background work. */
  readonly workspace_mode?: 'none' | 'read' | 'write'
  /** The session that starts this one. */
  readonly parent_session_id?: string
  /** How often a failed run is tried again. */
  readonly max_retries?: number
}

/** The confirmation that a session needs which continues an imported one, and its workspace. */
export interface ContinuationOptions {
  /** The workspace of the new session. Default: the session's own. An imported session has none. */
  readonly workspace?: { readonly mode?: 'none' | 'read' | 'write' | 'in_place'; readonly source?: string }
  /** The `prompts_digest` of the session's detail: its imported prompts were read. */
  readonly prompts_digest?: string
}

/** A point to branch from, and what the new session is asked. */
export interface BranchRequest extends ReasonOptions, ContinuationOptions {
  /** The event to branch from. */
  readonly from_event_id?: string | number
  /** The cursor to branch from. */
  readonly resume_cursor?: string
  /** The prompt of the new session; absent: it waits for one. */
  readonly prompt?: string
  /** The title of the new session. */
  readonly title?: string
  /** The id of the new session. Default: the server chooses one. */
  readonly session_id?: string
}

/** The changes with which the prompts of a session are asked again. Without any, the agent as it is now answers them. */
export interface ReplayRequest extends ReasonOptions, ContinuationOptions {
  /** Another model: `provider/model-id` for an agent with a model, a name of the engine's own for an engine. */
  readonly model?: string
  /** Another policy. */
  readonly policy?: PolicyRequest
  /** Other settings of the session. */
  readonly settings?: {
    /** `plan` lets an engine read and not write. */
    readonly permission_mode?: 'normal' | 'plan'
    /** How much the model thinks, in the engine's own words. */
    readonly think_level?: string
  }
  /** The title of the new session. */
  readonly title?: string
  /** The id of the prompt to begin with. Default: the first one. */
  readonly from_message?: string
}

/** Settings of a feed of envelopes. */
export interface EnvelopeFeedOptions extends EventFeedOptions {
  /** `default` leaves out the events that help to find a fault. Default: `debug`. */
  readonly tier?: 'default' | 'debug'
  /** Types that are not sent: `token` and `thinking`, for a page that gets the text in another way. */
  readonly omit?: readonly string[]
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** A description of routes, as far as a page reads it. */
export interface FabricOpenApi {
  /** Methods by path. */
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  /** Everything else of the description. */
  readonly [name: string]: unknown
}
