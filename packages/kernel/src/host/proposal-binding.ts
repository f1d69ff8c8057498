// A proposal for the memory is an artifact, and the state has only its labels. `Host.send` adds the proposed value to a decision
// that accepts one, so that the rule, which reads no log, has it.

import { isDeeperThan, type Json } from '@bridle/events/json'
import { DEPTH_MAX, SESSION_MEMORY_VALUE_CHARS_MAX } from '@bridle/events/limits'
import type { Command } from '../commands.ts'
import { readArtifactText } from '../session/reading/artifact-text.ts'
import type { Session } from '../session/session.ts'

/** A larger proposal is not read: no value of the memory has more bytes, with each character escaped. */
const PROPOSAL_BYTES_MAX = 6 * SESSION_MEMORY_VALUE_CHARS_MAX

/** Leaves any other command as it is, and a proposal that is too large for the memory unread. */
export const bindProposal = async <C extends Command>(session: Session, command: C): Promise<C> => {
  if (command.type !== 'decide_memory' || command.decision === 'reject' || command.value !== undefined) return command
  const proposal = session.state.memory.proposals.find(({ id }) => id === command.proposalId)
  if (!proposal || proposal.decision || proposal.size > PROPOSAL_BYTES_MAX) return command
  const text = await readArtifactText(session, proposal.id, proposal.seq)
  return text === null ? command : { ...command, proposed: proposedValue(proposal.contentType, text) }
}

/** JSON is the value that it stands for; any other text, also text that is no JSON after all, is a text. */
const proposedValue = (contentType: string, text: string): Json => {
  if (!/[/+]json\b/i.test(contentType)) return text
  try {
    const value: Json = JSON.parse(text)
    return isDeeperThan(value, DEPTH_MAX) ? text : value
  } catch {
    return text
  }
}
