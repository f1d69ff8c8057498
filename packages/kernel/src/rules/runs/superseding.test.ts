// [E16] A durable run withdraws what a step that was cut off has written.
import { expect, test } from 'vitest'
import type { ReportItem } from '../../commands.ts'
import { call, eventReport, outcome, TestSession, token } from '../rules.suite.ts'

const durable = (): TestSession => {
  const life = new TestSession()
  life.submit('Go')
  life.report({ type: 'started', durable: true })
  return life
}
const thinking = (text: string) => eventReport('thinking', { text })
const supersede: ReportItem = { type: 'supersede' }

test('[E16] the text and the thoughts of a step that was cut off go, its calls stay', () => {
  const life = durable()
  life.report(thinking('Look. '), token('One, '))
  life.report(
    eventReport('model_step', { step: 1, model: 'm', content: [], finish: 'tool-calls' }),
    call('c1', 'pure'),
    outcome('c1'),
  )
  life.report(thinking('Then'), token('tw'))
  life.report(supersede)
  expect(life.last).toMatchObject([
    { type: 'output_superseded', payload: { run_id: 'r-2', keep: { chars: 5, parts: 2, thinking_chars: 6 } } },
  ])
  expect(life.state.course.kept).toEqual({ chars: 5, parts: 2 })
  life.report(token('two.'))
  expect(life.answer).toMatchObject({
    content: 'One, two.',
    toolCalls: [{ id: 'c1', status: 'complete' }],
    parts: [
      { type: 'reasoning', text: 'Look. ' },
      { type: 'text', from: 0 },
      { type: 'tool', toolCallId: 'c1' },
      { type: 'reasoning', text: 'Then', superseded: true },
      { type: 'text', text: 'tw', superseded: true },
      { type: 'text', from: 5 },
    ],
  })
  expect(life.answer.toolCalls?.[0]).not.toHaveProperty('superseded')
})

test('[E16] a run that wrote nothing since its last step, or withdrew it already, withdraws nothing', () => {
  const life = durable()
  const withdrawals = () => life.payloads('output_superseded').length
  life.report(supersede)
  life.report(token('One'), eventReport('model_step', { step: 1, model: 'm', content: [], finish: 'stop' }))
  // A call is a part behind the mark, and no text.
  life.report(call('c1', 'pure'), outcome('c1'), supersede)
  expect(withdrawals()).toBe(0)
  life.report(token('two'), supersede)
  life.report(supersede)
  expect(withdrawals()).toBe(1)
  life.report({ type: 'supersede', keep: { chars: 1, parts: 1 } })
  expect(life.payloads('output_superseded').map(({ keep }) => keep?.chars)).toEqual([3, 1])
  expect([life.answer.content, life.state.course.kept]).toEqual(['O', { chars: 1, parts: 1 }])
})
