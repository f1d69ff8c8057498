import type { HarnessMessage } from 'bridle/client'
import { expect, test } from 'vitest'
import { passedStops } from './tour-progress.ts'
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

test('the scripts are scripts', () => {
  for (const prompt of [tourPrompt, tourBranchPrompt])
    expect(JSON.parse(prompt.replace('@script ', '')).length).toBeGreaterThan(1)
})
