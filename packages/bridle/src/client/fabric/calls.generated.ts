// Written by `npm run docs` from the rows of the routes: change a row, not this file.
import type { RunStatus, TimelinePage } from '../../surfaces/fabric/wire.ts'
import type { BackgroundReceipt, BranchReceipt, ChatSession, HealthEnvelope, PauseReceipt, ReplayReceipt, StreamEventList, TurnReceipt } from '../../surfaces/frontend/wire.ts'
import type { AgentList, ApprovalReceipt, ArtifactPage, AuditPage, BuildList, CallerIdentity, CancelReceipt, ChannelPage, EngineList, Liveness, MemoryPage, MemoryReceipt, Readiness, SessionCard, SessionDetail, SessionLogPage, SessionPage, SessionTree, SignalReceipt, TicketGrant, WorkspaceFile, WorkspaceFolder, WorkspaceOffer, WorkspaceReport } from '../../surfaces/http/wire.ts'
import type { BranchRequest, DecisionOptions, FabricJson, FabricJsonObject, FabricOpenApi, MemoryDecisionOptions, NewSession, PolicyRequest, ReasonOptions, ReplayRequest, SessionFilter, SignalRequestOptions } from './request-options.ts'
import { pathSegment, queryText, type Requests } from './requests.ts'

/** The calls that are one request each. `agent` is needed where several agents have a session of the id. */
export const routeCalls = ({ act, call, get, send }: Requests) => ({
  /** The agents of the server, with what each needs and takes. */
  agents: async (): Promise<AgentList> =>
    get('agents'),
  /** Approve a call, with other arguments if the body has `args`. */
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
  /** Deny a call. */
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
