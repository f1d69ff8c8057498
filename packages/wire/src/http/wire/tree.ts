import { SESSION_STATUSES } from '@bridle/events/schemas'
import * as f from './fields.ts'

const treeSessionSchema = f.answer('TreeSession', 'A session of a tree.', {
  id: f.text("The session's id."),
  agent: f.text("The session's agent."),
  visible: f.flag(
    'False = a gap: the tree names the session, but it cannot be opened. All other facts about it are null.',
  ),
  gap: f.optional(
    f.oneOf(
      ['removed', 'unavailable'],
      "The reason of a gap. `unavailable` = removed or another user's; the credential cannot learn which.",
    ),
  ),
  parent: f.nullable(
    f.object(
      { id: f.text("The parent's id."), seq: f.count('The number of the last event that both have.') },
      'The session that it branches from; null = none.',
    ),
  ),
  title: f.nullableText('The title.'),
  status: f.nullable(f.oneOf(SESSION_STATUSES, 'The status.')),
  head: f.nullable(f.count('The number of its last event.')),
  created_at: f.nullableTime('The time of its start.'),
  updated_at: f.nullableTime('The time of its last change.'),
  cost_usd: f.nullable(f.amount("The cost since the session began, without its parent's; null = unknown.")),
  tokens: f.nullable(f.count("The tokens since the session began, without its parent's.")),
  checkpoints: f.nullable(
    f.list(f.wholeNumber, 'The newest numbers of its own checkpoints; null = the answer leaves them out.'),
  ),
  approvals: f.nullable(
    f.list(f.wholeNumber, 'The newest numbers of its own requests for approvals; null = the answer leaves them out.'),
  ),
})
export type TreeSession = f.AnswerOf<typeof treeSessionSchema>

export const sessionTreeSchema = f.answer('SessionTree', 'The tree of branches that a session belongs to.', {
  root: f.text('The id of the session that the tree begins with.'),
  sessions: f.list(treeSessionSchema, 'The sessions, each parent before its branches.'),
  truncated: f.flag('True = the tree has more sessions than an answer.'),
})
export type SessionTree = f.AnswerOf<typeof sessionTreeSchema>
