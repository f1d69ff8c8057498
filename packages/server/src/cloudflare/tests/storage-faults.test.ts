// A storage that throws, in the real runtime: callers get the answers they get on Node, and nothing is left half done.

import { isIdle, post, readFrames, scriptBody, typesOf } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breakStorage, startTestWorker } from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  const agent = (id: string) => `${world.url}/agents/scripted/${id}`
  const stream = (id: string) => `${agent(id)}/stream`

  beforeAll(async () => {
    world = await startTestWorker()
  })
  afterAll(() => world?.dispose())

  test.each([
    ['full', 'database or disk is full: SQLITE_FULL', 503, 'unavailable', 'The store is full; nothing was written.'],
    ['io', 'disk I/O error: SQLITE_IOERR', 503, 'unavailable', 'whether it was written is not known'],
    ['damaged', 'database disk image is malformed: SQLITE_CORRUPT', 500, 'internal_error', 'is damaged'],
  ])('[H11] one that is %s says so, and goes on when it can', async (id, message, status, type, said) => {
    expect((await post(agent(id), scriptBody({ text: 'before' }))).body.result).toBe('before')
    await breakStorage(world, id, message)
    const key = { 'idempotency-key': 'k-1' }
    const refused = await post(agent(id), scriptBody({ text: 'after' }), key)
    expect([refused.status, refused.body.error]).toEqual([
      status,
      expect.objectContaining({ type, message: expect.stringContaining(said) }),
    ])
    await breakStorage(world, id, '')
    // A damaged session stays stopped until the object starts again.
    if (type === 'internal_error') return
    await expect.poll(async () => (await post(agent(id), scriptBody({ text: 'after' }), key)).body.result).toBe('after')
    const told = typesOf(
      await readFrames(stream(id), (all) => typesOf(all).filter((each) => each === 'idle').length === 2),
    )
    expect(told.filter((each) => each === 'result')).toHaveLength(2)
  })

  test('[CF8] one that throws in the middle of a run: what was seen stays, and the run has ended', async () => {
    post(agent('middle'), scriptBody({ text: 'abcdefghij', chunks: 10, everyMs: 100 })).catch(() => {})
    const seen = await readFrames(stream('middle'), (all) => all.length === 4)
    await breakStorage(world, 'middle', 'disk I/O error: SQLITE_IOERR')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await breakStorage(world, 'middle', '')
    const all = await readFrames(stream('middle'), isIdle)
    expect(all.slice(0, seen.length).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw))
    expect(all.at(-2)?.data).toMatchObject({ type: 'error', data: { reason: 'interrupted' } })
    expect((await post(agent('middle'), scriptBody({ text: 'again' }))).body.result).toBe('again')
  })
})
