import { type Json, omit } from '@bridle/events/json'
import type { Event } from '../event.ts'
import { artifactOf } from './indexes/artifacts.ts'
import type { Projection } from './projection.ts'

/** As many as memory keys. Every snapshot has their labels. */
export const MEMORY_PROPOSALS_MAX = 256

export interface Memory {
  readonly entries: MemoryEntries
  /** Entries changed in the current run, as they were before it. Null: absent. */
  readonly before: { readonly [key: string]: MemoryEntry | null }
  /** A queued run that continues its parent's turn, whose changes count as its own. */
  readonly continuing: string | null
  readonly proposals: readonly MemoryProposal[]
}

export interface MemoryEntries {
  readonly [key: string]: MemoryEntry
}

export interface MemoryEntry {
  readonly value: Json
  readonly expiresAt: number | null
  readonly source: MemorySource
}

/** A run alone, or a proposal that a person accepted. */
export interface MemorySource {
  readonly at: number
  readonly runId: string | null
  /** Null if the agent stored it without a proposal. */
  readonly proposalId: string | null
  readonly actor: string | null
}

export interface MemoryProposal {
  readonly id: string
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly reason: string | null
  readonly seq: number
  readonly at: number
  readonly runId: string | null
  readonly decision: MemoryDecision | null
}

export interface MemoryDecision {
  readonly decision: 'accepted' | 'rejected'
  readonly key: string
  readonly at: number
  readonly actor: string | null
  readonly reason: string | null
}

export const MEMORY_PROPOSAL = 'memory_proposal'

export const memory: Projection<Memory> = {
  initial: { entries: {}, before: {}, continuing: null, proposals: [] },
  on: {
    memory_set: (state, event) => {
      const { key, value } = event.payload
      return {
        ...state,
        entries: value === null ? omit(state.entries, key) : { ...state.entries, [key]: entryOf(event) },
        before: Object.hasOwn(state.before, key)
          ? state.before
          : { ...state.before, [key]: Object.hasOwn(state.entries, key) ? (state.entries[key] ?? null) : null },
      }
    },
    prompt_queued: (state, { payload: { run_id, continues_run } }) =>
      continues_run === undefined ? state : { ...state, continuing: run_id },
    run_requested: (state, { payload: { run_id, continues } }) =>
      continues !== undefined || run_id === state.continuing || Object.keys(state.before).length === 0
        ? state
        : { ...state, before: {} },
    artifact_published: (state, event) =>
      event.payload.kind === MEMORY_PROPOSAL
        ? { ...state, proposals: [...withRoom(state.proposals), proposalOf(event)] }
        : state,
    memory_decided: (state, { at, payload: { proposal_id, decision, key, actor, reason } }) => ({
      ...state,
      proposals: state.proposals.map((each) =>
        each.id === proposal_id
          ? { ...each, decision: { decision, key, at, actor: actor ?? null, reason: reason ?? null } }
          : each,
      ),
    }),
  },
}

const entryOf = ({ at, run, payload }: Event<'memory_set'>): MemoryEntry => ({
  value: payload.value,
  expiresAt: payload.expires_at,
  source: {
    at,
    runId: run ?? payload.run_id ?? null,
    proposalId: payload.proposal_id ?? null,
    actor: payload.actor ?? null,
  },
})

const proposalOf = (event: Event<'artifact_published'>): MemoryProposal => {
  const { id, name: key, contentType, size, seq, at } = artifactOf(event)
  const { reason = null } = event.payload
  return { id, key, contentType, size, reason, seq, at, runId: event.run ?? null, decision: null }
}

/** Replaces the oldest decided proposal if the list is full, or else the oldest. */
const withRoom = (proposals: readonly MemoryProposal[]): readonly MemoryProposal[] => {
  if (proposals.length < MEMORY_PROPOSALS_MAX) return proposals
  const decided = proposals.findIndex(({ decision }) => decision !== null)
  return proposals.toSpliced(Math.max(0, decided), 1)
}

export const memoryBeforeRun = ({ entries, before }: Memory): MemoryEntries =>
  Object.fromEntries(Object.entries({ ...entries, ...before }).flatMap(([key, entry]) => (entry ? [[key, entry]] : [])))

export const isRemembered = ({ expiresAt }: Pick<MemoryEntry, 'expiresAt'>, now: number): boolean =>
  expiresAt === null || now < expiresAt
