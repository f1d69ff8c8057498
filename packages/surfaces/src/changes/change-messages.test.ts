// The messages between two rows of a session.

import type { DirectoryRow, OpenApproval, SettledListing } from '@bridle/kernel/ports/directory'
import { expect, test } from 'vitest'
import { changeMessages, listingText } from './change-messages.ts'

const key = { tenant: 't', agent: 'scripted', id: 's' }
const identity = { engine: 'scripted', runnerKind: 'in_process' } as const
const approval = (id: string): OpenApproval => ({
  ...{ id, tool: `tool-${id}`, reason: '', requestedAt: 0, expiresAt: null },
})
const settled = (id: string, seq: number, decision = 'approved'): SettledListing => ({
  ...{ ...approval(id), seq, decision, decidedAt: seq * 1_000, decidedBy: 'ann', decisionReason: null },
  isEdited: false,
})
const rowOf = (open: readonly string[], closed: readonly SettledListing[] = []): DirectoryRow => ({
  ...{ kind: 'chat', status: 'running', title: 's', createdAt: 0, updatedAt: 0, parent: null, detail: {} },
  approvals: open.map(approval),
  ...(closed.length > 0 && { settled: closed }),
})
const changeOf = (row: DirectoryRow | null) => ({ key, owner: null, head: 9, incarnation: 1, row, before: null })

/** The approvals that open and close between two rows. */
const linesOf = (known: DirectoryRow | null, row: DirectoryRow) =>
  changeMessages(changeOf(row), known, identity).flatMap((message) => {
    if (message.type === 'approval') return [`opens ${message.approval.id}`]
    return message.type === 'approval_closed' ? [`closes ${message.id} ${message.status} ${message.decidedBy}`] : []
  })

test('[F53] approvals that are new open, those that are gone close, and those that stay are not repeated', () => {
  expect(linesOf(null, rowOf(['a', 'b']))).toEqual(['opens a', 'opens b'])
  expect(linesOf(rowOf(['a', 'b', 'c']), rowOf(['b', 'd'], [settled('a', 5), settled('c', 6, 'expired')]))).toEqual([
    'opens d',
    'closes a approved ann',
    'closes c expired ann',
  ])
  // The row has the newest settled approvals only, and none that another question replaced.
  expect(linesOf(rowOf(['a']), rowOf([]))).toEqual(['closes a cancelled null'])
})

test('[F55] an approval that opened and closed between two rows closes: a list that was loaded in between shows it', () => {
  const known = rowOf(['a'], [settled('x', 3)])
  const row = rowOf(['a'], [settled('x', 3), settled('y', 5), settled('z', 7, 'denied')])
  expect(linesOf(known, row)).toEqual(['closes y approved ann', 'closes z denied ann'])
  expect(linesOf(row, row)).toEqual([])
  expect(linesOf(null, rowOf([], [settled('y', 5)]))).toEqual(['closes y approved ann'])
})

test('[F55] rows look different where another approval waits, also when as many wait as before', () => {
  const [one, other] = [rowOf(['a', 'b']), rowOf(['a', 'c'])]
  expect(listingText(changeOf(one))).not.toBe(listingText(changeOf(other)))
  expect(listingText(changeOf(one))).toBe(listingText(changeOf({ ...one, updatedAt: 5 })))
})
