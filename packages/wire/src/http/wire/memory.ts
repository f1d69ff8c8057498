import * as f from './fields.ts'

export const acceptedValueSchema = f.answer('AcceptedValue', 'A value of the memory, with its source.', {
  key: f.text('The key.'),
  value: f.anyJson('The value.'),
  expiresAt: f.nullableTime('The time after which the value is forgotten; null = never.'),
  proposalId: f.text('The proposal: the id of its artifact.'),
  runId: f.nullableText('The run that proposed it; null = unknown.'),
  acceptedAt: f.time('The time of the decision.'),
  acceptedBy: f.nullableText('The person who accepted it; null = not named.'),
})
export type AcceptedValue = f.AnswerOf<typeof acceptedValueSchema>

export const proposalSchema = f.answer(
  'ProposalSummary',
  'A proposed value for the memory. Its artifact has the value.',
  {
    id: f.text('The id of the artifact.'),
    key: f.text('The key: as accepted, or else as proposed.'),
    status: f.oneOf(['pending', 'accepted', 'rejected'], 'The decision, or `pending`.'),
    contentType: f.text(
      'The content type of the artifact. JSON is the value itself; other text is stored as a string.',
    ),
    size: f.count('The size of the artifact in bytes.'),
    reason: f.nullableText('The reason that the agent gave; null = none.'),
    runId: f.nullableText('The run that proposed it; null = unknown.'),
    proposedAt: f.time('The time of the proposal.'),
    decidedAt: f.nullableTime('The time of the decision; null = not yet.'),
    decidedBy: f.nullableText('The person who decided; null = no person, or no name.'),
    decisionReason: f.nullableText('The reason that the person gave; null = none.'),
  },
)
export type ProposalSummary = f.AnswerOf<typeof proposalSchema>

export const memoryPageSchema = f.answer('MemoryPage', 'The part of the memory that people decided about.', {
  memory: f.list(acceptedValueSchema, 'Accepted values.'),
  proposals: f.list(proposalSchema, 'The newest proposals, newest first.'),
})
export type MemoryPage = f.AnswerOf<typeof memoryPageSchema>

export const memoryReceiptSchema = f.answer('MemoryReceipt', 'The answer to a decision about a proposal.', {
  ok: f.always(true, 'Always true: a refused decision is an error.'),
  proposalId: f.text('The proposal: the id of its artifact.'),
  decision: f.oneOf(['accepted', 'rejected'], 'The decision.'),
  key: f.text('The key of the value.'),
  seq: f.count("The number of the session's newest event after the decision."),
})
export type MemoryReceipt = f.AnswerOf<typeof memoryReceiptSchema>
