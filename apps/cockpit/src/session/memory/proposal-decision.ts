// The fields that go with an accepted proposal: only those that a person changed.
import type { MemoryDecisionOptions, ProposalSummary } from 'bridle/client'

interface EditedProposal {
  readonly proposal: Pick<ProposalSummary, 'key' | 'contentType'>
  /** The text of the proposal, and the text in the field. */
  readonly proposed: string
  readonly key: string
  readonly value: string
}

export const decisionOf = ({
  proposal,
  proposed,
  key,
  value,
}: EditedProposal): Pick<MemoryDecisionOptions, 'key' | 'value'> => ({
  ...(key !== proposal.key && { key }),
  ...(value !== proposed && { value: /json/i.test(proposal.contentType) ? jsonOr(value) : value }),
})

/** Text that is no JSON is meant as text. */
const jsonOr = (text: string): NonNullable<MemoryDecisionOptions['value']> => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
