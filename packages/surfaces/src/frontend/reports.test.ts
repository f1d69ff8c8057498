// The reports of agents in details and in lists: usage, steps, sources, warnings.

import { CITATIONS_MAX } from '@bridle/events/limits'
import { NOTICES_MAX } from '@bridle/kernel/projections/reports/notices'
import { NOTICE_CHARS_MAX } from '@bridle/wire/views/reports'
import { expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { isStatus, scriptPrompt, startedSession, waitForDetail } from './frontend.suite.ts'

const event = (type: string, payload: object) => ({ event: { type, payload } })
const usage = (input_tokens: number, more: object = {}) => event('usage', { input_tokens, output_tokens: 1, ...more })
const worked = async (it: ReturnType<typeof testApp>, ...steps: unknown[]) =>
  startedSession(it, { prompt: scriptPrompt(...steps) }, isStatus('completed', 'failed'))
const details = async (it: ReturnType<typeof testApp>, id: string) => {
  const [background, chat] = [await it.get(`/sessions/${id}`), await it.get(`/chat/sessions/${id}`)]
  const { background_artifacts: _, ...rest } = chat.body
  expect(rest).toEqual(background.body)
  return background.body
}
const rowOf = async ({ get }: ReturnType<typeof testApp>, id: string) =>
  ((await get('/sessions')).body.sessions as Record<string, unknown>[]).find((row) => row.id === id)

test('[F43] [F50] details have the sums of a session, and rows the short ones', async () => {
  const it = testApp()
  const priced = await worked(it, usage(10, { cost_usd: 0.5, context_usage_pct: 3 }), usage(5, { cost_usd: 0.25 }))
  const unpriced = await worked(it, usage(7))
  const silent = await worked(it, { text: 'x' })
  expect((await details(it, priced)).usage).toEqual({
    input_tokens: 15,
    output_tokens: 2,
    total_tokens: 17,
    cost_usd: 0.75,
    context_usage_pct: 3,
    model_calls: 2,
  })
  expect((await details(it, unpriced)).usage).toMatchObject({ total_tokens: 8, cost_usd: null })
  expect(await rowOf(it, priced)).toMatchObject({ usage: { total_tokens: 17, cost_usd: 0.75 }, messages: 2 })
  expect(await rowOf(it, unpriced)).toMatchObject({ usage: { total_tokens: 8, cost_usd: null } })
  expect(await rowOf(it, silent)).toMatchObject({ usage: { total_tokens: 0, cost_usd: null }, messages: 2, step: null })
})

test('[F44] [F50] details have the steps, and rows the step that the work has reached, while it runs', async () => {
  const it = testApp()
  const plan = ['done', 'in_progress'].map((status, index) => ({ text: `Part ${index + 1}`, status }))
  const script = scriptPrompt(event('step_progress', { step_id: 'plan', plan }), { approve: 'go', id: 'c' })
  const [one, two] = [
    await startedSession(it, { prompt: script, model: 'm-1' }, isStatus('awaiting_approval')),
    await worked(it, event('step_progress', { step_id: 'only', status: 'completed', summary: 'Done' })),
  ]
  const step = { index: 2, total: 2, title: 'Part 2', status: 'in_progress' }
  const { steps, ...detail } = await details(it, one)
  expect(detail.step).toEqual(step)
  expect(steps).toMatchObject([
    { step: 'plan.1', title: 'Part 1', status: 'done', started_at: null, ended_at: expect.any(String) },
    { step: 'plan.2', title: 'Part 2', status: 'in_progress', started_at: expect.any(String), ended_at: null },
  ])
  expect((steps as { event_id: string }[])[0]?.event_id).toMatch(/^ev-\d+$/)
  expect(await rowOf(it, one)).toMatchObject({ step, model: 'm-1', retry_at: null })
  expect(await rowOf(it, two)).toMatchObject({ step: { index: 1, total: null, title: 'Done', status: 'completed' } })
})

test('[F50] a row says when the next attempt is due', async () => {
  const it = testApp()
  const script = scriptPrompt({ fail: 'busy', transient: true })
  const id = await startedSession(it, { prompt: script, max_retries: 2 }, isStatus('recovering'))
  const { retry_at } = (await rowOf(it, id)) ?? {}
  expect(Date.parse(String(retry_at))).toBeGreaterThan(1_700_000_000_000)
  expect((await it.get(`/sessions/${id}`)).body.retry_at).toBe(retry_at)
  await it.post(`/sessions/${id}/cancel`)
  expect(await rowOf(it, id)).toMatchObject({ retry_at: null })
})

test('[F45] details have the newest citations with their event, and the pack of the newest retrieval', async () => {
  const it = testApp()
  const pack = { tokens: 3, documents: [{ id: 'd', tokens: 3, why: 'fits' }], left_out: [] }
  const id = await worked(
    it,
    event('retrieval', { query: 'a', citations: [{ id: 'x', title: 'X', event_id: 'forged' }, 'name', 7] }),
    event('retrieval', { query: 'b', citations: [{ id: 'y' }], context_pack: pack, shelf: 'east' }),
    event('retrieval', { query: 'c' }),
  )
  const { citations, context_pack } = (await details(it, id)) as { citations: object[]; context_pack: object }
  const eventId = expect.stringMatching(/^ev-\d+$/)
  expect(citations).toEqual([
    { id: 'x', title: 'X', event_id: eventId },
    { title: 'name', event_id: eventId },
    { title: '7', event_id: eventId },
    { id: 'y', event_id: eventId },
  ])
  expect(context_pack).toEqual({ query: 'c', event_id: eventId, timestamp: expect.any(String) })
  const other = await worked(it, event('retrieval', { query: 'b', context_pack: pack, shelf: 'east' }))
  expect(await details(it, other)).toMatchObject({
    citations: [],
    context_pack: { query: 'b', shelf: 'east', ...pack },
  })
  const none = await worked(it, { text: 'x' })
  expect(await details(it, none)).toMatchObject({ citations: [], context_pack: null, guardrail: null })
})

test('[F45] [F46] what details quote is bounded in number and in size', async () => {
  const it = testApp()
  const cite = (from: number) => Array.from({ length: 30 }, (_, index) => ({ id: `c${from + index}` }))
  const big = 'x'.repeat(NOTICE_CHARS_MAX + 1)
  const id = await worked(
    it,
    ...[0, 30, 60].map((from) => event('retrieval', { citations: cite(from) })),
    ...Array.from({ length: NOTICES_MAX + 3 }, (_, index) => event('context_warning', { message: `w${index}` })),
    event('context_compacted', { summary: big }),
    event('antahkarana', { trace_id: 'first' }),
    event('antahkarana', { trace_id: 'second', confidence: 0.5, layers: [{ name: 'a', status: 'ok' }] }),
  )
  const detail = (await details(it, id)) as Record<string, Record<string, unknown>[]>
  expect(detail.citations?.map((each) => each.id)).toEqual(
    Array.from({ length: CITATIONS_MAX }, (_, index) => `c${90 - CITATIONS_MAX + index}`),
  )
  expect(detail.context_warnings?.map(({ message }) => message)).toEqual(
    Array.from({ length: NOTICES_MAX }, (_, index) => `w${index + 3}`),
  )
  expect(detail.compactions).toEqual([{ isCut: true, event_id: expect.any(String), timestamp: expect.any(String) }])
  expect(detail.guardrail).toMatchObject({ trace_id: 'second', confidence: 0.5, layers: [{ name: 'a' }] })
  const loud = await worked(it, event('retrieval', { citations: [{ text: big }, { id: 'small' }] }))
  expect((await details(it, loud)).citations).toEqual([{ id: 'small', event_id: expect.any(String) }])
})

test('[F47] details have the proposals for the memory that wait, and places to resume from', async () => {
  const it = testApp()
  const propose = (name: string) => ({ artifact: { name, kind: 'memory_proposal', content: 'v' } })
  const id = await worked(it, propose('one'), propose('two'), { text: 'x' })
  const proposals = async () =>
    ((await details(it, id)).memory_proposals as { id: string; key: string; status: string }[]) ?? []
  expect((await proposals()).map(({ key, status }) => [key, status])).toEqual([
    ['two', 'pending'],
    ['one', 'pending'],
  ])
  const [two] = await proposals()
  expect((await it.post(`/sessions/${id}/memory/${two?.id}`, { decision: 'reject' })).status).toBe(200)
  await waitForDetail(it, id, ({ memory_proposals }) => (memory_proposals as unknown[]).length === 1)
  expect((await proposals()).map(({ key }) => key)).toEqual(['one'])
  expect((await details(it, id)).resume_points).toMatchObject([{ kind: 'checkpoint' }, { kind: 'turn' }])
})

test('[F48] both details leave out the channel where asked, and nothing for a name that is not known', async () => {
  const it = testApp()
  const id = await worked(it, { text: 'x' })
  for (const path of [`/sessions/${id}`, `/chat/sessions/${id}`]) {
    const whole = (await it.get(path)).body
    const { channel, ...rest } = whole
    expect(channel).toMatchObject({ channel_id: `session:${id}` })
    expect((await it.get(`${path}?omit=channel`)).body).toEqual(rest)
    expect((await it.get(`${path}?omit=novelty,%20channel`)).body).toEqual(rest)
    expect((await it.get(`${path}?omit=novelty`)).body).toEqual(whole)
  }
})

test('[H208] details have what the engine was given of the repository at last', async () => {
  const it = testApp()
  const files = [{ path: 'CLAUDE.md', kind: 'instructions', digest: 'ab', bytes: 3 }]
  const ignored = [{ path: '.mcp.json', keys: [] }]
  const id = await worked(
    it,
    event('instructions_loaded', { files: [], left_out: [], ignored }),
    event('instructions_loaded', { files, left_out: [], ignored }),
  )
  expect((await details(it, id)).instructions).toEqual({
    ...{ files, left_out: [], ignored },
    ...{ event_id: expect.stringMatching(/^ev-\d+$/), timestamp: expect.any(String) },
  })
  expect((await details(it, await worked(it, { text: 'x' }))).instructions).toBe(null)
})
