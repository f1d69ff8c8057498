// Ids that were removed and used again: their numbers continue, and branches of the first session remain.

import type { ImportReceipt } from '@bridle/wire/http/wire'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

const server = () => {
  const it = testApp()
  const say = (id: string, text: string) => it.post(`/agents/scripted/${id}`, scriptBody({ text }))
  const remove = (id: string) =>
    it.app.fetch(new Request(`http://127.0.0.1/agents/scripted/${id}`, { method: 'DELETE' }))
  const head = async (id: string) => String((await it.get(`/sessions/${id}`)).body.lastEventId)
  const branch = async (from: string, id: string) => {
    const body = { from_event_id: await head(from), session_id: id }
    expect((await it.post(`/chat/sessions/${from}/branch`, body)).status).toBe(201)
  }
  const file = async (path: string) => String((await it.get(path)).body.text)
  const load = async (text: string, query = '') => {
    const { status, body } = await it.post(`/import${query}`, text)
    return { status, error: body.error, sessions: (body as unknown as ImportReceipt).sessions }
  }
  const firstSeq = async (id: string) =>
    ((await it.get(`/sessions/${id}/log?limit=1`)).body.entries as { seq: number }[])[0]?.seq
  return { ...it, say, remove, branch, file, load, firstSeq }
}

const idsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"session"'))
    .map((line) => {
      const { id, partial, parent } = JSON.parse(line).session
      return `${id}${partial ? ' partial' : ''}${parent ? ` of ${parent.id}` : ''}`
    })

/** Three lives of `s`, the first two of which live on in branches, and other sessions between them. */
const usedAgain = async (isTimePassing: boolean) => {
  const here = server()
  const pass = () => isTimePassing && here.advance(1_000)
  await here.say('x', 'first of x')
  for (const life of [1, 2]) {
    pass()
    await here.say('s', `life ${life}`)
    await here.branch('s', `b${life}`)
    await here.say(`b${life}`, `branch of life ${life}`)
    await here.say('s', 'more that no branch has')
    pass()
    await here.branch(`b${life}`, `c${life}`)
    await here.remove('s')
  }
  pass()
  await here.say('y', 'first of y')
  await here.say('s', 'life 3')
  await here.branch('s', 'b3')
  return here
}

test.each([true, false])(
  '[X66] lives of an id have names of their own in a file, and export, import, export gives the same bytes (time passes: %s)',
  async (isTimePassing) => {
    const here = await usedAgain(isTimePassing)
    const text = await here.file('/export')
    expect(idsOf(text).toSorted()).toEqual([
      ...['b1 of s-from-1', `b2 of s-from-${await here.firstSeq('b2')}`, 'b3 of s', 'c1 of b1', 'c2 of b2', 's'],
      ...['s-from-1 partial', `s-from-${await here.firstSeq('b2')} partial`, 'x', 'y'],
    ])
    const there = server()
    const { status, error, sessions } = await there.load(text)
    expect([status, error, sessions.length]).toEqual([200, undefined, 10])
    expect(await there.file('/export')).toBe(text)
    const third = server()
    await third.load(text)
    expect(await third.file('/export')).toBe(text)
    // Each branch reads on as its own life told it.
    for (const id of ['b1', 'c1', 'b2', 'c2', 'b3', 's'])
      expect((await there.get(`/sessions/${id}`)).body.messages).toEqual(
        (await here.get(`/sessions/${id}`)).body.messages,
      )
  },
)

test('[X66] a removed parent whose id nobody used again keeps its name, and stays partial in the next export', async () => {
  const here = server()
  await here.say('s', 'one')
  await here.branch('s', 'b')
  await here.say('s', 'lost with it')
  await here.remove('s')
  await here.say('x', 'other')
  const text = await here.file('/export')
  expect(idsOf(text)).toEqual(['s partial', 'b of s', 'x'])
  const there = server()
  await there.load(text)
  expect(await there.file('/export')).toBe(text)
  // Once somebody goes on with it, the log is whole.
  await there.say('s', 'on it goes')
  expect(idsOf(await there.file('/export'))).toContain('s')
})

test('[X67] a log whose numbers begin behind those of a removed session is imported anywhere, with its numbers', async () => {
  const here = server()
  await here.say('x', 'one')
  await here.say('s', 'first life')
  await here.remove('s')
  await here.say('s', 'second life')
  await here.say('y', 'two')
  const text = await here.file('/export')
  const first = await here.firstSeq('s')
  expect(first).toBeGreaterThan(1)
  const there = server()
  expect((await there.load(text, '?check=1')).sessions.map(({ id }) => id)).toEqual(['s', 'x', 'y'].toSorted())
  expect(await there.firstSeq('s').catch(() => null)).toBeFalsy()
  expect((await there.load(text)).status).toBe(200)
  expect(await there.firstSeq('s')).toBe(first)
  expect(await there.file('/export')).toBe(text)
  expect((await there.load(text)).sessions.every(({ existing }) => existing)).toBe(true)
  await there.say('s', 'goes on')
  // Another server has an own session of the id: the log keeps its numbers under another id.
  const busy = server()
  await busy.say('s', 'mine')
  const renamed = await busy.load(text, '?rename=1')
  expect(renamed.sessions.find((each) => each.renamed_from)).toMatchObject({ id: 's-2', renamed_from: 's' })
  expect(await busy.firstSeq('s-2')).toBe(first)
})

test('[X67] a page that waits for the first event of the id does not stop the import', async () => {
  const here = server()
  await here.say('s', 'first life')
  await here.remove('s')
  await here.say('s', 'second life')
  const there = server()
  await there.host.open({ tenant: 'default', agent: 'scripted', id: 's' })
  const { status } = await there.load(await here.file('/export'))
  expect(status).toBe(200)
  expect(await there.firstSeq('s')).toBe(await here.firstSeq('s'))
})

test('[X13] a file that gave its sessions other ids changes nothing when it comes again, also where only a part of it was written', async () => {
  const here = server()
  for (const id of ['a', 'x', 'y']) await here.say(id, `of ${id}`)
  await here.branch('a', 'b')
  await here.say('b', 'more of b')
  await here.branch('b', 'c')
  const text = await here.file('/export')
  const there = server()
  for (const id of ['a', 'y']) await there.say(id, 'mine')
  const first = await there.load(text, '?rename=1')
  expect(first.sessions.filter((each) => each.renamed_from).map(({ id }) => id)).toEqual(['a-2', 'y-2'])
  const before = await there.file('/export')
  const again = await there.load(text, '?rename=1')
  expect(again.sessions).toEqual(first.sessions.map((each) => ({ ...each, existing: true })))
  expect(await there.file('/export')).toBe(before)
  // As after a crash in the middle.
  for (const id of ['c', 'y-2']) await there.remove(id)
  const completed = await there.load(text, '?rename=1')
  expect(completed.sessions.map(({ id, existing }) => `${id} ${existing ?? false}`)).toEqual([
    'a-2 true',
    'b true',
    'c-2 false',
    'x true',
    'y-3 false',
  ])
})

test('[X13] a new id is never one that another session of the file has', async () => {
  const here = server()
  await here.say('a', 'one')
  await here.say('a-2', 'two')
  await here.say('b', 'three')
  const there = server()
  await there.say('a', 'mine')
  const { sessions } = await there.load(await here.file('/export'), '?rename=1')
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(['a-2', 'a-3', 'b'])
})
