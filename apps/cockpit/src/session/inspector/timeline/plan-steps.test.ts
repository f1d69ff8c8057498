import { expect, test } from 'vitest'
import { type PlanStep, planCount, planSteps, stepsAroundNext } from './plan-steps.ts'

test('the newest plan counts, and else the steps by their ids, each as it was last told', () => {
  const plan = [{ text: 'find', status: 'done' }, { text: 'change', status: 'in_progress' }, 'report']
  expect(
    planSteps([{ plan: [{ text: 'old', status: 'done' }] }, { plan }, { step_id: 'loop' }]).map(({ title, status }) => [
      title,
      status,
    ]),
  ).toEqual([
    ['find', 'done'],
    ['change', 'running'],
    ['report', 'open'],
  ])
  const told = planSteps([
    { step_id: 'a', status: 'running', summary: 'first' },
    { step_id: 'b', status: 'running' },
    { step_id: 'a', status: 'completed' },
  ])
  expect(told.map(({ title, status }) => [title, status])).toEqual([
    ['first', 'done'],
    ['b', 'running'],
  ])
})

test.each([
  ['cancelled', 'stopped'],
  ['interrupted', 'stopped'],
  ['stopped', 'stopped'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['reading', 'running'],
] as const)('[C51] a step that is %s is shown as %s', (word, status) => {
  const step = { step: 'a', title: 'a', status: word, started_at: null, ended_at: null, event_id: 'ev-1' }
  expect(planSteps([], [step])).toEqual([{ key: 'a', title: 'a', status, tookMs: null }])
})

test.each([
  [{ index: 2, total: 3, status: 'running' }, 'step 2 of 3', ['done', 'running', 'open']],
  [{ index: 3, total: 3, status: 'completed' }, 'step 3 of 3', ['done', 'done', 'done']],
  [{ index: 2, total: 2, status: 'cancelled' }, 'step 2 of 2', ['done', 'stopped']],
  [{ index: 4, total: null, status: 'running' }, 'step 4', []],
  [{ index: 4, total: 1_000, status: 'running' }, 'step 4 of 1000', []],
] as const)('%j is counted in one way on the whole page', (step, text, marks) => {
  expect(planCount({ ...step, title: 'x' })).toEqual({ text, marks })
})

test('a long plan begins with the steps around the next one', () => {
  const steps = (done: number): readonly PlanStep[] =>
    Array.from({ length: 30 }, (_, index) => ({
      key: String(index),
      title: String(index),
      status: index < done ? 'done' : 'open',
      tookMs: null,
    }))
  expect(stepsAroundNext(steps(0)).map(({ key }) => key)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  expect(stepsAroundNext(steps(15))[4]?.key).toBe('15')
  expect(stepsAroundNext(steps(30)).at(-1)?.key).toBe('29')
  expect(stepsAroundNext(steps(0).slice(0, 5))).toHaveLength(5)
})
