// The operator's client against an app in this process.

import { fabricClient } from '@bridle/client/index'
import { expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { scriptBody } from '../http/test-client.suite.ts'

const world = () => {
  const { app } = testApp()
  const asked: string[] = []
  const client = fabricClient({
    url: 'http://127.0.0.1',
    fetch: async (url, init) => {
      asked.push(url.slice('http://127.0.0.1'.length))
      return app.fetch(new Request(url, init))
    },
  })
  return { client, asked }
}

test('[F48] [F49] sessions come without their channel, which is read by pages', async () => {
  const { client } = world()
  for (const id of ['a', 'b']) await client.invoke('scripted', id, scriptBody({ thinking: 'hm' }, { text: id }))
  for (const id of ['a', 'b']) {
    for (const detail of [await client.session(id), await client.chat(id, 'scripted')])
      expect(detail).toMatchObject({ id, usage: { total_tokens: 0, cost_usd: null }, steps: [], step: null })
    expect(await client.session(id)).not.toHaveProperty('channel')
    expect(await client.chat(id)).not.toHaveProperty('channel')
    const newest = await client.channel(id, { limit: 3 })
    const earlier = await client.channel(id, {
      limit: 2,
      agent: 'scripted',
      ...(newest.next && { before: newest.next }),
    })
    expect([...earlier.envelopes, ...newest.envelopes].map(({ seq }) => seq)).toHaveLength(5)
    expect(earlier.envelopes.at(-1)?.seq).toBeLessThan(newest.envelopes[0]?.seq ?? 0)
  }
})

test('[F51] a feed names the types that it leaves out, each time it connects', async () => {
  const { client, asked } = world()
  await client.invoke('scripted', 'a', scriptBody({ thinking: 'hm' }, { text: 'Hello' }))
  const typesOf = async (omit: readonly string[]) => {
    const types: string[] = []
    for await (const { type } of client.envelopes('a', { omit })) {
      types.push(type)
      if (type === 'turn_end') break
    }
    return types
  }
  const all = await typesOf([])
  expect(all).toEqual(expect.arrayContaining(['token', 'thinking']))
  expect(await typesOf(['token', 'thinking'])).toEqual(all.filter((type) => type !== 'token' && type !== 'thinking'))
  expect(asked.slice(-2)).toEqual(['/sessions/a/events/stream', '/sessions/a/events/stream?omit=token%2Cthinking'])
})

test('[X2] the log of a session is read by pages', async () => {
  const { client, asked } = world()
  for (const id of ['a', 'b']) await client.invoke('scripted', id, scriptBody({ text: id }))
  for (const id of ['a', 'b']) {
    const first = await client.log(id, { limit: 3 })
    const rest = await client.log(id, { agent: 'scripted', after: first.next ?? 0, content: 'none' })
    expect([...first.entries, ...rest.entries].map(({ seq }) => seq)).toEqual(
      Array.from({ length: first.head }, (_, index) => index + 1),
    )
  }
  expect(asked.slice(-2)).toEqual(['/sessions/b/log?limit=3', '/sessions/b/log?agent=scripted&after=3&content=none'])
})

test('[X6] [X13] sessions are exported and imported', async () => {
  const { client } = world()
  const other = world().client
  for (const id of ['a', 'b']) await client.invoke('scripted', id, scriptBody({ text: id }))
  const one = await (await client.exportSession('a', { branches: 'none' })).text()
  const all = await (await client.exportSessions({ agent: 'scripted' })).text()
  expect((await other.importSessions(all, { check: true })).sessions).toHaveLength(2)
  expect((await other.importSessions(one)).sessions).toEqual([
    { id: 'a', agent: 'scripted', events: expect.any(Number) },
  ])
  expect((await other.importSessions(new Blob([all]))).sessions).toMatchObject([{ existing: true }, { id: 'b' }])
  expect(await (await other.exportSessions()).text()).toBe(all)
  await expect(other.importSessions('x\n')).rejects.toMatchObject({ status: 400 })
})
