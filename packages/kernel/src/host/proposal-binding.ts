// A proposal's value is an artifact, and rules read no log: `Host.send` adds the value to the decision.

import { isDeeperThan, type Json } from '@bridle/events/json'
import { DEPTH_MAX, SESSION_MEMORY_VALUE_CHARS_MAX } from '@bridle/events/limits'
import type { Command } from '../commands.ts'
import { readArtifactText } from '../session/reading/artifact-text.ts'
import type { Session } from '../session/session.ts'

/** Skips larger artifacts: this is the largest memory value with every character escaped. */
const PROPOSAL_BYTES_MAX = 6 * SESSION_MEMORY_VALUE_CHARS_MAX

/** Changes nothing else, and leaves oversized proposals unread. */
export const bindProposal = async <C extends Command>(session: Session, command: C): Promise<C> => {
  if (command.type !== 'decide_memory' || command.decision === 'reject' || command.value !== undefined) return command
  const proposal = session.state.memory.proposals.find(({ id }) => id === command.proposalId)
  if (!proposal || proposal.decision || proposal.size > PROPOSAL_BYTES_MAX) return command
  const text = await readArtifactText(session, proposal.id, proposal.seq)
  return text === null ? command : { ...command, proposed: proposedValue(proposal.contentType, text) }
}

/** Invalid JSON is kept as text. */
const proposedValue = (contentType: string, text: string): Json => {
  if (!/[/+]json\b/i.test(contentType)) return text
  try {
    const value: Json = JSON.parse(text)
    return isDeeperThan(value, DEPTH_MAX) ? text : value
  } catch {
    return text
  }
}
