// Spoken answers that a listener interrupts: the log keeps what was heard.
import { describe, expect, test } from 'vitest'
import { isRefusal } from '../../commands.ts'
import { finished, key, running, started, stopped, TestSession, token } from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'

const answers = (life: TestSession) =>
  life.state.conversation.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content, status, stopReason }) => [content, status, stopReason])

describe('[V1] an interruption', () => {
  test('of a run in progress withdraws what was not heard and cancels the run, in one write', () => {
    const life = running()
    life.report(token('One two three four'))
    const { runId } = life.run
    expect(life.do({ type: 'interrupt', runId, heardChars: 7, audioMs: 410.4, actor: 'ada' })).toMatchObject({
      withdrawnChars: 11,
      cancelled: true,
    })
    expect(life.last.map(({ type }) => type).slice(0, 2)).toEqual(['output_superseded', 'cancel_requested'])
    expect(life.payloads('output_superseded')).toMatchObject([{ interrupted: { text: 'One two', audio_ms: 410 } }])
    life.report(stopped)
    expect(answers(life)).toEqual([['One two', 'complete', 'interrupted']])
  })

  test('of a run that has ended changes its answer only, while other runs go on', () => {
    const life = running()
    life.report(token('One two three'), finished())
    const { runId } = life.state.conversation.messages.at(-1) ?? {}
    life.submit('second')
    life.report(started())
    life.report(token('Four'))
    expect(life.do({ type: 'interrupt', runId: runId ?? '', heardChars: 3 })).toMatchObject({
      withdrawnChars: 10,
      cancelled: false,
    })
    expect(life.run.hasOutput).toBe(true)
    life.report(token(' five'), finished())
    expect(answers(life)).toEqual([
      ['One', 'complete', 'interrupted'],
      ['Four five', 'complete', undefined],
    ])
  })

  test('after everything was heard writes nothing', () => {
    const life = running()
    life.report(token('All of it'), finished())
    const { runId = '' } = life.state.conversation.messages.at(-1) ?? {}
    expect(life.do({ type: 'interrupt', runId, heardChars: 900 })).toMatchObject({ withdrawnChars: 0 })
    expect(life.last).toEqual([])
  })

  test.each([-5, Number.NaN])('of %s characters keeps none', (heardChars) => {
    const life = running()
    life.report(token('One'))
    life.do({ type: 'interrupt', runId: life.run.runId, heardChars })
    expect(answers(life)).toEqual([['', 'complete', 'interrupted']])
  })

  test('of an unknown run is refused', () => {
    const life = running()
    expect(isRefusal(life.do({ type: 'interrupt', runId: 'r-99', heardChars: 1 }))).toBe(true)
  })
})

test('[V2] a spoken prompt says so in the conversation and to its runner', () => {
  const life = new TestSession()
  life.do({ type: 'submit', prompt: 'said', spoken: true })
  expect(life.state.conversation.messages[0]).toMatchObject({ content: 'said', spoken: true })
  expect(wantedEffects(key, life.state, 1)).toMatchObject([{ kind: 'run', job: { spoken: true } }])
  life.report(started())
  life.report(finished())
  life.submit('written')
  expect(wantedEffects(key, life.state, 1)[0]).not.toMatchObject({ job: { spoken: true } })
})
