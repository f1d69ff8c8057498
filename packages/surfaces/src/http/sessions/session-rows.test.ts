import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import { emptyState } from '@bridle/kernel/projections/state'
import { listedCounts } from '@bridle/kernel/views/listed-counts'
import { sessionRowSchema } from '@bridle/wire/http/wire/session-list'
import { expect, test } from 'vitest'
import { sessionRow } from './session-rows.ts'

const rowWith = (detail: DirectoryRow['detail']) =>
  sessionRow(
    {
      key: { tenant: 't', agent: 'a', id: 's' },
      head: 3,
      row: {
        ...{ kind: 'chat', status: 'idle', title: 'x', createdAt: 0, updatedAt: 0, parent: null, approvals: [] },
        detail,
      },
    },
    { engine: 'native', runnerKind: 'in_process' },
  )

test('[F50] a row that an older version wrote, or a damaged one, lacks what it did not know', () => {
  expect(rowWith({})).toMatchObject({ usage: null, step: null, model: null, retry_at: null, messages: 0 })
  const step = { index: 1, total: null, title: 'First', status: 'running' }
  const usage = { total_tokens: 3, cost_usd: null }
  expect(rowWith({ usage, step, model: 'm', retryAt: 0, messages: 2 })).toMatchObject({
    ...{ usage, step, model: 'm', retry_at: '1970-01-01T00:00:00.000Z', messages: 2 },
  })
})

test('[H20] a row of a list has every count of a session, and the schema describes each', () => {
  const counts = Object.keys(listedCounts(emptyState))
  expect(counts).not.toEqual([])
  expect(counts.filter((count) => !Object.hasOwn(rowWith({}), count))).toEqual([])
  // `sessionRowSchema` needs a line for each name that is listed here.
  expect(counts.filter((count) => !Object.hasOwn(sessionRowSchema.entries, count))).toEqual([])
})
