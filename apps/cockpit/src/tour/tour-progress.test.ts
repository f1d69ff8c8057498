import type { HarnessMessage } from 'bridle/client'
import { expect, test } from 'vitest'
import { passedStops, tourFamily } from './tour-progress.ts'
import { tourBranchPrompt, tourPrompt } from './tour-script.ts'

const answer = (more: Partial<HarnessMessage>): HarnessMessage => ({
  id: 'm2',
  role: 'assistant',
  content: '',
  status: 'streaming',
  ...more,
})
const detail = { messages: [], checkpoints: [], approvals: [], branch_source_event_id: null }
const none = { detail, hasSeenHealth: false, hasBranch: false }

test('a stop is passed when the session shows it', () => {
  expect([...passedStops(none)]).toEqual([])
  const pending = {
    id: 'c',
    name: 'edit_file',
    status: 'running' as const,
    approval: { id: 'a', status: 'pending' as const },
  }
  const messages = [answer({ content: 'Hi', toolCalls: [pending] })]
  expect([...passedStops({ ...none, detail: { ...detail, messages } })]).toEqual(['stream'])
  const done = { ...pending, outcome: 'ok' as const, approval: { id: 'a', status: 'approved' as const } }
  expect([
    ...passedStops({
      detail: { ...detail, messages: [answer({ content: 'Hi', toolCalls: [done] })] },
      hasSeenHealth: true,
      hasBranch: true,
    }),
  ]).toEqual(['stream', 'tool', 'approval', 'health', 'branch'])
})

test('a branch has everything behind it but health, so that the tour comes to an end', () => {
  const messages = [answer({ content: 'Hi' })]
  const branched = { ...detail, messages, branch_source_event_id: 'ev-81' }
  expect([...passedStops({ ...none, detail: branched })]).toEqual(['stream', 'approval', 'branch'])
})

test('each step of the plan has an id, so that its end closes it', () => {
  const events = (
    JSON.parse(tourPrompt.replace('@script ', '')) as { event?: { payload: { step_id?: string } } }[]
  ).flatMap(({ event }) => (event ? [event.payload.step_id] : []))
  expect(events).toEqual(['step-1', 'step-1', 'step-2', 'step-2', 'step-3', 'step-3'])
})

test('the scripts are scripts', () => {
  for (const prompt of [tourPrompt, tourBranchPrompt])
    expect(JSON.parse(prompt.replace('@script ', '')).length).toBeGreaterThan(1)
})

test('a tour ends with its own sessions alone, from whichever of them it is ended', () => {
  const row = (id: string, parent: string | null = null) => ({ id, parent_session_id: parent })
  const first = row('tour-1')
  const branch = row('tour-2', 'tour-1')
  const rows = [branch, row('kept-branch', 'tour-1'), row('tour-9'), row('tour-10', 'tour-9'), first]
  expect(tourFamily(first, rows)).toEqual(['tour-2', 'tour-1'])
  expect(tourFamily(branch, rows)).toEqual(['tour-2', 'tour-1'])
  expect(tourFamily(branch, [])).toEqual(['tour-2'])
})
