// Server-sent events: the Fabric stream, and the stream of the frontend contract.
import { reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState } from '@bridle/client/frontend/state'
import { collectFrames, type SseFrame } from '@bridle/surfaces/http/test-client.suite'
import { agentApprovals, agentTexts } from './agent-events.ts'
import { type EventBody, EventRecord, seqOf, WireClient, type WireEvent } from './wire-client.ts'

abstract class StreamClient extends WireClient {
  protected readonly record = new EventRecord(this.faults)
  protected abstract path(): string
  /** The meaning of a frame: an event of the log, a reset, or nothing. */
  protected abstract read(frame: SseFrame): WireEvent | 'reset' | null

  get seq(): number {
    return this.record.seq
  }

  get events(): readonly WireEvent[] {
    return this.record.events
  }

  protected async connect(hangUp: (end: () => void) => void): Promise<void> {
    const leave = new AbortController()
    hangUp(() => leave.abort())
    const { cursor } = this.record
    const headers = { 'x-fabric-tenant': this.place.tenant, ...(cursor !== null && { 'last-event-id': cursor }) }
    const response = await fetch(`${this.place.url()}${this.path()}`, { headers, signal: leave.signal })
    if (!response.ok) {
      await response.body?.cancel()
      return
    }
    await collectFrames<SseFrame>(response, [], (frames) => {
      const event = this.read(frames.at(-1) as SseFrame)
      if (event === 'reset') this.record.reset()
      else if (event !== null) this.record.add(event)
      return false
    })
  }
}

export class FabricStreamClient extends StreamClient {
  readonly wire = 'Fabric SSE'
  protected path = () => `/agents/${this.place.agent}/${this.place.id}/stream`

  protected read({ id, data, raw }: SseFrame): WireEvent | 'reset' | null {
    if (data.type === 'reset') return 'reset'
    return id === null ? null : eventOf(id, data, raw)
  }

  texts = () => agentTexts(this.events)
  approvals = () => agentApprovals(this.events)
}

export class FrontendStreamClient extends StreamClient {
  readonly wire = 'frontend SSE'
  protected path = () => `/sessions/${this.place.id}/events/stream`

  protected read({ id, data, raw }: SseFrame): WireEvent | 'reset' | null {
    if (id !== null) return eventOf(id, data, raw)
    return (data as EventBody).payload?.reset === true ? 'reset' : null
  }

  texts(): string[] {
    let state = emptyFrontendState
    for (const { body } of this.events) state = reduceFrontend(state, body as never)
    return state.turns.map(({ text }) => text)
  }

  approvals = () =>
    this.events.flatMap(({ type, body }) => (type === 'approval_required' ? String(body.payload?.request_id) : []))
}

const eventOf = (cursor: string, body: SseFrame['data'], raw: string): WireEvent => ({
  seq: seqOf(cursor),
  cursor,
  type: body.type,
  raw: dataOf(raw),
  body: body as EventBody,
})

const dataOf = (raw: string): string => /^data: (.*)$/m.exec(raw)?.[1] ?? ''
