// The channel, as a cold fold: sequence numbers and small labels; payloads are read from the log on request.
import { STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import { ENVELOPES_MAX } from '@bridle/events/limits'
import type { AnyEvent } from '../../event.ts'
import type { Projection } from '../projection.ts'

/** Tools among the participants of a channel: a page that a person reads. */
const PARTICIPANTS_MAX = 100

/** The participants besides the runtime and the agent, and the events that the channel shows. */
export interface Channel {
  readonly operator: boolean
  readonly tools: readonly string[]
  /** The newest events with an envelope, in order. */
  readonly recent: readonly number[]
}

const withEnvelope = (state: Channel, { seq }: { readonly seq: number }): Channel => ({
  ...state,
  // The list has one more than a page shows, so that the page knows whether there are earlier ones.
  recent: [...state.recent.slice(-ENVELOPES_MAX), seq],
})

/** Text deltas have no envelope: the whole text has one, and a page of deltas would show nothing else. */
const enveloped: readonly string[] = STREAM_EVENT_TYPES.filter((type) => type !== 'token')

export const hasEnvelope = ({ type, hearsay }: AnyEvent): boolean => !hearsay && enveloped.includes(type)

const withOperator = (state: Channel, event: { readonly seq: number }): Channel =>
  withEnvelope({ ...state, operator: true }, event)

/** Events that ask an operator, or that an operator caused. */
const operatorActs = [
  'approval_required',
  'session_resumed',
  'session_archived',
  'session_unarchived',
  'session_renamed',
  'cancel_requested',
  'policy_set',
  'signal_received',
  'memory_decided',
  'branched',
  'session_imported',
] as const

export const channel: Projection<Channel> = {
  initial: { operator: false, tools: [], recent: [] },
  on: {
    ...(Object.fromEntries(enveloped.map((type) => [type, withEnvelope])) as Projection<Channel>['on']),
    tool_call: (state, event) => {
      const { name } = event.payload
      const isKnown = state.tools.includes(name) || state.tools.length >= PARTICIPANTS_MAX
      return withEnvelope(isKnown ? state : { ...state, tools: [...state.tools, name] }, event)
    },
    ...(Object.fromEntries(operatorActs.map((type) => [type, withOperator])) as Projection<Channel>['on']),
    session_paused: (state, event) =>
      event.payload.operator ? withOperator(state, event) : withEnvelope(state, event),
  },
}
