// Readers that fall behind and sockets that are dead, in the real runtime. It does not say what is unsent, and keeps what
// is dead until somebody looks.
import { connect } from 'node:net'
import { connectFabricWs } from '@bridle/client/fabric/socket'
import { HarnessClient } from '@bridle/client/harness/client'
import { post, readFrames, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isThorough } from '../../../../../scripts/variants.ts'
import { eventsOf, hasEvent, openTestSocket, type TestSocket } from '../../tests/socket-client.suite.ts'
import { attachments, evict, incarnation, ringTwice, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const DEAD_AFTER_MS = 1_500
/** In place of REPLAY_WAIT_MS, which is twice as long. */
const REPLAY_MS = 4_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (check: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await check()); tries++) {
    if (tries > 2_000) throw new Error('It did not happen.')
    await pause(10)
  }
}

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  const open: { close(): void }[] = []
  const at = (path: string) => `${world.url}${path}`
  const socketAt = (path: string) => at(path).replace(/^http/, 'ws')
  const say = (id: string, ...steps: unknown[]) => post(at(`/agents/scripted/${id}`), scriptBody(...steps))
  /** Some 400 KB on each wire: the text in pieces, and once more as the result. */
  const speech = (id: string, letter = 'x') => say(id, { text: letter.repeat(200_000), chunks: 10 })
  /** The number of sockets that the object would restore after hibernation. */
  const held = async (id: string) => (await attachments(world, id)).filter((one) => one !== null).length
  const dialled = async (path: string): Promise<TestSocket> => {
    const line = await openTestSocket(at(path))
    open.push({ close: () => line.ws.terminate() })
    // The runtime closes a socket that never said anything only when the object sleeps.
    line.say({ type: 'seen', seq: 0 })
    return line
  }

  beforeAll(async () => {
    const vars = { TEST_OPTIONS: JSON.stringify({ deadAfterMs: DEAD_AFTER_MS }), TEST_REPLAY_MS: String(REPLAY_MS) }
    world = await startTestWorker({ vars })
  })
  afterEach(() => {
    for (const each of open.splice(0)) each.close()
  })
  afterAll(() => world?.dispose())

  test.each([
    ['[W21] the Fabric socket', '/sessions/{s}/ws?marks=1'],
    ['[T19] the transport', '/ws?sessionId={s}&marks=1'],
  ])('[CF19] %s: one that reads, and does not say that it has, is cut with 4008', async (_name, path) => {
    const id = `mute-${path.length}`
    await say(id, { text: 'here' })
    const line = await dialled(path.replace('{s}', id))
    await line.until((messages) => messages.length > 0)
    // Asleep or not: the socket is still one that knows of marks.
    await evict(world, id)
    for (let round = 0; round < 20 && line.ws.readyState === line.ws.OPEN; round++) await speech(id)
    expect(await line.closed).toMatchObject({ code: 4008 })
    const said = JSON.stringify(line.messages).length
    expect(said).toBeGreaterThan(1_900_000)
    expect(said).toBeLessThan(3_500_000)
    expect((await post(at(`/agents/scripted/${id}`), scriptBody({ text: 'on' }))).body.result).toBe('on')
  })

  test.each([
    ['[W21] the Fabric socket', '/sessions/{s}/ws'],
    ['[T19] the transport', '/ws?sessionId={s}'],
  ])('[CF19] %s: one that did not ask for marks gets none, and is not held to them', async (_name, path) => {
    const id = `plain-${path.length}`
    await say(id, { text: 'here' })
    const line = await dialled(path.replace('{s}', id))
    for (let round = 0; round < 8; round++) await speech(id)
    line.say({ type: 'seen', seq: 3 })
    line.say({ type: 'ping', ts: 4 })
    await line.until(hasEvent('pong'))
    expect(line.ws.readyState).toBe(line.ws.OPEN)
    expect(JSON.stringify(line.messages).length).toBeGreaterThan(2_500_000)
    expect(line.messages.filter(({ type }) => type === 'mark')).toEqual([])
  })

  test('[CF19] what was not sent cannot be seen: neither the future, nor the past, nor a flood gains anything', async () => {
    await say('liar', { text: 'here' })
    const line = await dialled('/sessions/liar/ws?marks=1')
    await line.until(hasEvent('replay-end'))
    for (const seq of [Number.MAX_SAFE_INTEGER, 0, 1]) line.say({ type: 'seen', seq })
    for (let times = 0; times < 2_000; times++) line.say({ type: 'seen', seq: 1 })
    for (const seq of [-1, 1.5, '3', null, 2 ** 60]) line.say({ type: 'seen', seq })
    await line.until(hasEvent('error', 5))
    for (let round = 0; round < 20 && line.ws.readyState === line.ws.OPEN; round++) await speech('liar')
    expect(await line.closed).toMatchObject({ code: 4008 })
  })

  test('[CF19] a long replay waits for its reader; one that does not move is cut, and comes back by its cursor', async () => {
    for (let round = 0; round < 8; round++) await speech('long', String(round))
    const [last] = await readFrames(at('/agents/scripted/long/stream?replay=1'), (frames) => frames.length > 0)
    const line = await dialled('/sessions/long/ws?replay=all&marks=1')
    const cursor = () => eventsOf(line.messages).at(-1)?.id
    await line.until((messages) => messages.some(({ type }) => type === 'mark'))
    const before = await incarnation(world, 'long')
    // A reader that moves now and then is never cut.
    for (let times = 0; times < 2; times++) {
      await pause(REPLAY_MS * 0.6)
      const marks = line.messages.flatMap((message) => (message.type === 'mark' ? [message.seq] : []))
      line.say({ type: 'seen', seq: marks.at(-1) })
    }
    expect(await incarnation(world, 'long')).toBe(before)
    expect(line.ws.readyState).toBe(line.ws.OPEN)
    expect(JSON.stringify(line.messages).length).toBeLessThan(2_500_000)
    expect(await line.closed).toMatchObject({ code: 4008 })
    const rest = await dialled(`/sessions/long/ws?after=${cursor()}`)
    await rest.until(hasEvent('replay-end'))
    const ids = [...eventsOf(line.messages), ...eventsOf(rest.messages)].map(({ id }) => Number(id.slice(3)))
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(ids.at(-1)).toBe(Number(last?.id))
  })

  test('[CF19] [T19] [W21] our clients say what they have seen: a long session reaches them whole, over one connection', async () => {
    await say('ours', { text: 'here' })
    const ids: string[] = []
    const errors: unknown[] = []
    const events = connectFabricWs({
      url: socketAt('/sessions/ours/ws'),
      replay: 1,
      onEvent: ({ id }) => ids.push(id),
      onError: (error) => errors.push(error),
      reconnect: false,
    })
    const client = new HarnessClient({ url: socketAt('/ws?sessionId=ours') })
    const phases: string[] = []
    client.on('connection', ({ phase }) => phases.push(phase))
    client.on('error', (error) => errors.push(error))
    open.push(events, client)
    await until(() => client.connection.phase === 'open' && ids.length > 0)
    for (let round = 0; round < 15; round++) await speech('ours', 'y')
    const head = Number((await readFrames(at('/agents/scripted/ours/stream?replay=1'), (all) => all.length > 0))[0]?.id)
    await until(() => ids.at(-1) === `ev-${head}` && client.getSnapshot().messages.length === 32)
    expect(events.state).toBe('open')
    expect(errors).toEqual([])
    expect(phases.filter((phase) => phase === 'open')).toHaveLength(1)
    expect(client.connection).toMatchObject({ phase: 'open', resyncs: 0 })
    // A client is not cut while a state larger than the limit is on its way to it.
    const late = new HarnessClient({ url: socketAt('/ws?sessionId=ours') })
    open.push(late)
    await late.submit(scriptBody({ text: 'late' }).prompt)
    await until(() => late.getSnapshot().messages.at(-1)?.content === 'late')
    expect(late.connection.error).toBeUndefined()
  })

  if (isThorough)
    test('[CF19] [H10] a stream whose reader is too far behind is cut, and what waits for it is dropped', async () => {
      await say('stream', { text: 'here' })
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
      open.push({ close: () => socket.destroy() })
      let text = ''
      socket.setEncoding('latin1')
      socket.on('error', () => {})
      socket.on('data', (more) => {
        text += more
      })
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.write('GET /agents/scripted/stream/stream HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await new Promise((resolve) => socket.once('data', resolve))
      socket.pause()
      // More than all buffers of the system and the one of ours hold.
      for (let round = 0; round < 40; round++) await speech('stream')
      socket.resume()
      await closed
      expect(text.length).toBeLessThan(14_000_000)
      // Had it only been ended, the rest and the last chunk would have come first.
      expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
      const [, cursor] = text.match(/.*\nid: (\d+)\n/s) ?? []
      const rest = await readFrames(at('/agents/scripted/stream/stream'), (frames) => frames.length > 0, {
        'last-event-id': String(cursor),
      })
      expect(Number(rest[0]?.id)).toBeGreaterThan(Number(cursor))
    })

  test('[CF20] who pinged and fell silent goes at the next wake; who never pings, or still does, stays', async () => {
    await say('dead', { text: 'here' })
    const [silent, bare, beating] = await Promise.all(
      [1, 2, 3].map((n) => dialled(n === 1 ? '/sessions/dead/ws' : '/ws?sessionId=dead')),
    )
    const ping = '{"type":"ping"}'
    for (const each of [silent, beating]) each?.say(ping)
    await Promise.all([silent, beating].map((each) => each?.until(hasEvent('pong'))))
    await evict(world, 'dead')
    const beat = setInterval(() => beating?.say(ping), 200)
    await pause(DEAD_AFTER_MS + 500)
    // Nobody has looked yet.
    expect(silent?.ws.readyState).toBe(silent?.ws.OPEN)
    await say('dead', { text: 'awake' })
    expect(await silent?.closed).toMatchObject({ code: 4009 })
    clearInterval(beat)
    for (const each of [bare, beating]) {
      await each?.until((messages) => JSON.stringify(messages).includes('awake'))
      expect(each?.ws.readyState).toBe(each?.ws.OPEN)
    }
    await until(async () => (await held('dead')) === 2)
  })

  test('[CF20] an alarm lets go of the dead too, and whoever wakes the object by speaking is not dead', async () => {
    await say('alarm', { text: 'here' })
    const [silent, speaker] = await Promise.all(['/sessions/alarm/ws', '/ws?sessionId=alarm'].map(dialled))
    for (const each of [silent, speaker]) {
      each?.say('{"type":"ping"}')
      await each?.until(hasEvent('pong'))
    }
    await evict(world, 'alarm')
    await pause(DEAD_AFTER_MS + 200)
    speaker?.say({ type: 'ping', ts: 9 })
    await speaker?.until((messages) => messages.some((message) => message.type === 'pong' && message.ts === 9))
    expect(speaker?.ws.readyState).toBe(speaker?.ws.OPEN)
    expect(await silent?.closed).toMatchObject({ code: 4009 })
    await pause(DEAD_AFTER_MS + 200)
    await ringTwice(world, 'alarm')
    expect(await speaker?.closed).toMatchObject({ code: 4009 })
    await until(async () => (await held('alarm')) === 0)
  })

  test('[CF20] one that was cut and does not read on is not taken up again when the object wakes', async () => {
    await say('stuck', { text: 'here' })
    const line = await dialled('/sessions/stuck/ws?marks=1')
    await line.until(hasEvent('replay-end'))
    line.ws.pause()
    expect(await held('stuck')).toBe(1)
    for (let round = 0; round < 40 && (await held('stuck')) > 0; round++) await speech('stuck')
    expect(await held('stuck')).toBe(0)
    await evict(world, 'stuck')
    await say('stuck', { text: 'never heard' })
    line.ws.resume()
    expect(await line.closed).toMatchObject({ code: 4008 })
    expect(JSON.stringify(line.messages)).not.toContain('never heard')
  })
})
