import type { JsonObject } from '@bridle/events/json'
import { BUDGET_GRACE_MS } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../commands.ts'
import { askItem, background, call, eventReport } from '../rules/rules.suite.ts'
import { INPUT_SUBJECT, inputQuestions } from '../user-input.ts'
import { callDigest } from './approval-binding.ts'
import { digest, flushPending, key, setUp } from './host.suite.ts'
import { questionReport } from './question-report.ts'

const question = {
  questions: [{ id: 'db', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
}
const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const

describe('[S15] approvals through the host', () => {
  const waiting = async () => {
    const all = setUp()
    await all.host.send(key(), submit())
    await flushPending()
    const requested = await callDigest(digest, 'write', { a: 1 })
    await all.runner.last.reporter.report([call('c1'), askItem('c1', undefined, requested)])
    const session = await all.host.open(key())
    const [approvalId] = Object.keys(session.state.approvals.open)
    const answer = (more: object) =>
      all.host.send(key(), { type: 'approve', approvalId: approvalId!, decision: 'approved', ...more })
    return { ...all, session, answer, approvalId: approvalId!, requested }
  }

  test('[S16] are bound to the arguments as approved', async () => {
    const { answer, runner, requested } = await waiting()
    await answer({})
    await flushPending()
    expect(runner.answers).toMatchObject([{ arguments: { a: 1 }, approvedDigest: requested }])
  })

  test('[S16] and to the answers of a question, or to its default', async () => {
    const { host, runner } = setUp()
    const request = { ...question, default: { db: 'SQLite' } }
    const call = { toolCallId: 'c1', tool: 'ask', arguments: { a: 1 }, reason: 'Which?' }
    for (const [id, given, answers] of [
      ['s1', { answers: { db: 'PostgreSQL' } }, { db: 'PostgreSQL' }],
      ['s2', {}, { db: 'SQLite' }],
    ] as const) {
      await host.send(key(id), submit())
      await flushPending()
      await runner.last.reporter.report([await questionReport(digest, call, request)])
      const [approvalId = ''] = Object.keys((await host.open(key(id))).state.approvals.open)
      await host.send(key(id), { type: 'approve', approvalId, decision: 'approved', ...given })
      await flushPending()
      const approved = { a: 1, answers }
      const approvedDigest = await callDigest(digest, 'ask', approved)
      expect(runner.answers.at(-1)).toMatchObject({ kind: 'question', arguments: approved, approvedDigest })
    }
  })

  test('[S75] edited arguments of a question for a text are its answer', async () => {
    const { host, runner } = setUp()
    const request = { questions: inputQuestions('Your name?') }
    const call = { toolCallId: 'c1', tool: INPUT_SUBJECT, arguments: { answer: '' }, reason: 'Your name?' }
    for (const [id, text] of [
      ['s1', 'Ann'],
      ['s2', 'Bob'],
      ['s3', 'Cleo'],
    ] as const) {
      await host.send(key(id), submit())
      await flushPending()
      await runner.last.reporter.report([await questionReport(digest, call, request)])
      const [approvalId = ''] = Object.keys((await host.open(key(id))).state.approvals.open)
      const answer = (args: JsonObject) =>
        host.send(key(id), { type: 'approve', approvalId, decision: 'approved', args })
      expect(await answer({ answer: 5 })).toMatchObject({ refused: 'arguments_fixed' })
      expect(await answer({ answer: text, _tool_call_id: 'c1' })).toMatchObject({ decision: 'approved' })
      await flushPending()
      const approved = { answer: '', answers: { answer: text } }
      const approvedDigest = await callDigest(digest, INPUT_SUBJECT, approved)
      expect(runner.answers.at(-1)).toMatchObject({ kind: 'question', arguments: approved, approvedDigest })
      expect([await answer({ answer: text }), await answer({ answer: 'Dan' })]).toMatchObject([
        { decision: 'approved' },
        { refused: 'approval_settled' },
      ])
    }
  })

  test('[S16] and a question that expires to its default', async () => {
    const report = await questionReport(
      digest,
      { toolCallId: 'c1', tool: 'ask', arguments: { a: 1 }, reason: '' },
      {
        ...question,
        default: { db: 'SQLite' },
      },
    )
    expect(report).toMatchObject({
      digest: await callDigest(digest, 'ask', { a: 1 }),
      defaultDigest: await callDigest(digest, 'ask', { a: 1, answers: { db: 'SQLite' } }),
    })
  })

  test('[S16] also when these were edited', async () => {
    const { answer, runner } = await waiting()
    await answer({ args: { a: 2 } })
    await flushPending()
    const approvedDigest = await callDigest(digest, 'write', { a: 2 })
    expect(runner.answers).toMatchObject([{ arguments: { a: 2 }, approvedDigest }])
  })

  test('[E6] also when they came back as the log shows them', async () => {
    const { answer, runner } = await waiting()
    await answer({ args: { a: 2, _tool_call_id: 'c1' } })
    await flushPending()
    const approvedDigest = await callDigest(digest, 'write', { a: 2 })
    expect(runner.answers).toMatchObject([{ approvedDigest }])
    expect(runner.answers[0]?.arguments).toEqual({ a: 2 })
  })

  test.each<[string, object, object, boolean]>([
    ['twice as asked', {}, {}, true],
    ['the same edit', { args: { a: 2 } }, { args: { a: 2 } }, true],
    ['as asked, then the same arguments spelled out', {}, { args: { a: 1 } }, true],
    ['as asked, then edited', {}, { args: { a: 2 } }, false],
    ['edited, then as asked', { args: { a: 2 } }, {}, false],
    ['approved, then denied', {}, { decision: 'denied' }, false],
  ])('[S17] %s', async (_name, first, second, same) => {
    const { answer, approvalId, again } = await waiting()
    await answer(first)
    const check = async (given: Promise<unknown>) =>
      same
        ? expect(await given).toMatchObject({ approvalId, decision: 'approved' })
        : expect(await given).toMatchObject({ refused: 'approval_settled' })
    await check(answer(second))
    await flushPending()
    await check(answer(second))
    const next = await again()
    await check(next.host.send(key(), { type: 'approve', approvalId, decision: 'approved', ...second }))
  })

  test("[S17] the kernel's own questions, too", async () => {
    const { host, runner, clock } = setUp()
    const opening = background({ policy: { health: { max_cost_usd: 1 } } })
    await host.send(key(), { ...submit(), opening })
    await flushPending()
    await runner.last.reporter.report([eventReport('usage', { cost_usd: 1.5 })]).catch(() => {})
    await clock.pass(BUDGET_GRACE_MS)
    const session = await host.open(key())
    const [approvalId] = Object.keys(session.state.approvals.open)
    const approve = () => host.send(key(), { type: 'approve', approvalId: approvalId!, decision: 'approved' })
    const first = (await approve()) as Answers['approve']
    expect(await approve()).toMatchObject({ approvalId, decision: first.decision })
  })
})
