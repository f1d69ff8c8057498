// The calls that are more than one request with JSON: runs, streams and files. `calls.generated.ts` has all others.
import type { AcceptedRun, AgentEvent, InvokeResult } from '@bridle/wire/fabric/wire'
import type { HealthEnvelope, StreamEnvelope } from '@bridle/wire/frontend/wire'
import type { ApprovalPage, ApprovalsByStatus, ImportReceipt, UploadGrant } from '@bridle/wire/http/wire'
import { FabricError } from '../http/error.ts'
import { type UploadContent, type UploadOptions, uploadRequest } from '../http/upload.ts'
import { routeCalls } from './calls.generated.ts'
import { type EventFeedOptions, eventFeed } from './event-feed.ts'
import type { ApprovalFilter, EnvelopeFeedOptions, FabricJson, InvokeOptions } from './request-options.ts'
import {
  eventStreamOf,
  type FabricClientOptions,
  keyHeader,
  pathSegment,
  queryText,
  readJson,
  requestsTo,
} from './requests.ts'

export type FabricCalls = ReturnType<typeof fabricCalls>

export const fabricCalls = (options: FabricClientOptions) => {
  const requests = requestsTo(options)
  const { call, get, post } = requests
  const single = routeCalls(requests)

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
      headers: { ...keyHeader(options.idempotencyKey), ...(options.async && { prefer: 'respond-async' }) },
      ...(options.signal && { signal: options.signal }),
    })
  }

  const feed = <T>(path: string, query: object, { replay, ...feedOptions }: EventFeedOptions) =>
    eventFeed<T>(async (cursor, signal) => {
      const headers: Record<string, string> = cursor === null ? {} : { 'last-event-id': cursor }
      const address = path + queryText({ ...query, replay: cursor === null ? replay : undefined })
      return eventStreamOf(await call(address, { headers, signal }))
    }, feedOptions)

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
    yield* feed<AgentEvent>(path, {}, now === undefined ? options : { ...options, after: now })
  }

  const headOf = (agent: string | null, id: string): Promise<string> =>
    single.session(id, agent ?? undefined).then(
      ({ lastEventId }) => lastEventId,
      (error: unknown) => {
        if (agent !== null && error instanceof FabricError && error.status === 404) return '0'
        throw error
      },
    )

  return {
    ...single,
    /** The address of the server. */
    url: options.url,
    /** Runs an agent in a session: the answer of the run, or with `async` its id. A caller that leaves does not stop the run. */
    invoke,
    /** A session's events, live and across reconnects. With an agent the session need not exist yet; by its id alone it must. */
    events,
    /** The envelopes of a session, live and across reconnects. */
    envelopes: (id: string, { tier, omit, agent, ...feedOptions }: EnvelopeFeedOptions = {}) =>
      feed<StreamEnvelope>(
        `sessions/${pathSegment(id)}/events/stream`,
        { tier, omit: omit?.length ? omit.join(',') : undefined, agent },
        feedOptions,
      ),
    /** The health of a session, each time it changes. */
    healthFeed: (id: string, { agent, ...feedOptions }: EventFeedOptions & { readonly agent?: string } = {}) =>
      feed<HealthEnvelope>(`sessions/${pathSegment(id)}/health/stream`, { agent }, feedOptions),
    /** A page of approvals of all sessions: those that wait, or by `status` those that were settled. */
    approvals: <S extends 'pending' | 'decided' | 'all' = 'pending'>(
      filter: ApprovalFilter<S> = {},
    ): Promise<ApprovalPage<ApprovalsByStatus[S]>> => get('approvals', { status: 'pending', ...filter }),
    /**
     * Uploads a file of at most 25 MB. Name the `ref_id` of the answer in the `attachments` of an input, within a day:
     * `invoke(agent, id, { prompt, attachments: [{ ref_id }] })`.
     */
    upload: async (content: UploadContent, options: UploadOptions = {}): Promise<UploadGrant> => {
      const { filename, init } = uploadRequest(content, options)
      return readJson(await call(`files${queryText({ filename })}`, init))
    },
    /** Imports the sessions of a file. `rename` gives another id to those whose id is taken; `check` writes nothing. */
    importSessions: async (
      file: string | Blob,
      { rename, check }: { readonly rename?: boolean; readonly check?: boolean } = {},
    ): Promise<ImportReceipt> => {
      const headers = { 'content-type': 'application/x-ndjson' }
      return readJson(await call(`import${queryText({ rename, check })}`, { method: 'POST', headers, body: file }))
    },
    /** Any route: for pages that show every one of them. */
    request: call,
  }
}
