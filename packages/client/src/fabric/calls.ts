// Calls beyond a single JSON request: runs, streams and files. The others are in `calls.generated.ts`.
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

  async function* events(
    agent: string | null,
    id: string,
    options: EventFeedOptions = {},
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const path =
      agent === null ? `sessions/${pathSegment(id)}/events` : `agents/${pathSegment(agent)}/${pathSegment(id)}/stream`
    // Resolve "from now on" to a position. Without a cursor, a reconnect would skip events.
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
    /** Base URL of the server. */
    url: options.url,
    /** Runs an agent in a session and returns its answer, or with `async` its id. Disconnecting does not stop the run. */
    invoke,
    /** Streams a session's events and reconnects automatically. Without an agent, the session must exist. */
    events,
    /** Streams a session's envelopes and reconnects automatically. */
    envelopes: (id: string, { tier, omit, agent, ...feedOptions }: EnvelopeFeedOptions = {}) =>
      feed<StreamEnvelope>(
        `sessions/${pathSegment(id)}/events/stream`,
        { tier, omit: omit?.length ? omit.join(',') : undefined, agent },
        feedOptions,
      ),
    /** Streams a session's health on every change. */
    healthFeed: (id: string, { agent, ...feedOptions }: EventFeedOptions & { readonly agent?: string } = {}) =>
      feed<HealthEnvelope>(`sessions/${pathSegment(id)}/health/stream`, { agent }, feedOptions),
    /** Lists approvals of all sessions: pending ones, or by `status` settled ones. */
    approvals: <S extends 'pending' | 'decided' | 'all' = 'pending'>(
      filter: ApprovalFilter<S> = {},
    ): Promise<ApprovalPage<ApprovalsByStatus[S]>> => get('approvals', { status: 'pending', ...filter }),
    /** Uploads a file of up to 25 MB. Use it within a day: `invoke(agent, id, { prompt, attachments: [{ ref_id }] })`. */
    upload: async (content: UploadContent, options: UploadOptions = {}): Promise<UploadGrant> => {
      const { filename, init } = uploadRequest(content, options)
      return readJson(await call(`files${queryText({ filename })}`, init))
    },
    /** Imports sessions from an export. `rename` assigns new ids to sessions whose id is taken; `check` is a dry run. */
    importSessions: async (
      file: string | Blob,
      { rename, check }: { readonly rename?: boolean; readonly check?: boolean } = {},
    ): Promise<ImportReceipt> => {
      const headers = { 'content-type': 'application/x-ndjson' }
      return readJson(await call(`import${queryText({ rename, check })}`, { method: 'POST', headers, body: file }))
    },
    /** Sends a raw request to any route. */
    request: call,
  }
}
