import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

/** A session whose run asks for two approvals, one after the other; `next` waits for the one that is open. */
const askingSession = (id: string) => {
  const { post, host } = testApp()
  const run = post(`/agents/scripted/${id}`, scriptBody({ approve: 'write' }, { approve: 'delete' }, { text: 'done' }))
  const open = async () => {
    const session = await host.open({ tenant: 'default', agent: 'scripted', id })
    return Object.keys(session.state.approvals.open)
  }
  const next = async (after = ''): Promise<string> => {
    for (;;) {
      const approvalId = (await open()).find((each) => each !== after)
      if (approvalId !== undefined) return approvalId
      await new Promise(setImmediate)
    }
  }
  const answer = async (approvalId: string, verb: string, body: object, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    const reply = await post(`/sessions/${id}/approvals/${approvalId}/${verb}`, body, headers)
    return { status: reply.status, body: reply.body }
  }
  return { run, open, next, answer }
}
const conflict = { status: 409, body: { error: { type: 'conflict' } } }

describe('[H43] an approval is answered with an Idempotency-Key', () => {
  test('the same key and body are one answer and one reply', async () => {
    const { run, next, answer } = askingSession('same')
    const first = await next()
    const reply = await answer(first, 'approve', { reason: 'fine' }, 'k-1')
    expect(reply).toMatchObject({ status: 200, body: { ok: true } })
    const second = await next(first)
    expect(await answer(first, 'approve', { reason: 'fine' }, 'k-1')).toEqual(reply)
    await answer(second, 'reject', {}, 'k-2')
    expect((await run).status).toBe(200)
    expect(await answer(first, 'approve', { reason: 'fine' }, '"k-1"')).toEqual(reply)
  })

  test.each([
    ['another reason', 'first', 'approve', { reason: 'other' }],
    ['other arguments', 'first', 'approve', { args: { n: 2 } }],
    ['the other decision', 'first', 'reject', {}],
    ['another approval', 'second', 'approve', {}],
  ])('%s under the same key is refused, and decides nothing', async (_name, which, verb, body) => {
    const { run, open, next, answer } = askingSession('other')
    const first = await next()
    expect(await answer(first, 'approve', {}, 'k')).toMatchObject({ status: 200 })
    const second = await next(first)
    expect(await answer(which === 'first' ? first : second, verb, body, 'k')).toMatchObject(conflict)
    expect(await open()).toEqual([second])
    expect(await answer(second, 'approve', {}, 'k-2')).toMatchObject({ status: 200 })
    expect((await run).body.result).toBe('done')
  })

  test('a key that is not an id is refused, and the approval stays open', async () => {
    const { run, open, next, answer } = askingSession('bad')
    const first = await next()
    expect(await answer(first, 'approve', {}, 'a b')).toMatchObject({ status: 400 })
    expect(await open()).toEqual([first])
    await answer(first, 'approve', {})
    await answer(await next(first), 'approve', {})
    await run
  })
})
