// The inbox over several sessions: approvals that wait, those that were settled, and answers that come too late.

import type { SettledApproval } from '@bridle/wire/http/wire'
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

type Rows = readonly (SettledApproval & { readonly sessionId: string })[]

/** Three sessions, each of which asks once. */
const askingSessions = async (...asks: object[]) => {
  const app = testApp()
  const rows = async (query = ''): Promise<Rows> =>
    (await app.get(`/approvals${query}`)).body.approvals as unknown as Rows
  const open = async (count: number) => {
    for (;;) {
      const found = await rows()
      if (found.length === count) return found
      await new Promise(setImmediate)
    }
  }
  const runs = []
  for (const [index, ask] of asks.entries()) {
    runs.push(app.post(`/agents/scripted/s${index + 1}`, scriptBody(ask, { text: 'done' })))
    await open(index + 1)
    app.advance(1_000)
  }
  const answer = ({ sessionId, id }: Rows[number], verb: string, body: object = {}) =>
    app.post(`/sessions/${sessionId}/approvals/${id}/${verb}`, body)
  return { ...app, rows, answer, open, runs }
}

describe('[H76] effect and risk', () => {
  test('come from the policy, else from the declared effect, and from nothing else', async () => {
    const { rows, get } = await askingSessions(
      { approve: 'delete_everything' },
      { approve: 'write_file', effect: 'unsafe' },
      { approve: 'pay', effect: 'idempotent', risk: 'high' },
    )
    const shown = (await rows()).map(({ toolName, kind, effect, risk }) => [toolName, kind, effect, risk])
    expect(shown).toEqual([
      ['delete_everything', 'tool', null, null],
      ['write_file', 'tool', 'unsafe', 'caution'],
      ['pay', 'tool', 'idempotent', 'danger'],
    ])
    const detail = await get('/sessions/s3')
    expect(detail.body.approvals).toMatchObject([{ toolName: 'pay', effect: 'idempotent', risk: 'danger' }])
  })
})

describe('[H77] settled approvals', () => {
  test('have the decision, by whom and why, newest first; those that wait are elsewhere', async () => {
    const { rows, answer, open, get, post, runs } = await askingSessions(
      { approve: 'one', args: { n: 1 }, reason: 'first' },
      { approve: 'two', args: { n: 2 } },
      { approve: 'three' },
      { approve: 'four' },
    )
    const [one, two, three] = (await open(4)) as [Rows[number], Rows[number], Rows[number]]
    await answer(two, 'approve', { args: { n: 3 }, actor: 'ann' })
    await answer(one, 'reject', { reason: 'not now', actor: 'bob' })
    await post('/sessions/s3/cancel')
    await Promise.all(runs.slice(0, 3))
    const decided = await rows('?status=decided')
    // The clock stands still, so that the youngest session comes first.
    expect(decided.map(({ sessionId }) => sessionId)).toEqual(['s3', 's2', 's1'])
    expect(decided[0]).toMatchObject({ id: three.id, status: 'cancelled', decidedBy: null, isEdited: false })
    expect(decided[1]).toMatchObject({
      ...{ id: two.id, toolName: 'two', status: 'approved', decidedBy: 'ann', decisionReason: null },
      ...{ isEdited: true, args: { n: 3 }, kind: 'tool', isCut: false },
    })
    expect(decided[2]).toMatchObject({
      ...{ id: one.id, status: 'denied', decidedBy: 'bob', decisionReason: 'not now', reason: 'first' },
      ...{ isEdited: false, args: { n: 1 }, requestedAt: one.requestedAt },
    })
    expect((await rows()).map(({ sessionId }) => sessionId)).toEqual(['s4'])
    const pages: string[] = []
    let cursor: unknown
    do {
      const page: Record<string, unknown> = (
        await get(`/approvals?status=all&limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      ).body
      pages.push(...(page.approvals as unknown as Rows).map(({ sessionId, status }) => `${sessionId} ${status}`))
      cursor = page.next
    } while (cursor !== undefined)
    expect(pages).toEqual(['s4 pending', 's3 cancelled', 's2 approved', 's1 denied'])
    const whole = (await rows('?status=all')).map(({ status }) => status)
    expect(whole).toEqual(['pending', 'cancelled', 'approved', 'denied'])
    expect((await get('/approvals?status=decided&cursor=x')).status).toBe(400)
    expect((await get('/approvals?status=gone')).status).toBe(400)
  })

  test('long arguments and reasons are cut, and a session keeps its newest twenty', async () => {
    const steps = Array.from({ length: 22 }, (_, n) => ({ approve: `t${n}`, args: { text: 'x'.repeat(n * 100) } }))
    const { get, post } = testApp()
    const run = post('/agents/scripted/many', scriptBody(...steps, { text: 'done' }))
    for (let answered = 0; answered < 22; ) {
      const [row] = (await get('/approvals')).body.approvals as unknown as Rows
      if (row) {
        await post(`/sessions/many/approvals/${row.id}/approve`, { reason: 'y'.repeat(600) })
        answered += 1
      } else await new Promise(setImmediate)
    }
    await run
    const rows = (await get('/approvals?status=decided')).body.approvals as unknown as Rows
    expect(rows.map(({ toolName }) => toolName)).toEqual(
      steps
        .map(({ approve }) => approve)
        .slice(2)
        .reverse(),
    )
    expect(rows[0]).toMatchObject({ args: null, isCut: true })
    expect(rows.at(-1)).toMatchObject({ args: { text: 'x'.repeat(200) }, isCut: true })
    expect(rows[0]?.decisionReason?.length).toBeLessThan(600)
  })
})

test('[H78] an answer that comes too late is told which stands, by whom and since when', async () => {
  const { answer, open, advance } = await askingSessions(
    { approve: 'one' },
    { approve: 'two' },
    { approve: 'three', expiresMs: 60_000 },
  )
  const [one, two, three] = (await open(3)) as [Rows[number], Rows[number], Rows[number]]
  const decidedAt = new Date(1_700_000_003_000).toISOString()
  await answer(one, 'approve', { actor: 'ann' })
  await answer(two, 'reject')
  advance(120_000)
  const late = async (row: Rows[number], verb: string) => {
    const { status, body } = await answer(row, verb)
    return { status, ...body }
  }
  expect(await late(one, 'reject')).toEqual({
    ...{
      status: 409,
      error: { type: 'conflict', message: 'The approval was already approved by ann (not signed in).' },
    },
    ...{ decision: 'approved', decidedBy: 'ann', decidedByClaimed: true, decidedAt },
  })
  expect(await late(two, 'approve')).toMatchObject({ decision: 'denied', decidedBy: null, decidedAt })
  expect(await late(three, 'approve')).toMatchObject({ decision: 'expired', decidedBy: null })
  expect(await late(one, 'approve')).toMatchObject({ ok: true, decision: 'approved' })
})
