// The routes of an operator: sessions of every kind, what they report, and the acts that steer them.

import type {
  BackgroundReceipt,
  BranchReceipt,
  ChatSession,
  HealthEnvelope,
  PauseReceipt,
  ReplayReceipt,
  StreamEnvelope,
  StreamEventList,
  TurnReceipt,
} from '../../surfaces/frontend/wire.ts'
import type {
  AgentList,
  ArtifactPage,
  AuditPage,
  BuildList,
  CallerIdentity,
  CancelReceipt,
  ChannelPage,
  EngineList,
  ImportReceipt,
  SessionCard,
  SessionLogPage,
  SessionTree,
  TicketGrant,
  WorkspaceFile,
  WorkspaceFolder,
  WorkspaceOffer,
  WorkspaceReport,
} from '../../surfaces/http/wire.ts'
import { type EventFeedOptions, eventFeed } from '../fabric/event-feed.ts'
import type { FabricJsonObject, SessionFilter } from '../fabric/request-options.ts'
import {
  eventStreamOf,
  type FabricClientOptions,
  pathSegment,
  queryText,
  readJson,
  requestsTo,
} from '../fabric/requests.ts'
import type {
  BranchRequest,
  EnvelopeFeedOptions,
  NewSession,
  PolicyRequest,
  ReasonOptions,
  ReplayRequest,
} from './request-options.ts'

export type OperatorActs = ReturnType<typeof operatorActs>

export const operatorActs = (options: FabricClientOptions) => {
  const { call, get, post } = requestsTo(options)
  const sessionPath = (id: string, rest = ''): string => `sessions/${pathSegment(id)}${rest}`

  /** An act upon a session: the answer is the state of the session after it. */
  const act = <T>(
    path: string,
    { agent, idempotencyKey, ...body }: ReasonOptions & { readonly [name: string]: unknown },
  ) =>
    post<T>(
      `${path}${queryText({ agent })}`,
      body,
      idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } },
    )

  const feed = <T>(
    path: string,
    query: { readonly [name: string]: string | number | undefined },
    feedOptions: EventFeedOptions,
  ) =>
    eventFeed<T>(async (cursor, signal) => {
      const headers: Record<string, string> = cursor === null ? {} : { 'last-event-id': cursor }
      const replay = cursor === null ? feedOptions.replay : undefined
      return eventStreamOf(await call(`${path}${queryText({ ...query, replay })}`, { headers, signal }))
    }, feedOptions)

  return {
    /** The caller as the server knows it: user, tenants, scopes. */
    me: (): Promise<CallerIdentity> => get('me'),
    /** The agents of the server, with what each needs and takes. */
    agents: (): Promise<AgentList> => get('agents'),
    /** Puts a session away: lists leave it out. A prompt takes it out again. */
    archive: async (id: string, why: ReasonOptions = {}): Promise<SessionCard> =>
      act(sessionPath(id, '/archive'), { ...why }),
    /** Takes an archived session out again. */
    unarchive: async (id: string, why: ReasonOptions = {}): Promise<SessionCard> =>
      act(sessionPath(id, '/unarchive'), { ...why }),
    /** A session with everything that a page about it shows, except its channel, which is read by pages. */
    chat: async (id: string, agent?: string): Promise<ChatSession> =>
      get(`chat/sessions/${pathSegment(id)}${queryText({ agent, omit: 'channel' })}`),
    /** Makes a chat session, which waits for its first prompt. */
    createChat: (session: NewSession = {}): Promise<SessionCard> => post('chat/sessions', session),
    /** Sends a prompt to a chat session, and answers at once. `ask` also brings the events of its run. */
    turn: async (
      id: string,
      prompt: string,
      { input, ...why }: Omit<ReasonOptions, 'reason'> & { readonly input?: FabricJsonObject } = {},
    ): Promise<TurnReceipt> =>
      act(`chat/sessions/${pathSegment(id)}/turns`, { ...why, prompt, ...(input && { input }) }),
    /** Gives a session a title. */
    rename: async (
      id: string,
      title: string,
      { agent, idempotencyKey, actor }: Omit<ReasonOptions, 'reason'> = {},
    ): Promise<SessionCard> =>
      readJson(
        await call(sessionPath(id, queryText({ agent })), {
          method: 'PATCH',
          headers: {
            'content-type': 'application/json',
            ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          },
          body: JSON.stringify({ title, ...(actor !== undefined && { actor }) }),
        }),
      ),
    /** Starts a background session. The same key and session sent again are the same run. */
    startBackground: (
      session: NewSession & { readonly prompt: string },
      { idempotencyKey }: Pick<ReasonOptions, 'idempotencyKey'> = {},
    ): Promise<BackgroundReceipt> =>
      post('sessions', session, idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
    /** Pauses a session: it keeps its place. */
    pause: async (id: string, why: ReasonOptions = {}): Promise<PauseReceipt> =>
      act(sessionPath(id, '/pause'), { ...why }),
    /** Resumes a paused session. */
    resume: async (id: string, why: ReasonOptions = {}): Promise<PauseReceipt> =>
      act(sessionPath(id, '/resume'), { ...why }),
    /** Cancels the run in progress, or the one named; with `queue` also the prompts that wait. */
    cancel: async (
      id: string,
      why: ReasonOptions & { readonly runId?: string; readonly queue?: boolean } = {},
    ): Promise<CancelReceipt> => act(sessionPath(id, '/cancel'), { ...why }),
    /** Branches a new session from an event or a cursor. The session that it leaves continues. */
    branch: async (id: string, from: BranchRequest): Promise<BranchReceipt> =>
      act(`chat/sessions/${pathSegment(id)}/branch`, { ...from }),
    /** Asks the prompts of a session again, in a branch with something changed. The session itself does not change. */
    replay: async (id: string, change: ReplayRequest = {}): Promise<ReplayReceipt> =>
      act(sessionPath(id, '/replay'), { ...change }),
    /** The whole tree of branches that a session belongs to. */
    sessionTree: async (id: string, agent?: string): Promise<SessionTree> =>
      get(sessionPath(id, `/tree${queryText({ agent })}`)),
    /** Sets the budgets of a session. */
    setPolicy: async (id: string, policy: PolicyRequest, why: ReasonOptions = {}): Promise<SessionCard> =>
      act(sessionPath(id, '/policy'), { ...why, policy }),
    /** The health of a session as it is now. */
    sessionHealth: async (id: string, agent?: string): Promise<HealthEnvelope['payload']> =>
      get(sessionPath(id, `/health${queryText({ agent })}`)),
    /** The envelopes of a session, live and across reconnects. */
    envelopes: (id: string, { tier, omit, agent, ...feedOptions }: EnvelopeFeedOptions = {}) =>
      feed<StreamEnvelope>(
        sessionPath(id, '/events/stream'),
        { tier, omit: omit?.length ? omit.join(',') : undefined, agent },
        feedOptions,
      ),
    /** A page of the events of a session as envelopes between its participants: the newest, or those before a `next`. */
    channel: async (
      id: string,
      page: { readonly agent?: string; readonly before?: string; readonly limit?: number } = {},
    ): Promise<ChannelPage> => get(sessionPath(id, `/channel${queryText({ ...page })}`)),
    /** A page of the log of a session: every event by its number, oldest first. `content: 'none'` leaves the text of artifacts out. */
    log: async (
      id: string,
      page: {
        readonly agent?: string
        /** The number of an event; `41~2` names the second incarnation of the log. */
        readonly after?: number | string
        readonly limit?: number
        readonly content?: 'all' | 'none'
      } = {},
    ): Promise<SessionLogPage> => get(sessionPath(id, `/log${queryText({ ...page })}`)),
    /** A session with its branches as a file: read the body while it comes. */
    exportSession: async (
      id: string,
      options: { readonly agent?: string; readonly branches?: 'all' | 'none' } = {},
    ): Promise<Response> => call(sessionPath(id, `/export${queryText({ ...options })}`)),
    /** All sessions of a list in one file; takes the filters of `sessions`. */
    exportSessions: (filter: Omit<SessionFilter, 'limit' | 'cursor' | 'order'> = {}): Promise<Response> =>
      call(`export${queryText({ ...filter })}`),
    /** Imports the sessions of a file. `rename` gives another id to those whose id is taken; `check` writes nothing. */
    importSessions: async (
      file: string | Blob,
      { rename, check }: { readonly rename?: boolean; readonly check?: boolean } = {},
    ): Promise<ImportReceipt> =>
      readJson(
        await call(`import${queryText({ rename, check })}`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: file },
        }),
      ),
    /** The health of a session, each time it changes. */
    healthFeed: (id: string, { agent, ...feedOptions }: EventFeedOptions & { readonly agent?: string } = {}) =>
      feed<HealthEnvelope>(sessionPath(id, '/health/stream'), { agent }, feedOptions),
    /** A page of what operators and the server did with a session, newest first. */
    audit: async (
      id: string,
      page: { readonly agent?: string; readonly before?: string; readonly limit?: number } = {},
    ): Promise<AuditPage> => get(sessionPath(id, `/audit${queryText({ ...page })}`)),
    /** A page of the artifacts of a session, newest first. */
    artifacts: async (
      id: string,
      page: { readonly agent?: string; readonly before?: string; readonly limit?: number } = {},
    ): Promise<ArtifactPage> => get(sessionPath(id, `/artifacts${queryText({ ...page })}`)),
    /** The content of an artifact. */
    artifact: async (id: string, artifactId: string, agent?: string): Promise<Response> =>
      call(sessionPath(id, `/artifacts/${pathSegment(artifactId)}${queryText({ agent })}`)),
    /** The folders that a new session may work with, and how. */
    workspaces: (): Promise<WorkspaceOffer> => get('workspaces'),
    /** The workspace of a session, with the files that differ from its source. */
    workspace: async (id: string, agent?: string): Promise<WorkspaceReport> =>
      get(sessionPath(id, `/workspace${queryText({ agent })}`)),
    /** The entries of a folder in the workspace; absent: of the workspace itself. */
    workspaceFiles: async (id: string, path = '', agent?: string): Promise<WorkspaceFolder> =>
      get(sessionPath(id, `/workspace/files${queryText({ path, agent })}`)),
    /** The text of a file in the workspace: as it is now, or as the workspace began. */
    workspaceFile: async (
      id: string,
      path: string,
      { version, agent }: { readonly version?: WorkspaceFile['version']; readonly agent?: string } = {},
    ): Promise<WorkspaceFile> => get(sessionPath(id, `/workspace/file${queryText({ path, version, agent })}`)),
    /** A one-use credential for a socket or an event stream of a page, good for 30 seconds. */
    ticket: (
      wanted: { readonly sessionId?: string; readonly scopes?: CallerIdentity['scopes'] } = {},
    ): Promise<TicketGrant> => post('tickets', wanted),
    /** The builds that `bridle build` made on the server's machine. */
    builds: (): Promise<BuildList> => get('builds'),
    /** The metrics of the server, for Prometheus. */
    metrics: async (): Promise<string> => (await call('metrics')).text(),
    /** The engines of the server, with what each can report. */
    engines: (): Promise<EngineList> => get('engines'),
    /** Every event that a frontend may meet on a stream. */
    streamEvents: (): Promise<StreamEventList> => get('stream-events'),
    /** The description of all routes, in OpenAPI. */
    openapi: (): Promise<FabricOpenApi> => get('openapi.json'),
    /** Any route: for pages that show every one of them. */
    request: call,
  }
}

/** A description of routes, as far as a page reads it. */
export interface FabricOpenApi {
  /** Methods by path. */
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  /** Everything else of the description. */
  readonly [name: string]: unknown
}
