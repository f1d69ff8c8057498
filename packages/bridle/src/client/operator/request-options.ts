// The options of an operator's calls.
import type { HealthEnvelope } from '../../surfaces/frontend/wire.ts'
import type { EventFeedOptions } from '../fabric/event-feed.ts'
import type { FabricJsonObject, NewWorkspace } from '../fabric/request-options.ts'

/** Fields that every act of an operator may have: they stand in the audit rows. */
export interface ReasonOptions {
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, where the credential names none. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
  /** The same key and request take effect once, however often they are sent. */
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
