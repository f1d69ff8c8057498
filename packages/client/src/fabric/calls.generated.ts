// Written by `npm run docs` from the rows of the routes: change a row, not this file.
import type { RunStatus, TimelinePage } from '@bridle/wire/fabric/wire'
import type { BackgroundReceipt, BranchReceipt, ChatSession, HealthEnvelope, PauseReceipt, ReplayReceipt, StreamEventList, TurnReceipt } from '@bridle/wire/frontend/wire'
import type { AgentList, ApprovalReceipt, ArtifactPage, AuditPage, BuildList, CallerIdentity, CancelReceipt, ChannelPage, EngineList, Liveness, MemoryPage, MemoryReceipt, Readiness, SessionCard, SessionDetail, SessionLogPage, SessionPage, SessionTree, SignalReceipt, TicketGrant, WorkspaceFile, WorkspaceFolder, WorkspaceOffer, WorkspaceReport } from '@bridle/wire/http/wire'
import type { FabricJson, FabricJsonObject, FabricOpenApi } from './request-options.ts'
import { pathSegment, queryText, type Requests } from './requests.ts'

/** The answer to a question or a form. */
export interface AnswerOptions extends ReasonOptions {
  /** The answers by the id of their question: a text, or a list of texts where the question takes several. */
  readonly answers?: { readonly [name: string]: string | readonly (string)[] }
  /** The values of a form. */
  readonly values?: FabricJsonObject
  /** The call gets its answer, and the session pauses before its next step. */
  readonly pause?: boolean
}

/** A point to branch from, and what the new session is asked. */
export interface BranchRequest extends ReasonOptions {
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
  /** The folder of a new session. Default: none. A session that continues another one keeps its workspace, unless the other one was imported. */
  readonly workspace?: NewWorkspace
  /** The access to a workspace without a source. */
  readonly workspace_mode?: 'none' | 'read' | 'write' | 'in_place'
  /** The `prompts_digest` of the session’s detail: its imported prompts were read. */
  readonly prompts_digest?: string
}

/** Settings of the answer to an approval. */
export interface DecisionOptions extends ReasonOptions {
  /** The call gets its answer, and the session pauses before its next step. */
  readonly pause?: boolean
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: FabricJsonObject
  /** The answers by the id of their question: a text, or a list of texts where the question takes several. */
  readonly answers?: { readonly [name: string]: string | readonly (string)[] }
  /** The values of a form. */
  readonly values?: FabricJsonObject
}

/** Settings of the decision about a value that an agent proposes for its memory. */
export interface MemoryDecisionOptions extends ReasonOptions {
  /** Another key than the proposed one; with `accept` only, as are the next two. */
  readonly key?: string
  /** Another value than the proposed one. */
  readonly value?: FabricJson
  /** The time after which the value is forgotten. Default: never. */
  readonly ttlMs?: number
}

/** A session to make: a chat, or background work that starts at once. */
export interface NewSession {
  /** The engine of the agent, where `agent` names none. */
  readonly engine?: string
  /** The agent. Default: the server’s default agent. */
  readonly agent?: string
  /** The provider of the model. */
  readonly provider?: string
  /** The model: `provider/model-id` for an agent with a model, a name of the engine’s own for an engine. */
  readonly model?: string
  /** `plan` lets an engine read and not write. */
  readonly permission_mode?: 'normal' | 'plan'
  /** `on_request`: an engine asks for approval where it needs one. */
  readonly approval_mode?: 'on_request'
  /** How much the model thinks, in the engine’s own words. */
  readonly think_level?: string
  /** `none`: an engine is given no instructions of the repository in its work folder. */
  readonly repository?: 'instructions' | 'none'
  /** `keep_audio`: the audio of spoken turns and of their answers becomes artifacts of the session. Default: no audio is kept. */
  readonly voice?: {
    readonly keep_audio?: boolean
  }
  /** The folder of a new session. Default: none. A session that continues another one keeps its workspace, unless the other one was imported. */
  readonly workspace?: NewWorkspace
  /** The access to a workspace without a source. */
  readonly workspace_mode?: 'none' | 'read' | 'write' | 'in_place'
  /** The session’s id. Default: the server chooses one. */
  readonly session_id?: string
  /** The title. Default: the beginning of the prompt. */
  readonly title?: string
  /** The budgets of a session, and the action when one is crossed. */
  readonly policy?: PolicyRequest
  /** The prompt, for background work. */
  readonly prompt?: string
  /** Fields of the input beside the prompt, for background work. */
  readonly input?: FabricJsonObject
  /** The session that starts this one. */
  readonly parent_session_id?: string
  /** How often a failed run is tried again. */
  readonly max_retries?: number
  /** The time at which the session ends, in ISO 8601. */
  readonly expires_at?: string | null
  /** The person’s name, where the credential names none. */
  readonly actor?: string
}

/** The folder of a new session. Default: none. A session that continues another one keeps its workspace, unless the other one was imported. */
export interface NewWorkspace {
  /** `write`: on a branch of its own where the source is a repository, else in a copy, or in an empty folder without a source. `in_place`: in the source itself, on a server of one’s own. Default: `write` with a source, else `none`. */
  readonly mode?: 'none' | 'read' | 'write' | 'in_place'
  /** A folder of the server, as `GET /workspaces` names them. */
  readonly source?: string
}

/** The budgets of a session, and the action when one is crossed. */
export interface PolicyRequest {
  /** The budgets by name; one that is absent guards nothing. */
  readonly health?: {
    readonly min_score?: number
    readonly max_runtime_minutes?: number
    readonly max_total_tokens?: number
    readonly max_cost_usd?: number
    readonly max_context_usage_pct?: number
    readonly max_failed_tool_calls?: number
    readonly max_loop_warnings?: number
    readonly max_repeated_plan_events?: number
    readonly max_tool_latency_ms?: number
    readonly max_events_without_evidence?: number
    /** `request_approval` (the default) asks a person; `pause` pauses the session. */
    readonly action?: 'request_approval' | 'pause'
  }
}

/** Fields that every act of an operator accepts. The audit log records them. */
export interface ReasonOptions {
  /** The person’s own words. */
  readonly reason?: string
  /** The person’s name, where the credential names none. */
  readonly actor?: string
  /** The agent of the session, where several agents have a session of this id. */
  readonly agent?: string
  /** The caller’s name for the command: the same key and body have one effect and one answer. */
  readonly idempotencyKey?: string
}

/** The changes with which the prompts of a session are asked again. Without any, the agent as it is now answers them. */
export interface ReplayRequest extends ReasonOptions {
  /** Another model: `provider/model-id` for an agent with a model, a name of the engine’s own for an engine. */
  readonly model?: string
  /** The budgets of a session, and the action when one is crossed. */
  readonly policy?: PolicyRequest
  /** Other settings of the session. */
  readonly settings?: {
    /** The provider of the model. */
    readonly provider?: string
    /** The model: `provider/model-id` for an agent with a model, a name of the engine’s own for an engine. */
    readonly model?: string
    /** `plan` lets an engine read and not write. */
    readonly permission_mode?: 'normal' | 'plan'
    /** `on_request`: an engine asks for approval where it needs one. */
    readonly approval_mode?: 'on_request'
    /** How much the model thinks, in the engine’s own words. */
    readonly think_level?: string
    /** `none`: an engine is given no instructions of the repository in its work folder. */
    readonly repository?: 'instructions' | 'none'
  }
  /** The title of the new session. */
  readonly title?: string
  /** The id of the prompt to begin with. Default: the first one. */
  readonly from_message?: string
  /** The folder of a new session. Default: none. A session that continues another one keeps its workspace, unless the other one was imported. */
  readonly workspace?: NewWorkspace
  /** The access to a workspace without a source. */
  readonly workspace_mode?: 'none' | 'read' | 'write' | 'in_place'
  /** The `prompts_digest` of the session’s detail: its imported prompts were read. */
  readonly prompts_digest?: string
}

/** A choice of sessions, their order, and the page. */
export interface SessionFilter {
  /** Only sessions with this status. */
  readonly status?: 'idle' | 'queued' | 'running' | 'awaiting_approval' | 'paused' | 'recovering' | 'completed' | 'failed' | 'cancelled'
  /** Only sessions of this kind. */
  readonly kind?: 'chat' | 'background'
  /** Only sessions of this agent. */
  readonly agent?: string
  /** Only sessions that were started or branched from this one. */
  readonly parent?: string
  /** Only sessions whose title or id contains this text. */
  readonly search?: string
  /** false (default): sessions that are not archived. true: archived sessions. all: both. */
  readonly archived?: boolean | 'all'
  /** Only sessions of agents with this engine. */
  readonly engine?: string
  /** Only sessions whose health has this flag. */
  readonly flag?: 'stuck' | 'budget' | 'waiting' | 'degraded'
  /** Only sessions that changed after this time, in ISO 8601. */
  readonly changed_since?: string
  /** updated (default): newest change first. created: oldest first; pages show each session once, even if sessions change in the meantime. */
  readonly order?: 'updated' | 'created'
  /** The number of sessions on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of a signal. */
export interface SignalRequestOptions extends Omit<ReasonOptions, 'reason'> {
}

/** The calls that are one request each. `agent` is needed where several agents have a session of the id. */
export const routeCalls = ({ act, call, get, send }: Requests) => ({
  /** The agents of the server, with what each needs and takes. */
  agents: async (): Promise<AgentList> =>
    get('agents'),
  /** Answer a question with `answers`, or a form with `values`. */
  answer: async (id: string, approvalId: string, options: AnswerOptions): Promise<ApprovalReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/approvals/${pathSegment(approvalId)}/answer`, options),
  /** Approve a call, with other arguments if the body has `args`; a question gets its default. */
  approve: async (id: string, approvalId: string, options: DecisionOptions = {}): Promise<ApprovalReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/approvals/${pathSegment(approvalId)}/approve`, options),
  /** Put a session away: lists leave it out, and a prompt takes it out again. */
  archive: async (id: string, options: ReasonOptions = {}): Promise<SessionCard> =>
    act('POST', `sessions/${pathSegment(id)}/archive`, options),
  /** The content of an artifact; takes a Range. */
  artifact: async (id: string, artifactId: string, agent?: string): Promise<Response> =>
    call(`sessions/${pathSegment(id)}/artifacts/${pathSegment(artifactId)}${queryText({ agent })}`),
  /** A page of the artifacts of a session, newest first. */
  artifacts: async (id: string, options: { readonly agent?: string; readonly before?: number | string } = {}): Promise<ArtifactPage> =>
    get(`sessions/${pathSegment(id)}/artifacts`, options),
  /** A page of what operators and the server did with a session, newest first. */
  audit: async (id: string, options: { readonly agent?: string; readonly limit?: number; readonly before?: string } = {}): Promise<AuditPage> =>
    get(`sessions/${pathSegment(id)}/audit`, options),
  /** Branch a new session from an event or a cursor; the first session continues. */
  branch: async (id: string, options: BranchRequest): Promise<BranchReceipt> =>
    act('POST', `chat/sessions/${pathSegment(id)}/branch`, options),
  /** The builds that `bridle build` made on the server’s machine. */
  builds: async (): Promise<BuildList> =>
    get('builds'),
  /** Cancel the run in progress, or the one named; with `queue` also the prompts that wait. */
  cancel: async (id: string, options: ReasonOptions & { readonly runId?: string; readonly queue?: boolean } = {}): Promise<CancelReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/cancel`, options),
  /** A page of the events of a session as envelopes between its participants: the newest, or those before a `next`. */
  channel: async (id: string, options: { readonly agent?: string; readonly limit?: number; readonly before?: string } = {}): Promise<ChannelPage> =>
    get(`sessions/${pathSegment(id)}/channel`, options),
  /** A chat session with everything that a page about it shows. Sent with `omit=channel`. */
  chat: async (id: string, agent?: string): Promise<ChatSession> =>
    get(`chat/sessions/${pathSegment(id)}`, { agent, omit: 'channel' }),
  /** Make a chat session, which waits for its first prompt. */
  createChat: async (options: NewSession = {}, request: Pick<ReasonOptions, 'idempotencyKey'> = {}): Promise<SessionCard> =>
    send('POST', 'chat/sessions', { ...options, ...request }),
  /** Accept or reject a value that the agent proposes for its memory. */
  decideMemory: async (id: string, proposalId: string, decision: 'accept' | 'reject', options: MemoryDecisionOptions = {}): Promise<MemoryReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/memory/${pathSegment(proposalId)}`, { ...options, decision }),
  /** The engines of the server, with what each can report. */
  engines: async (): Promise<EngineList> =>
    get('engines'),
  /** A session with its branches as a file of JSON lines, which any server imports. */
  exportSession: async (id: string, options: { readonly agent?: string; readonly branches?: 'all' | 'none' } = {}): Promise<Response> =>
    call(`sessions/${pathSegment(id)}/export${queryText(options)}`),
  /** All sessions of a list in one file; takes the filters of GET /sessions. */
  exportSessions: async (options: Omit<SessionFilter, 'limit' | 'cursor' | 'order'> = {}): Promise<Response> =>
    call(`export${queryText(options)}`),
  /** Answers while the server is alive. */
  health: async (): Promise<Liveness> =>
    get('health'),
  /** A page of the log of a session: every event by its number, oldest first; `content=none` leaves the text of artifacts out. */
  log: async (id: string, options: { readonly agent?: string; readonly after?: number | string; readonly limit?: number; readonly content?: 'all' | 'none' } = {}): Promise<SessionLogPage> =>
    get(`sessions/${pathSegment(id)}/log`, options),
  /** The user, tenants and scopes of the caller’s credential. */
  me: async (): Promise<CallerIdentity> =>
    get('me'),
  /** Values of the session’s memory that people accepted, with their source, and the proposals of its agent. */
  memory: async (id: string, agent?: string): Promise<MemoryPage> =>
    get(`sessions/${pathSegment(id)}/memory`, { agent }),
  /** The metrics of the server, for Prometheus. */
  metrics: async (): Promise<string> =>
    call('metrics').then((response) => response.text()),
  /** The description of all routes, in OpenAPI. */
  openapi: async (): Promise<FabricOpenApi> =>
    get('openapi.json'),
  /** Pause a session; it keeps its row, checkpoints and artifacts. */
  pause: async (id: string, options: ReasonOptions = {}): Promise<PauseReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/pause`, options),
  /** The agents of the server, and whether the server takes requests. */
  ready: async (): Promise<Readiness> =>
    get('ready'),
  /** Deny a call, or decline a question. */
  reject: async (id: string, approvalId: string, options: DecisionOptions = {}): Promise<ApprovalReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/approvals/${pathSegment(approvalId)}/reject`, options),
  /** Erase the session. */
  remove: async (agent: string, id: string): Promise<void> =>
    call(`agents/${pathSegment(agent)}/${pathSegment(id)}`, { method: 'DELETE' }).then(() => {}),
  /** Give a session a title. */
  rename: async (id: string, title: string, options: Omit<ReasonOptions, 'reason'> = {}): Promise<SessionCard> =>
    act('PATCH', `sessions/${pathSegment(id)}`, { ...options, title }),
  /** Ask the prompts of a session again, in a branch with another model, policy or settings. */
  replay: async (id: string, options: ReplayRequest = {}): Promise<ReplayReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/replay`, options),
  /** Resume a paused session, or branch a new one from an event or a cursor. */
  resume: async (id: string, options: ReasonOptions = {}): Promise<PauseReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/resume`, options),
  /** The status of a run, and its outcome once it has ended. */
  run: async (id: string, runId: string, agent?: string): Promise<RunStatus> =>
    get(`sessions/${pathSegment(id)}/runs/${pathSegment(runId)}`, { agent }),
  /** A session as a whole, by its id. Sent with `omit=channel`. */
  session: async (id: string, agent?: string): Promise<SessionDetail> =>
    get(`sessions/${pathSegment(id)}`, { agent, omit: 'channel' }),
  /** The health of a session as it is now. */
  sessionHealth: async (id: string, agent?: string): Promise<HealthEnvelope['payload']> =>
    get(`sessions/${pathSegment(id)}/health`, { agent }),
  /** The whole tree of branches that a session belongs to. */
  sessionTree: async (id: string, agent?: string): Promise<SessionTree> =>
    get(`sessions/${pathSegment(id)}/tree`, { agent }),
  /** A page of sessions, newest change first, or in the order in which they were made. */
  sessions: async (options: SessionFilter = {}): Promise<SessionPage> =>
    get('sessions', options),
  /** Set the budgets of a session; a budget that was crossed is armed again. */
  setPolicy: async (id: string, policy: PolicyRequest, options: ReasonOptions = {}): Promise<SessionCard> =>
    act('POST', `sessions/${pathSegment(id)}/policy`, { ...options, policy }),
  /** Send a signal to the run, which waits for it by name, or will. */
  signal: async (id: string, name: string, payload?: FabricJson, options: SignalRequestOptions = {}): Promise<SignalReceipt> =>
    act('POST', `sessions/${pathSegment(id)}/signal`, { ...options, name, payload }),
  /** Start a background session. */
  startBackground: async (options: NewSession & { readonly prompt: string }, request: Pick<ReasonOptions, 'idempotencyKey'> = {}): Promise<BackgroundReceipt> =>
    send('POST', 'sessions', { ...options, ...request }),
  /** Every event that a frontend may meet on a stream. */
  streamEvents: async (): Promise<StreamEventList> =>
    get('stream-events'),
  /** A one-use ticket for a socket or an event stream of a page, good for 30 seconds. */
  ticket: async (options: { readonly sessionId?: string; readonly scopes?: readonly ('observe' | 'operate' | 'approve')[] } = {}): Promise<TicketGrant> =>
    send('POST', 'tickets', options),
  /** The history of a session: its prompts and answers, events, artifacts and approvals. */
  timeline: async (agent: string, id: string, options: { readonly after?: string; readonly limit?: number } = {}): Promise<TimelinePage> =>
    get(`agents/${pathSegment(agent)}/${pathSegment(id)}`, options),
  /** Send a prompt; answers at once, or with the stream of the turn to a caller that accepts one. */
  turn: async (id: string, prompt: string, options: Omit<ReasonOptions, 'reason'> & { readonly input?: FabricJsonObject } = {}): Promise<TurnReceipt> =>
    act('POST', `chat/sessions/${pathSegment(id)}/turns`, { ...options, prompt }),
  /** Take an archived session out again. */
  unarchive: async (id: string, options: ReasonOptions = {}): Promise<SessionCard> =>
    act('POST', `sessions/${pathSegment(id)}/unarchive`, options),
  /** The workspace of a session, with the files that differ from its source. */
  workspace: async (id: string, agent?: string): Promise<WorkspaceReport> =>
    get(`sessions/${pathSegment(id)}/workspace`, { agent }),
  /** The text of a file in the workspace of a session, as it is now or as the workspace began. */
  workspaceFile: async (id: string, path: string, options: { readonly agent?: string; readonly version?: 'current' | 'source' } = {}): Promise<WorkspaceFile> =>
    get(`sessions/${pathSegment(id)}/workspace/file`, { ...options, path }),
  /** The entries of a folder in the workspace of a session; without `path`, of the workspace itself. */
  workspaceFiles: async (id: string, path?: string, agent?: string): Promise<WorkspaceFolder> =>
    get(`sessions/${pathSegment(id)}/workspace/files`, { agent, path }),
  /** The folders that a new session may work with, and how. */
  workspaces: async (): Promise<WorkspaceOffer> =>
    get('workspaces'),
})
