// The log of a session on the wire, asked without sockets.

import type { AnyEvent, Key } from '@bridle/kernel/event'
import type { SessionLogPage } from '@bridle/wire/http/wire'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

const world = () => {
  const it = testApp()
  const page = async (id: string, query = '') =>
    (await it.get(`/sessions/${id}/log${query}`)).body as unknown as SessionLogPage
  const all = async (id: string, query = '&content=all') => {
    const pages = [await page(id, `?limit=5${query}`)]
    for (let next = pages[0]?.next; next !== null && next !== undefined; next = pages.at(-1)?.next)
      pages.push(await page(id, `?limit=5&after=${next}${query}`))
    return pages.flatMap(({ entries }) => entries)
  }
  const stored = async (id: string, agent = 'scripted') => {
    const session = await it.host.open({ tenant: 'default', agent, id } satisfies Key)
    return (await session.readWithContent(0, 1_000)) as AnyEvent[]
  }
  return { ...it, page, all, stored }
}

test('[X1] [X2] has every number of three interleaved sessions, page by page', async () => {
  const { post, page, all, stored } = world()
  for (const turn of [1, 2])
    for (const id of ['a', 'b', 'c'])
      await post(`/agents/scripted/${id}`, scriptBody({ tool: 'read', args: { turn } }, { text: `${id}${turn}` }))
  for (const id of ['a', 'b', 'c']) {
    const entries = await all(id)
    const events = await stored(id)
    expect(entries.map(({ seq, at, type }) => [seq, at, type])).toEqual(
      events.map(({ seq, at, type }) => [seq, at, type]),
    )
    expect(entries.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(JSON.stringify(entries)).toContain(`${id}2`)
    const whole = await page(id)
    expect(whole).toEqual({
      session: { id, agent: 'scripted', kind: 'chat' },
      ...{ entries, head: events.length, incarnation: 1, next: null },
    })
    expect((await page(id, `?after=${events.length}`)).entries).toEqual([])
  }
})

test('[X1] a branch begins with the events of its parent', async () => {
  const { post, all, page } = world()
  await post('/agents/scripted/a', scriptBody({ text: 'one' }))
  const { head } = await page('a')
  await post('/chat/sessions/a/branch', { from_event_id: `ev-${head}`, session_id: 'b' })
  await post('/agents/scripted/a', scriptBody({ text: 'two' }))
  const parent = await all('a')
  const branch = await all('b')
  expect(branch.slice(0, head)).toEqual(parent.slice(0, head))
  expect(branch.map(({ seq }) => seq)).toEqual(branch.map((_, index) => index + 1))
  expect((await page('b')).session).toEqual({
    ...{ id: 'b', agent: 'scripted', kind: 'chat' },
    parent: { agent: 'scripted', id: 'a', seq: head, incarnation: 1 },
  })
})

test('[X2] artifacts are in the log, and content=none leaves their text out', async () => {
  const { post, all } = world()
  await post('/agents/scripted/a', scriptBody({ artifact: { name: 'a.txt', content: 'CONTENT' } }, { text: 'x' }))
  expect(JSON.stringify(await all('a'))).toContain('CONTENT')
  const without = await all('a', '&content=none')
  expect(JSON.stringify(without.filter(({ type }) => type === 'artifact_chunk'))).not.toContain('CONTENT')
  expect(without).toHaveLength((await all('a')).length)
})

test('[X4] a secret of a prompt is not in the log', async () => {
  const { post, all } = world()
  const secret = `sk-${'ant-0123456789abcdef0123'}`
  await post(
    '/agents/scripted/a',
    scriptBody({ tool: 'call', args: { token: 'hush', note: secret } }, { text: secret }),
  )
  const text = JSON.stringify(await all('a'))
  expect(text).toContain('[removed]')
  expect(text).not.toContain('hush')
  expect(text).not.toContain(secret)
})

test('[X5] a cursor of another log is refused with what to do', async () => {
  const { ask, get, post, page } = world()
  await post('/agents/scripted/a', scriptBody({ text: 'x' }))
  const { head } = await page('a')
  for (const after of [`${head + 1}`, '999999999999', `${head}~2`]) {
    const { status, body } = await get(`/sessions/a/log?after=${after}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining('Leave `after` out')])
  }
  expect((await page('a', `?after=${head - 1}~1`)).entries).toHaveLength(1)
  // The next session of the id has other numbers.
  await ask('DELETE', '/agents/scripted/a')
  await post('/agents/scripted/a', scriptBody({ text: 'y' }))
  const { entries } = await page('a')
  expect(entries[0]).toMatchObject({ seq: head + 1, type: 'session_created' })
})

test.each(['?after=x', '?after=-1', '?limit=0', '?limit=2001', '?content=some', '?after=1~'])(
  '[X2] %s is a 400',
  async (query) => {
    const { post, get } = world()
    await post('/agents/scripted/a', scriptBody({ text: 'x' }))
    expect((await get(`/sessions/a/log${query}`)).status).toBe(400)
  },
)

test('[X2] an unknown session is a 404, and `agent` picks one of two', async () => {
  const { post, get, page } = world()
  await post('/agents/scripted/a', scriptBody({ text: 'first' }))
  await post('/agents/hooked/a', scriptBody({ text: 'second' }))
  expect((await page('a', '?agent=hooked')).session.agent).toBe('hooked')
  expect((await page('a')).session.agent).toBe('scripted')
  expect((await get('/sessions/a/log?agent=other')).status).toBe(404)
  expect((await get('/sessions/nobody/log')).status).toBe(404)
})
