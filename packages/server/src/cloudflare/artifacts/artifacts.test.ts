// Large artifacts in a bucket, in the real runtime: nobody outside can tell, and nothing is left behind.

import { get, isIdle, post, readFrames, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  breakBucket,
  bucketNames,
  emptyBucket,
  evict,
  hasAlarm,
  reset,
  ringTwice,
  startTestWorker,
} from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const long = `${'0123456789'.repeat(20_000)}ü`
const published = (content: string, name = 'long.txt') => scriptBody({ artifact: { name, content } }, { text: 'done' })

describe.skipIf(noTools)('with a bucket', () => {
  let world: WorkerdProcess
  const at = (path: string) => `${world.url}${path}`
  const agent = (id: string) => at(`/agents/scripted/${id}`)
  const read = (id: string, headers: Record<string, string> = {}, name = 'long.txt') =>
    fetch(at(`/sessions/${id}/artifacts/${name}`), { headers })
  const named = async (id: string) => (await bucketNames(world)).filter((name) => name.includes(`/${id}/`))

  beforeAll(async () => {
    world = await startTestWorker({ hasBucket: true })
  })
  afterEach(() => breakBucket(world, 'nothing'))
  afterAll(() => world?.dispose())

  test('[CF15] a large text lies in the bucket and is read as before, in whole and in part', async () => {
    expect((await post(agent('large'), published(long))).body.result).toBe('done')
    expect(await named('large')).toEqual([expect.stringMatching(/^default\/scripted\/large\/[0-9a-f-]{36}$/)])
    const whole = await read('large')
    expect([whole.headers.get('content-length'), await whole.text()]).toEqual(['200002', long])
    const part = await read('large', { range: 'bytes=199998-' })
    expect([part.status, await part.text()]).toEqual([206, '89ü'])
    await evict(world, 'large')
    expect(await (await read('large')).text()).toBe(long)
  })

  test('[CF15] no reference leaves through a wire', async () => {
    await post(agent('quiet'), published(long))
    const [name = ''] = await named('quiet')
    const frames = await readFrames(`${agent('quiet')}/stream`, isIdle)
    const debug = await fetch(at('/sessions/quiet/events/stream?tier=debug'))
    const stream = debug.body?.getReader()
    let said = ''
    while (stream && !said.includes('turn_end')) said += new TextDecoder().decode((await stream.read()).value)
    await stream?.cancel()
    const answers = [await get(at('/sessions/quiet')), await get(agent('quiet')), await get(at('/chat/sessions/quiet'))]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const all = [...frames.map(({ raw }) => raw), said, JSON.stringify(answers)].join('\n')
    expect(all).not.toContain(name.slice(name.lastIndexOf('/') + 1))
    expect(all).not.toContain('"stored"')
  })

  test('[CF15] what is small stays in the log; what is very long lies in several objects; every text survives', async () => {
    const odd = `${'\ud800'.repeat(235_000)}end`
    await post(agent('small'), published('short'))
    // As itself, not escaped: else the prompt would be too long.
    const { prompt } = published(odd)
    expect((await post(agent('odd'), { prompt: prompt.replaceAll('\\ud800', '\ud800') })).body.result).toBe('done')
    expect([(await named('small')).length, (await named('odd')).length]).toEqual([0, 2])
    expect(await (await read('small')).text()).toBe('short')
    expect(await (await read('odd')).text()).toBe(odd.toWellFormed())
  })

  test('[CF15] a bucket that takes nothing: nothing is acknowledged, and the session goes on', async () => {
    await post(agent('full'), scriptBody({ text: 'before' }))
    await breakBucket(world, 'put')
    const failed = await post(agent('full'), published(long))
    expect(failed.status).toBeGreaterThanOrEqual(500)
    await breakBucket(world, 'nothing')
    const { body } = await get(at('/sessions/full'))
    expect(body.artifacts).toEqual([])
    await expect.poll(async () => (await post(agent('full'), scriptBody({ text: 'after' }))).body.result).toBe('after')
    await post(agent('full'), published(long))
    expect(await (await read('full')).text()).toBe(long)
    await ringTwice(world, 'full')
    expect(await named('full')).toHaveLength(1)
  })

  test('[CF15] an object that is gone is the error of that artifact alone', async () => {
    await post(agent('gone'), published(long))
    await emptyBucket(world)
    await evict(world, 'gone')
    const missing = await read('gone')
    expect([missing.status, await missing.json()]).toEqual([
      500,
      {
        error: {
          type: 'internal_error',
          message: 'The content of this artifact is gone: it is no longer where it was put.',
        },
      },
    ])
    await post(agent('gone'), published(`${long}!`, 'other.txt'))
    expect(await (await read('gone', {}, 'other.txt')).text()).toBe(`${long}!`)
    expect((await readFrames(`${agent('gone')}/stream`, isIdle)).length).toBeGreaterThan(0)
  })

  test('[CF15] a bucket that cannot be reached keeps no session from waking', async () => {
    await post(agent('cut-off'), published(long))
    await evict(world, 'cut-off')
    await breakBucket(world, 'get')
    expect((await post(agent('cut-off'), scriptBody({ text: 'here' }))).body.result).toBe('here')
    expect((await read('cut-off')).status).toBe(503)
    await breakBucket(world, 'nothing')
    expect(await (await read('cut-off')).text()).toBe(long)
  })

  test('[CF15] removed with its session, as often as it takes', async () => {
    await post(agent('removed'), published(long))
    await breakBucket(world, 'delete')
    expect((await fetch(agent('removed'), { method: 'DELETE' })).status).toBe(200)
    expect(await hasAlarm(world, 'removed')).toBe(true)
    await reset(world, 'removed')
    expect(await hasAlarm(world, 'removed')).toBe(true)
    await ringTwice(world, 'removed')
    expect([await named('removed'), await hasAlarm(world, 'removed')]).toEqual([[expect.anything()], true])
    await breakBucket(world, 'nothing')
    await ringTwice(world, 'removed')
    expect([await named('removed'), await hasAlarm(world, 'removed')]).toEqual([[], false])
    await post(agent('at-once'), published(long))
    expect((await fetch(agent('at-once'), { method: 'DELETE' })).status).toBe(200)
    await expect.poll(() => named('at-once')).toEqual([])
  })

  test('[CF15] kept while a branch reads on in what was removed', async () => {
    await post(agent('trunk'), published(long))
    await post(agent('trunk'), published(long))
    const { lastEventId } = (await get(at('/sessions/trunk'))).body
    const place = { session_id: 'leaf', from_event_id: lastEventId }
    const branched = await post(at('/chat/sessions/trunk/branch'), place)
    expect(branched.status).toBe(201)
    await post(agent('leaf'), published(long, 'own.txt'))
    await fetch(agent('trunk'), { method: 'DELETE' })
    await ringTwice(world, 'trunk')
    expect(await named('trunk')).toHaveLength(2)
    expect(await (await read('leaf')).text()).toBe(long)
    expect((await fetch(agent('leaf'), { method: 'DELETE' })).status).toBe(200)
    await ringTwice(world, 'trunk')
    await expect.poll(async () => [...(await named('trunk')), ...(await named('leaf'))]).toEqual([])
  })
})

describe.skipIf(noTools)('a bucket that comes later', () => {
  test('[CF15] what was written before it was bound is still read; what is there is found after a crash', async () => {
    let world = await startTestWorker()
    const { folder } = world
    const agent = () => `${world.url}/agents/scripted/before`
    const read = async (name: string) => (await fetch(`${world.url}/sessions/before/artifacts/${name}`)).text()
    try {
      await post(agent(), published(long))
      await world.kill()
      world = await startTestWorker({ folder, hasBucket: true })
      expect(await read('long.txt')).toBe(long)
      await post(agent(), published(`${long}!`, 'later.txt'))
      expect(await bucketNames(world)).toHaveLength(1)
      await world.kill()
      world = await startTestWorker({ folder, hasBucket: true })
      expect([await read('long.txt'), await read('later.txt')]).toEqual([long, `${long}!`])
      await world.kill()
      // Unbound again: named, not shown as empty.
      world = await startTestWorker({ folder })
      expect(await read('later.txt')).toContain('The content of this artifact is gone')
      expect((await post(agent(), scriptBody({ text: 'on' }))).body.result).toBe('on')
    } finally {
      await world.dispose()
    }
  })
})
