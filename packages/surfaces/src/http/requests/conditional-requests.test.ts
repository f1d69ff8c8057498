// Requests that depend on what the caller has already: artifacts and session details by their tags.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

describe('[H46] artifacts by their tag', () => {
  const versions = ['A'.repeat(20), 'B'.repeat(20), 'C'.repeat(20)]
  test('a download by name that is resumed after a new version starts over', async () => {
    const { get, post } = testApp()
    const path = '/sessions/s/artifacts/a.txt'
    const tags: string[] = []
    for (const content of versions) {
      await post('/agents/scripted/s', scriptBody({ artifact: { name: 'a.txt', content } }))
      const first = await get(path, { range: 'bytes=0-9' })
      expect([first.status, first.body.text]).toEqual([206, content.slice(0, 10)])
      tags.push(first.headers.get('etag') ?? '')
    }
    const [oldest = '', older = '', now = ''] = tags
    expect(new Set(tags).size).toBe(3)
    for (const tag of [oldest, older, `W/${now}`, 'Sat, 01 Jan 2000 00:00:00 GMT']) {
      const whole = await get(path, { range: 'bytes=10-', 'if-range': tag })
      expect([tag, whole.status, whole.body.text]).toEqual([tag, 200, versions[2]])
    }
    const rest = await get(path, { range: 'bytes=10-', 'if-range': now })
    expect([rest.status, rest.body.text]).toEqual([206, 'C'.repeat(10)])
    for (const tag of [now, `W/${now}`, `${older}, ${now}`, '*']) {
      const same = await get(path, { 'if-none-match': tag })
      expect([tag, same.status, same.body.text, same.headers.get('etag')]).toEqual([tag, 304, '', now])
    }
    expect((await get(path, { 'if-none-match': older })).status).toBe(200)
    for (const tag of [now, '*', `${older},${now}`]) expect((await get(path, { 'if-match': tag })).status).toBe(200)
    for (const tag of [older, `W/${now}`]) {
      const refused = await get(path, { 'if-match': tag, range: 'bytes=0-1' })
      expect([refused.status, typeof refused.body.error]).toEqual([412, 'string'])
    }
    // By id a version stays what it was.
    const ids = (await get('/sessions/s/artifacts')).body.artifacts as { id: string }[]
    expect((await get(`/sessions/s/artifacts/${ids[1]?.id}`, { 'if-match': older })).body.text).toBe(versions[1])
  })

  test('a range outside of it is a 416 that says why', async () => {
    const { get, post } = testApp()
    await post('/agents/scripted/s', scriptBody({ artifact: { name: 'a.txt', content: 'abc' } }))
    const { status, body, headers } = await get('/sessions/s/artifacts/a.txt', { range: 'bytes=9-' })
    expect([status, headers.get('content-range'), typeof body.error]).toEqual([416, 'bytes */3', 'string'])
  })
})

describe('[H47] session details by their tag', () => {
  test('a tag that is still right is a 304, and changes with the session', async () => {
    const { get, post } = testApp()
    await post('/chat/sessions', { session_id: 'a', engine: 'scripted' })
    const known: string[] = []
    for (const turn of ['one', 'two', 'three']) {
      for (const path of ['/sessions/a', '/agents/scripted/a', '/chat/sessions/a']) {
        const first = await get(path)
        const tag = first.headers.get('etag') ?? ''
        expect([path, first.headers.get('cache-control')]).toEqual([path, 'private, no-cache'])
        expect(tag).toMatch(/^W\/"[\w-]+"$/)
        expect(known).not.toContain(tag)
        known.push(tag)
        const again = await get(path, { 'if-none-match': `"other", ${tag}` })
        expect([again.status, again.body.text, again.headers.get('etag')]).toEqual([304, '', tag])
      }
      await post('/agents/scripted/a', scriptBody({ text: turn }))
    }
  })

  test('other answers are not to be kept', async () => {
    const { get, post } = testApp()
    await post('/agents/scripted/s', scriptBody({ text: 'x' }))
    for (const path of ['/health', '/sessions', '/approvals', '/sessions/nope', '/sessions/s/health'])
      expect([path, (await get(path)).headers.get('cache-control')]).toEqual([path, 'no-store'])
  })
})
