import { STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import { ENVELOPES_MAX } from '@bridle/events/limits'
import type { AnyEvent } from '../../event.ts'
import type { Projection } from '../projection.ts'

/** Enough for a page that a person reads. */
const PARTICIPANTS_MAX = 100

/** Runtime and agent always participate. */
export interface Channel {
  readonly operator: boolean
  readonly tools: readonly string[]
  /** Newest events with an envelope, in order. */
  readonly recent: readonly number[]
}

const withEnvelope = (state: Channel, { seq }: { readonly seq: number }): Channel => ({
  ...state,
  // The extra entry tells a page that older ones exist.
  recent: [...state.recent.slice(-ENVELOPES_MAX), seq],
})

/** Deltas are left out: they would fill a page, and the full text has an envelope. */
const enveloped: readonly string[] = STREAM_EVENT_TYPES.filter((type) => type !== 'token')

export const hasEnvelope = ({ type, hearsay }: AnyEvent): boolean => !hearsay && enveloped.includes(type)

const withOperator = (state: Channel, event: { readonly seq: number }): Channel =>
  withEnvelope({ ...state, operator: true }, event)

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
