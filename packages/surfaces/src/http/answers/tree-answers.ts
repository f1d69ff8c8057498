import { sessionTreeSchema } from '@bridle/wire/http/wire/tree'
import { jsonAnswer } from './answer-schema.ts'

const BEGUN = '2026-11-16T09:00:00.000Z'
const CHANGED = '2026-11-16T09:04:00.000Z'

export const sessionTreeAnswer = jsonAnswer(
  '`{ root, sessions, truncated }`: parents come before their branches. A session that is gone is there as a gap.',
  sessionTreeSchema,
  {
    root: 'bg-7f3a91c2',
    sessions: [
      {
        ...{ id: 'bg-7f3a91c2', agent: 'claude', visible: true, parent: null },
        ...{ title: 'Migrate retry budget', status: 'awaiting_approval', head: 118 },
        ...{ created_at: BEGUN, updated_at: CHANGED, cost_usd: 1.71, tokens: 142_000 },
        ...{ checkpoints: [30, 52, 84], approvals: [41, 104] },
      },
      {
        ...{ id: 'bg-b20d64e1', agent: 'claude', visible: true, parent: { id: 'bg-7f3a91c2', seq: 52 } },
        ...{ title: 'Budget by deadline', status: 'completed', head: 109 },
        ...{ created_at: BEGUN, updated_at: CHANGED, cost_usd: 0.69, tokens: 61_000 },
        ...{ checkpoints: [71, 92], approvals: [] },
      },
    ],
    truncated: false,
  },
)
