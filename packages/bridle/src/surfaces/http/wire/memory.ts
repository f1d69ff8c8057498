// The memory of agents: accepted values, and proposals that wait for a person.
import {
  type AnswerOf,
  always,
  answer,
  anyJson,
  count,
  list,
  nullableText,
  nullableTime,
  oneOf,
  text,
  time,
} from './fields.ts'

export const acceptedValueSchema = answer(
  'AcceptedValue',
  'A value of the memory that somebody accepted, with its source.',
  {
    key: text('The key.'),
    value: anyJson('The value.'),
    expiresAt: nullableTime('The time after which the value is forgotten; null = never.'),
    proposalId: text('The proposal: the id of its artifact.'),
    runId: nullableText('The run that proposed it; null = unknown.'),
    acceptedAt: time('The time of the decision.'),
    acceptedBy: nullableText('The person who accepted it; null = not named.'),
  },
)
export type AcceptedValue = AnswerOf<typeof acceptedValueSchema>

export const proposalSchema = answer(
  'ProposalSummary',
  'A value that the agent proposes for the memory. The artifact with this id has the value.',
  {
    id: text('The id of the artifact.'),
    key: text('The key: as accepted, or else as proposed.'),
    status: oneOf(['pending', 'accepted', 'rejected'], 'The decision, or `pending`.'),
    contentType: text('The content type of the artifact. JSON is the value itself; other text is stored as a string.'),
    size: count('The size of the artifact in bytes.'),
    reason: nullableText('The reason that the agent gave; null = none.'),
    runId: nullableText('The run that proposed it; null = unknown.'),
    proposedAt: time('The time of the proposal.'),
    decidedAt: nullableTime('The time of the decision; null = not yet.'),
    decidedBy: nullableText('The person who decided; null = nobody, or not named.'),
    decisionReason: nullableText('The reason that the person gave; null = none.'),
  },
)
export type ProposalSummary = AnswerOf<typeof proposalSchema>

export const memoryPageSchema = answer(
  'MemoryPage',
  'The memory of a session, as far as people decided about it. Values that an agent keeps by itself are not included.',
  {
    memory: list(acceptedValueSchema, 'Values that somebody accepted.'),
    proposals: list(proposalSchema, 'The newest proposals, newest first.'),
  },
)
export type MemoryPage = AnswerOf<typeof memoryPageSchema>

export const memoryReceiptSchema = answer('MemoryReceipt', 'The answer to a decision about a proposal.', {
  ok: always(true, 'Always true: a refused decision is an error.'),
  proposalId: text('The proposal: the id of its artifact.'),
  decision: oneOf(['accepted', 'rejected'], 'The decision.'),
  key: text('The key of the value.'),
  seq: count("The number of the session's newest event after the decision."),
})
export type MemoryReceipt = AnswerOf<typeof memoryReceiptSchema>
