// Pages of a session's channel.

import { ENVELOPES_MAX } from '@bridle/events/limits'
import type { ChannelPage } from '@bridle/wire/http/wire'
import { CHANNEL_CHARS_MAX } from '@bridle/wire/views/envelopes'
import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { envelopeTypes, hasType, isStatus, readEnvelopes, scriptPrompt, startedSession } from './frontend.suite.ts'

const worked = (it: ReturnType<typeof testApp>, ...steps: unknown[]) =>
  startedSession(it, { prompt: scriptPrompt(...steps) }, isStatus('completed'))
const pageOf = async (it: ReturnType<typeof testApp>, id: string, query = '') =>
  (await it.get(`/sessions/${id}/channel${query}`)).body as unknown as ChannelPage
/** All envelopes, from the newest page to the oldest, and the sizes of the pages. */
const allPages = async (it: ReturnType<typeof testApp>, id: string, limit: number) => {
  let page = await pageOf(it, id, `?limit=${limit}`)
  const pages = [page]
  while (page.next !== undefined && pages.length < 100) {
    page = await pageOf(it, id, `?limit=${limit}&before=${page.next}`)
    pages.push(page)
  }
  return {
    envelopes: pages.toReversed().flatMap(({ envelopes }) => envelopes),
    sizes: pages.map((each) => each.envelopes.length),
  }
}
const thoughts = (count: number) => Array.from({ length: count }, (_, index) => ({ thinking: `thought ${index}` }))

describe('[F49] the pages of a channel', () => {
  test('have every event of the stream once, but pieces of text', async () => {
    const it = testApp()
    const [one, two] = [
      await worked(it, ...thoughts(50), { text: 'Hello there', chunks: 5 }, { tool: 'read', id: 'c' }),
      await worked(it, { text: 'x' }),
    ]
    for (const [id, limit] of [[one, 7] as const, [one, 100] as const, [two, 3] as const]) {
      const frames = await readEnvelopes(it, `/sessions/${id}/events/stream`, hasType('turn_end'))
      const shown = envelopeTypes(frames).filter((type) => type !== 'token' && type !== 'session')
      const { envelopes, sizes } = await allPages(it, id, limit)
      expect(envelopes.map(({ event_type }) => event_type).slice(0, shown.length)).toEqual(shown)
      expect(envelopes.map(({ seq }) => seq)).toEqual(
        [...new Set(envelopes.map(({ seq }) => seq))].sort((a, b) => a - b),
      )
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true)
      expect(sizes.at(-1)).toBeGreaterThan(0)
    }
  })

  test('go on where the channel of a detail ends', async () => {
    const it = testApp()
    const id = await worked(it, ...thoughts(60))
    const { channel } = (await it.get(`/sessions/${id}`)).body as { channel: ChannelPage }
    expect(channel.envelopes).toHaveLength(ENVELOPES_MAX)
    expect(await pageOf(it, id)).toEqual({ envelopes: channel.envelopes, next: channel.next })
    const before = await pageOf(it, id, `?before=${channel.next}&limit=2`)
    expect(before.envelopes.map(({ seq }) => seq)).toEqual([1, 2].map((back) => channel.envelopes[0]!.seq - 3 + back))
    const short = await worked(it, { text: 'x' })
    expect((await it.get(`/sessions/${short}`)).body.channel).not.toHaveProperty('next')
    expect(await pageOf(it, short, '?limit=100')).not.toHaveProperty('next')
  })

  test('are bounded in size, and have at least one envelope', async () => {
    const it = testApp()
    const reflect = (chars: number) => ({ event: { type: 'reflection', payload: { text: 'x'.repeat(chars) } } })
    const [one, many] = [
      await worked(it, reflect(CHANNEL_CHARS_MAX + 10)),
      await worked(it, ...[1, 2, 3].map(() => reflect(0.4 * CHANNEL_CHARS_MAX))),
    ]
    for (const [id, count] of [[one, 1] as const, [many, 3] as const]) {
      const { envelopes, sizes } = await allPages(it, id, 100)
      expect(envelopes.filter(({ event_type }) => event_type === 'reflection')).toHaveLength(count)
      expect(sizes.length).toBeGreaterThan(1)
      expect(Math.min(...sizes)).toBeGreaterThan(0)
    }
  })

  test.each(['?before=x', '?limit=0', '?limit=101'])('%s is a 400', async (query) => {
    const it = testApp()
    const id = await worked(it, { text: 'x' })
    expect((await it.get(`/sessions/${id}/channel${query}`)).status).toBe(400)
    expect((await it.get('/sessions/unknown/channel')).status).toBe(404)
  })

  test('of another incarnation begin again', async () => {
    const it = testApp()
    const id = await worked(it, ...thoughts(30))
    expect(await pageOf(it, id, '?before=ev-4~7')).toEqual(await pageOf(it, id))
  })
})
