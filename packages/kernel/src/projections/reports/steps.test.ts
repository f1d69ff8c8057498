import type { Payloads } from '@bridle/events/schemas'
import { expect, test } from 'vitest'
import { eventReport, TestSession } from '../../rules/rules.suite.ts'
import { allSteps, currentStep } from '../../views/work-progress.ts'
import { STEPS_MAX } from './steps.ts'

const started = (session = new TestSession()): TestSession => {
  session.submit()
  session.report({ type: 'started' })
  return session
}
const say = (session: TestSession, ...steps: Payloads['step_progress'][]): void => {
  for (const step of steps) session.wait(1_000).report(eventReport('step_progress', step))
}
const shown = ({ state, log }: TestSession) => {
  const times = new Map(log.map(({ seq, at }) => [seq, at]))
  return allSteps(state.steps).map(({ id, title, status, startedAt, endedAt, seq }) => [
    ...[id, title, status, startedAt !== null],
    endedAt === null ? 'open' : endedAt === times.get(seq) ? 'ended by its event' : 'ended otherwise',
  ])
}
const current = ({ state }: TestSession) => currentStep(state.steps)

test('[F44] a step is one entry from its begin to its end, and is a new one when it is done again', () => {
  const session = started()
  say(session, { step_id: 'read', status: 'running', summary: 'Read it' }, { step_id: 'write', status: 'running' })
  say(session, { step_id: 'read', status: 'completed' }, { step_id: 'read', status: 'running' })
  expect(shown(session)).toEqual([
    ['read', 'Read it', 'completed', true, 'ended by its event'],
    ['write', 'write', 'running', true, 'open'],
    ['read', 'read', 'running', true, 'open'],
  ])
  expect(current(session)).toEqual({ index: 3, total: null, title: 'read', status: 'running' })
})

test('[F44] nobody told when a step began that is only told at its end; an agent may number its steps', () => {
  const session = started()
  say(session, { step_id: 's', status: 'completed', summary: 'Done' })
  expect(shown(session)).toEqual([['s', 'Done', 'completed', false, 'ended by its event']])
  say(session, { title: 'Mount', index: 4, total: 7 }, { step_id: 'odd', index: 0, total: 'many' as never })
  expect(shown(session).map(([id, title]) => [id, title])).toEqual([
    ['s', 'Done'],
    ['2', 'Mount'],
    ['odd', 'odd'],
  ])
  expect(current(session)).toEqual({ index: 5, total: null, title: 'odd', status: 'running' })
})

test.each(['completed', 'failed'] as const)('[F44] a turn that is %s leaves no step under way', (status) => {
  const session = started()
  say(session, { step_id: 'a', status: 'completed' }, { step_id: 'b' })
  session.report(status === 'completed' ? { type: 'finished' } : { type: 'failed', message: 'no' })
  expect(shown(session).map(([id, , said]) => [id, said])).toEqual([
    ['a', 'completed'],
    ['b', status],
  ])
  expect(current(session)).toMatchObject({ title: 'b', status })
  started(session)
  expect(current(session)).toBe(null)
  // The same id in another turn is another step.
  say(session, { step_id: 'b' })
  expect(current(session)).toMatchObject({ index: 1, title: 'b', status: 'running' })
  expect(shown(session)).toHaveLength(3)
})

test('[F44] a branch leaves a step that was under way where the history of its parent ends', () => {
  const session = started()
  say(session, { step_id: 'a', status: 'completed' }, { step_id: 'b' })
  session.wait(2_000).report(eventReport('token', { text: 'so far' }))
  const { head, at } = session.state
  const parent = { agent: 'scripted', id: 'parent', seq: head }
  session.branchPoint = parent
  session.wait(120_000).do({ type: 'branch', parent })
  expect(session.state.steps.latest.map(({ id, status, endedAt, seq }) => [id, status, endedAt, seq])).toEqual([
    ['a', 'completed', at - 3_000, head - 2],
    ['b', 'cancelled', at, head + 1],
  ])
})

test('[F44] the steps of a plan are steps, and the one that is under way is the step of the session', () => {
  const session = started()
  const plan = (...statuses: string[]) => ({
    step_id: 'plan',
    plan: statuses.map((status, index) => ({ text: `Part ${index + 1}`, status })),
  })
  say(session, plan('pending', 'pending', 'pending'))
  expect(current(session)).toEqual({ index: 1, total: 3, title: 'Part 1', status: 'pending' })
  say(session, plan('done', 'in_progress', 'pending'), plan('done', 'in_progress', 'pending'))
  expect(current(session)).toEqual({ index: 2, total: 3, title: 'Part 2', status: 'in_progress' })
  expect(shown(session)).toEqual([
    ['plan.1', 'Part 1', 'done', false, 'ended by its event'],
    ['plan.2', 'Part 2', 'in_progress', true, 'open'],
    ['plan.3', 'Part 3', 'pending', false, 'open'],
  ])
  session.report({ type: 'finished' })
  started(session)
  expect(current(session)).toMatchObject({ title: 'Part 2' })
  say(session, plan('done', 'done', 'done'))
  expect(current(session)).toEqual({ index: 3, total: 3, title: 'Part 3', status: 'done' })
  session.report({ type: 'finished' })
  started(session)
  expect(current(session)).toBe(null)
})

test('[F44] a plan of texts has its steps ahead; what is no list of steps is a step of its own', () => {
  const session = started()
  say(session, { plan: ['one', 'two'] }, { step_id: 'x', plan: [{ a: 1 }] }, { step_id: 'y', plan: { text: 'z' } })
  expect(shown(session).map(([id, , status]) => [id, status])).toEqual([
    ['x', 'running'],
    ['y', 'running'],
    ['plan.1', 'pending'],
    ['plan.2', 'pending'],
  ])
})

test('[F44] the newest steps are kept, and the first of a very long plan', () => {
  const session = started()
  const many = STEPS_MAX + 5
  for (let step = 1; step <= many; step++)
    say(session, { step_id: `s${step}`, status: 'done', summary: 'x'.repeat(500) })
  expect(session.state.steps.latest.map(({ id }) => id).at(0)).toBe('s6')
  expect(session.state.steps.latest).toHaveLength(STEPS_MAX)
  expect(session.state.steps.latest.every(({ title }) => title.length < 200)).toBe(true)
  expect(current(session)).toMatchObject({ index: many })
  say(session, { plan: Array.from({ length: many }, (_, index) => `p${index}`) })
  expect(session.state.steps.plan).toMatchObject({ total: many })
  expect(session.state.steps.plan?.steps).toHaveLength(STEPS_MAX)
})
