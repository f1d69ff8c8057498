import type { CheckpointSummary, HarnessMessage, TreeSession } from 'bridle/client'
import { expect, test } from 'vitest'
import { passedStops, tourSessions } from './tour-progress.ts'
import { tourBranchPrompt, tourPrompt } from './tour-script.ts'

const answer = (more: Partial<HarnessMessage>): HarnessMessage => ({
  id: 'm2',
  role: 'assistant',
  content: '',
  status: 'streaming',
  ...more,
})
const tour = { id: 'tour-1', messages: [], checkpoints: [] }
const none = { tour, sessions: [], hasSeenHealth: false }
const pending = {
  id: 'c',
  name: 'edit_file',
  status: 'running' as const,
  approval: { id: 'a', status: 'pending' as const },
}
const checkpoint = { checkpoint_type: 'step', event_id: 'ev-81' } as CheckpointSummary
const branchAt = (event: string, parent = 'tour-1') => ({ parent_session_id: parent, branch_source_event_id: event })

test('a stop is passed when the session shows it', () => {
  expect([...passedStops(none)]).toEqual([])
  const messages = [answer({ content: 'Hi', toolCalls: [pending] })]
  expect([...passedStops({ ...none, tour: { ...tour, messages } })]).toEqual(['stream'])
  const done = { ...pending, outcome: 'ok' as const, approval: { id: 'a', status: 'approved' as const } }
  expect([
    ...passedStops({
      tour: { ...tour, messages: [answer({ content: 'Hi', toolCalls: [done] })], checkpoints: [checkpoint] },
      sessions: [branchAt('ev-81')],
      hasSeenHealth: true,
    }),
  ]).toEqual(['stream', 'tool', 'checkpoint', 'approval', 'health', 'branch'])
})

test.each([
  ['from the checkpoint', branchAt('ev-81'), true],
  ['from another event', branchAt('ev-106'), false],
  ['of another session', branchAt('ev-81', 'tour-9'), false],
])('a branch %s is the step of the tour: %#', (_name, row, isPassed) => {
  const passed = passedStops({ ...none, tour: { ...tour, checkpoints: [checkpoint] }, sessions: [row] })
  expect(passed.has('branch')).toBe(isPassed)
})

test.each([
  ['pending', false],
  ['cancelled', false],
  ['expired', false],
  ['denied', true],
  ['approved', true],
] as const)('a call whose approval is %s was answered: %s', (status, isPassed) => {
  const messages = [answer({ toolCalls: [{ ...pending, approval: { id: 'a', status } }] })]
  expect(passedStops({ ...none, tour: { ...tour, messages } }).has('approval')).toBe(isPassed)
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

test('a tour ends with all sessions of its tree that are there, the one on the page last', () => {
  const row = (id: string, visible = true) => ({ id, visible }) as TreeSession
  const sessions = [row('tour-1'), row('removed', false), row('chat-5'), row('tour-2')]
  expect(tourSessions({ sessions }, 'tour-2')).toEqual(['tour-1', 'chat-5', 'tour-2'])
  expect(tourSessions({ sessions }, 'tour-1')).toEqual(['chat-5', 'tour-2', 'tour-1'])
})
