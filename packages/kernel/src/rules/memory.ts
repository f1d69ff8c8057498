import { canonicalJson, type Json } from '@bridle/events/json'
import {
  SESSION_MEMORY_KEY_CHARS_MAX,
  SESSION_MEMORY_KEYS_MAX,
  SESSION_MEMORY_VALUE_CHARS_MAX,
  TIME_MAX,
} from '@bridle/events/limits'
import { type Answers, type MemoryDecisionCommand, type Refusal, type ReportItem, refuse } from '../commands.ts'
import { isRemembered, type MemoryDecision, type MemoryProposal } from '../projections/memory.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { reasonAndActor } from './reason-and-actor.ts'

/** Drops oversized values and excess keys. The agent has already received the error. */
export const setMemory = (w: DecisionBuilder, { key, value, ttlMs }: ReportItem & { type: 'memory' }): void => {
  if (memoryProblem(w, key, value)) return
  w.addToRun('memory_set', { key, value, expires_at: expiryOf(w, value, ttlMs) })
}

/** Value and decision share one append. Allowed after the end of a session: its branches inherit the memory. */
export const decideMemory = (
  w: DecisionBuilder,
  command: MemoryDecisionCommand,
): Answers['decide_memory'] | Refusal => {
  const proposal = w.state.memory.proposals.find(({ id }) => id === command.proposalId)
  if (!proposal) return refuse('proposal_not_found')
  const { id: proposalId, runId } = proposal
  const decision = command.decision === 'accept' ? 'accepted' : 'rejected'
  const key = command.key ?? proposal.key
  if (proposal.decision) {
    const { decision: earlier, key: earlierKey } = proposal.decision
    return isSameDecision(w, proposal, proposal.decision, command)
      ? { proposalId, decision, key: earlierKey }
      : refuse('proposal_decided', `The proposal was ${earlier} already.`)
  }
  const fields = { proposal_id: proposalId, ...(runId !== null && { run_id: runId }) }
  const value = command.value === undefined ? command.proposed : command.value
  if (decision === 'accepted') {
    if (value === undefined) return refuse('too_large', TOO_LARGE)
    const problem = memoryProblem(w, key, value)
    if (problem) return problem
  }
  w.add('memory_decided', { ...fields, decision, key, ...reasonAndActor(command) })
  if (decision === 'accepted' && value !== undefined)
    w.add('memory_set', {
      ...{ key, value, expires_at: expiryOf(w, value, command.ttlMs ?? null), ...fields },
      ...(command.actor !== undefined && { actor: command.actor }),
    })
  return { proposalId, decision, key }
}

/** A repeated decision is accepted, but not one with another key or value. */
const isSameDecision = (
  w: DecisionBuilder,
  { id }: MemoryProposal,
  earlier: MemoryDecision,
  { decision, key, value }: MemoryDecisionCommand,
): boolean => {
  if (earlier.decision !== (decision === 'accept' ? 'accepted' : 'rejected')) return false
  if (key !== undefined && key !== earlier.key) return false
  if (value === undefined) return true
  const entry = Object.hasOwn(w.state.memory.entries, earlier.key) ? w.state.memory.entries[earlier.key] : undefined
  return entry?.source.proposalId === id && canonicalJson(entry.value) === canonicalJson(value)
}

const memoryProblem = (w: DecisionBuilder, key: string, value: Json): Refusal | null => {
  if (value === null) return null
  if (key === '' || key.length > SESSION_MEMORY_KEY_CHARS_MAX) return refuse('too_large', BAD_KEY)
  if (JSON.stringify(value).length > SESSION_MEMORY_VALUE_CHARS_MAX) return refuse('too_large', TOO_LARGE)
  const kept = Object.entries(w.state.memory.entries).filter(
    ([name, entry]) => name !== key && isRemembered(entry, w.now),
  )
  return kept.length >= SESSION_MEMORY_KEYS_MAX ? refuse('memory_full') : null
}

const TOO_LARGE = `The value has more than ${SESSION_MEMORY_VALUE_CHARS_MAX} characters as JSON. Accept it with a shorter \`value\`.`
const BAD_KEY = `A key of the memory has 1 to ${SESSION_MEMORY_KEY_CHARS_MAX} characters. Accept the proposal with another \`key\`.`

const expiryOf = (w: DecisionBuilder, value: Json, ttlMs: number | null): number | null =>
  ttlMs === null || value === null ? null : Math.min(Math.ceil(w.now + ttlMs), TIME_MAX)
