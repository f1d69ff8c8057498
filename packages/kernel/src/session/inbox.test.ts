import { expect, test } from 'vitest'
import { type Command, isRefusal } from '../commands.ts'
import type { Key } from '../event.ts'
import { emptyState, type SessionState } from '../projections/state.ts'
import { decide } from '../rules/decide.ts'
import { type BatchItem, decideBatch } from './inbox.ts'

const key: Key = { tenant: 't', agent: 'a', id: 's1' }
const submit = (prompt: string): Command => ({ type: 'submit', prompt })
const item = (prompt: string, id: BatchItem['id']): BatchItem => ({ command: submit(prompt), id })
const decideNow = (state: SessionState, command: Command) => decide(key, state, command, 1_000)

test('[OH133] a command with two ids takes both or none', async () => {
  const both = { commandId: 'one', bodyHash: 'a', also: { commandId: 'two', bodyHash: 'b' } }
  const batch = [
    item('first', both),
    item('again', both),
    item('other body of the first', { ...both, bodyHash: 'x' }),
    item('other body of the second', { commandId: 'three', bodyHash: 'c', also: { commandId: 'two', bodyHash: 'x' } }),
    item('the second alone', { commandId: 'two', bodyHash: 'b' }),
    item('the third', { commandId: 'three', bodyHash: 'c' }),
  ]
  const { outcomes, results, events } = await decideBatch(batch, emptyState, decideNow, async () => null)
  const runs = outcomes.map((outcome) => (isRefusal(outcome) ? outcome.refused : 'runId' in outcome && outcome.runId))
  expect(runs).toEqual(['r-2', 'r-2', 'command_conflict', 'command_conflict', 'r-2', expect.stringMatching(/^r-/)])
  expect(results.map(({ commandId, bodyHash }) => [commandId, bodyHash])).toEqual([
    ['one', 'a'],
    ['two', 'b'],
    ['three', 'c'],
  ])
  expect(events.filter(({ type }) => type === 'prompt_queued')).toHaveLength(2)
})

test('[OH12] a command whose hash an earlier version made in another way is the same command', async () => {
  const batch = [
    item('first', { commandId: 'one', bodyHash: 'old' }),
    item('again', { commandId: 'one', bodyHash: 'new', olderHash: 'old' }),
    item('another', { commandId: 'one', bodyHash: 'new', olderHash: 'other' }),
  ]
  const { outcomes } = await decideBatch(batch, emptyState, decideNow, async () => null)
  const runs = outcomes.map((outcome) => (isRefusal(outcome) ? outcome.refused : 'runId' in outcome && outcome.runId))
  expect(runs).toEqual(['r-2', 'r-2', 'command_conflict'])
})
