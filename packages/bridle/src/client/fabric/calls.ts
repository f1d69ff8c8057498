// The routes of the Fabric HTTP wire from a caller's side, on any platform that has fetch.
import type { AcceptedRun, AgentEvent, InvokeResult, RunStatus, TimelinePage } from '../../surfaces/fabric/wire.ts'
import type {
  ApprovalPage,
  ApprovalReceipt,
  ApprovalsByStatus,
  Liveness,
  MemoryPage,
  MemoryReceipt,
  Readiness,
  SessionDetail,
  SessionPage,
  SignalReceipt,
  UploadGrant,
} from '../../surfaces/http/wire.ts'
import { type UploadContent, type UploadOptions, uploadRequest } from '../upload.ts'
import { FabricError } from './error.ts'
import { type EventFeedOptions, eventFeed } from './event-feed.ts'
import type {
  ApprovalFilter,
  DecisionOptions,
  FabricJson,
  MemoryDecisionOptions,
  NewWorkspace,
  SessionFilter,
  SignalRequestOptions,
} from './request-options.ts'
import { eventStreamOf, type FabricClientOptions, pathSegment, queryText, readJson, requestsTo } from './requests.ts'

/** Settings of one `invoke` call. */
export interface InvokeOptions {
  /** The same key and input are one run and one answer, however often they are sent. */
  readonly idempotencyKey?: string
  /** Answer as soon as the run is accepted. */
  readonly async?: boolean
  /** Ends the request. The run continues. */
  readonly signal?: AbortSignal
  /** The folder of a new session. A session that exists with another one is a FabricError. */
  readonly workspace?: NewWorkspace
}

export type FabricCalls = ReturnType<typeof fabricCalls>

export const fabricCalls = (options: FabricClientOptions) => {
  const { call, get, post } = requestsTo(options)
  const { url } = options

  /** The answer of the run, or with `async` its id. A caller that leaves does not stop the run. */
  function invoke(
    agent: string,
    id: string,
    input: FabricJson,
    options: InvokeOptions & { async: true },
  ): Promise<AcceptedRun>
  function invoke(
    agent: string,
    id: string,
    input: FabricJson,
    options?: InvokeOptions & { async?: false },
  ): Promise<InvokeResult>
  async function invoke(
    agent: string,
    id: string,
    input: FabricJson,
    options: InvokeOptions = {},
  ): Promise<AcceptedRun | InvokeResult> {
    const { mode = 'write', source } = options.workspace ?? {}
    const folder = options.workspace ? queryText({ workspace: source, workspace_mode: mode }) : ''
    return post(`agents/${pathSegment(agent)}/${pathSegment(id)}${folder}`, input, {
      headers: {
        ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
        ...(options.async && { prefer: 'respond-async' }),
      },
      ...(options.signal && { signal: options.signal }),
    })
  }

  const session = async (id: string, agent?: string): Promise<SessionDetail> =>
    get(`sessions/${pathSegment(id)}${queryText({ agent, omit: 'channel' })}`)

  const settle =
    (verb: 'approve' | 'reject') =>
    async (id: string, approvalId: string, verdict: DecisionOptions = {}) => {
      const { agent, ...body } = verdict
      return post<ApprovalReceipt>(
        `sessions/${pathSegment(id)}/approvals/${pathSegment(approvalId)}/${verb}${queryText({ agent })}`,
        body,
      )
    }

  /**
   * A session's events, live and across reconnects. With an agent the session need not exist yet; by its id alone it must.
   */
  async function* events(
    agent: string | null,
    id: string,
    options: EventFeedOptions = {},
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const path =
      agent === null ? `sessions/${pathSegment(id)}/events` : `agents/${pathSegment(agent)}/${pathSegment(id)}/stream`
    // "From now on" is a position in the log: without a cursor a reconnect would skip the events in between.
    const now = options.replay === 'none' && options.after === undefined ? await headOf(agent, id) : undefined
    const replay = options.replay === undefined ? undefined : String(options.replay)
    yield* eventFeed<AgentEvent>(
      async (cursor, signal) => {
        const headers: Record<string, string> = cursor === null ? {} : { 'last-event-id': cursor }
        const response = await call(`${path}${queryText(cursor === null ? { replay } : {})}`, { headers, signal })
        return eventStreamOf(response)
      },
      now === undefined ? options : { ...options, after: now },
    )
  }

  const headOf = (agent: string | null, id: string): Promise<string> =>
    session(id, agent ?? undefined).then(
      ({ lastEventId }) => lastEventId,
      (error: unknown) => {
        if (agent !== null && error instanceof FabricError && error.status === 404) return '0'
        throw error
      },
    )

  return {
    /** The address of the server. */
    url,
    /** Runs an agent in a session: the answer of the run, or with `async` its id. A caller that leaves does not stop the run. */
    invoke,
    /** A session's events, live and across reconnects. With an agent the session need not exist yet; by its id alone it must. */
    events,
    /** A session as a whole, except its channel; `agent` is needed where several agents have a session of this id. */
    session,
    /** A page of sessions. */
    sessions: (filter: SessionFilter = {}): Promise<SessionPage> => get(`sessions${queryText({ ...filter })}`),
    /** The status of a run, and its outcome once it has ended. */
    run: async (id: string, runId: string, agent?: string): Promise<RunStatus> =>
      get(`sessions/${pathSegment(id)}/runs/${pathSegment(runId)}${queryText({ agent })}`),
    /** A page of approvals of all sessions: those that wait, or by `status` those that were settled. */
    approvals: <S extends 'pending' | 'decided' | 'all' = 'pending'>(
      filter: ApprovalFilter<S> = {},
    ): Promise<ApprovalPage<ApprovalsByStatus[S]>> => get(`approvals${queryText({ status: 'pending', ...filter })}`),
    /** Approves, with other arguments where the options have them. */
    approve: settle('approve'),
    /** Denies. */
    reject: settle('reject'),
    /** Sends a signal to the session's run, which waits for it by name, or will. */
    signal: async (
      id: string,
      name: string,
      payload: FabricJson = null,
      { idempotencyKey, actor, agent }: SignalRequestOptions = {},
    ): Promise<SignalReceipt> =>
      post(
        `sessions/${pathSegment(id)}/signal${queryText({ agent })}`,
        { name, payload, ...(actor !== undefined && { actor }) },
        idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } },
      ),
    /** Values of the session's memory that people accepted, and the proposals of its agent. */
    memory: async (id: string, agent?: string): Promise<MemoryPage> =>
      get(`sessions/${pathSegment(id)}/memory${queryText({ agent })}`),
    /** Accepts or rejects a value that the agent proposes for its memory. */
    decideMemory: async (
      id: string,
      proposalId: string,
      decision: 'accept' | 'reject',
      { agent, ...options }: MemoryDecisionOptions = {},
    ): Promise<MemoryReceipt> =>
      post(`sessions/${pathSegment(id)}/memory/${pathSegment(proposalId)}${queryText({ agent })}`, {
        decision,
        ...options,
      }),
    /**
     * Uploads a file of at most 25 MB. Name the `ref_id` of the answer in the `attachments` of an input, within a day:
     * `invoke(agent, id, { prompt, attachments: [{ ref_id }] })`.
     */
    upload: async (content: UploadContent, options: UploadOptions = {}): Promise<UploadGrant> => {
      const { filename, init } = uploadRequest(content, options)
      return readJson(await call(`files${queryText({ filename })}`, init))
    },
    /** The history of a session: what was asked, said and done, its events and its approvals. `next` of a page is the `after` of the next one. */
    timeline: async (
      agent: string,
      id: string,
      page: { readonly after?: string; readonly limit?: number } = {},
    ): Promise<TimelinePage> => get(`agents/${pathSegment(agent)}/${pathSegment(id)}${queryText({ ...page })}`),
    /** Erases the session. */
    remove: async (agent: string, id: string): Promise<void> => {
      await call(`agents/${pathSegment(agent)}/${pathSegment(id)}`, { method: 'DELETE' })
    },
    /** The agents of the server, and whether the server takes requests. */
    ready: (): Promise<Readiness> => get('ready'),
    /** Resolves while the server is alive. */
    health: (): Promise<Liveness> => get('health'),
  }
}
