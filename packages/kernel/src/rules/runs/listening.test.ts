// The rest of a spoken answer when the process that spoke it is gone.
import { describe, expect, test } from 'vitest'
import { call, finished, running, stopped, TestSession, token } from '../rules.suite.ts'

const answers = (life: TestSession) =>
  life.state.conversation.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content, stopReason }) => [content, stopReason])
const heard = (life: TestSession, runId: string, chars: number, isOver?: true) =>
  life.do({ type: 'heard', runId, chars, audioMs: chars * 50.4, ...(isOver && { isOver }) })
const TEXT = 'One two three four'

describe('[V104] how much of an answer was heard', () => {
  test('is in the log once for each place, and not after the answer was heard', () => {
    const life = running()
    life.report(token(TEXT))
    const { runId } = life.run
    for (const chars of [3, 3, 7, 900]) heard(life, runId, chars)
    expect(life.payloads('answer_heard')).toEqual([
      { run_id: runId, chars: 3, audio_ms: 151 },
      { run_id: runId, chars: 7, audio_ms: 353 },
      { run_id: runId, chars: TEXT.length, audio_ms: 45_360 },
    ])
    life.report(finished())
    heard(life, runId, TEXT.length, true)
    heard(life, runId, TEXT.length, true)
    expect(life.payloads('answer_heard')).toHaveLength(4)
    expect(life.state.listening.answer).toBeNull()
  })

  test('of a run without an answer, and the end of an answer that nobody began to hear, leave nothing', () => {
    const life = running()
    const { length } = life.log
    heard(life, life.run.runId, 3)
    life.report(token(TEXT))
    heard(life, life.run.runId, 3, true)
    heard(life, 'r-99', 3)
    expect(life.log.slice(length).filter(({ type }) => type === 'answer_heard')).toEqual([])
  })

  test('is nothing that a branch goes on with', () => {
    const life = running()
    life.report(token(TEXT))
    heard(life, life.run.runId, 3)
    const branch = new TestSession(life.state)
    branch.branchPoint = { agent: 'scripted', id: 's1', seq: life.state.head }
    branch.do({ type: 'branch', parent: branch.branchPoint })
    expect(branch.state.listening.answer).toBeNull()
  })
})

describe('[V105] a listener who is lost with the process', () => {
  test('has interrupted a run in progress where they had heard it, and the run ends', () => {
    const life = running()
    life.report(token(TEXT))
    heard(life, life.run.runId, 7)
    life.do({ type: 'lose_listener' })
    life.report(stopped)
    expect(answers(life)).toEqual([['One two', 'interrupted']])
    expect([life.state.lifecycle.run, life.state.listening.answer]).toEqual([null, null])
  })

  test('has interrupted an answer that was written to its end', () => {
    const life = running()
    life.report(token(TEXT), finished())
    const { runId = '' } = life.messages.at(-1) ?? {}
    heard(life, runId, 7)
    life.do({ type: 'lose_listener' })
    expect(answers(life)).toEqual([['One two', 'interrupted']])
    const { length } = life.log
    life.do({ type: 'lose_listener' })
    expect(life.log).toHaveLength(length)
  })

  test.each([
    ['of which nothing was heard', 0],
    ['that was heard to its end', TEXT.length],
  ])('leaves an answer %s as it is', (_name, chars) => {
    const life = running()
    life.report(token(TEXT), finished())
    const { runId = '' } = life.messages.at(-1) ?? {}
    heard(life, runId, chars)
    life.do({ type: 'lose_listener' })
    expect(answers(life)).toEqual([[TEXT, undefined]])
    expect(life.state.listening.answer).toBeNull()
  })

  test('does not end a run that has called a tool behind what was heard', () => {
    const life = running()
    life.report(token(TEXT), call('t1'))
    heard(life, life.run.runId, 7)
    life.do({ type: 'lose_listener' })
    expect([life.run.phase, answers(life)[0]?.[0]]).toEqual(['started', TEXT])
    expect(life.state.listening.answer).toBeNull()
  })
})
