// When the client comes back, when it gives a line up, and what wakes it.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeClientOf, fakeServer, openClient, state } from '../harness/fake-server.suite.ts'

const noBackoff = { backoff: undefined } as never
const turns = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  vi.spyOn(Math, 'random').mockReturnValue(1)
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('backoff', () => {
  test('250 ms, doubled up to 10 s, and from the start once it was open', async () => {
    const { server, client, line } = await openClient(noBackoff)
    const waits: number[] = []
    line.cut()
    for (let count = 2; count < 10; count++) {
      const waitMs = (client.connection.nextTryAt as number) - Date.now()
      expect(client.connection).toMatchObject({ phase: 'reconnecting', attempt: count - 1 })
      waits.push(waitMs)
      await vi.advanceTimersByTimeAsync(waitMs - 1)
      expect(server.sockets).toHaveLength(count - 1)
      await vi.advanceTimersByTimeAsync(1)
      ;(await server.socket(count)).cut()
      await turns()
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
    await vi.advanceTimersByTimeAsync(10_000)
    ;(await server.socket(10)).open(state(1)).cut()
    expect((client.connection.nextTryAt as number) - Date.now()).toBe(250)
    client.close()
  })

  test('the time of the next try is a whole number of milliseconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1 / 3)
    const { client, line } = await openClient(noBackoff)
    line.cut()
    expect((client.connection.nextTryAt as number) - Date.now()).toBe(167)
    client.close()
  })

  test('half of it is chance', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { client, line } = await openClient(noBackoff)
    line.cut()
    expect((client.connection.nextTryAt as number) - Date.now()).toBe(125)
    client.close()
  })

  test('a refused upgrade is the end, and its reason is told', async () => {
    vi.stubGlobal('fetch', async () =>
      Response.json({ error: { type: 'forbidden', message: 'Not you.' } }, { status: 403 }),
    )
    const server = fakeServer()
    const client = fakeClientOf(server)
    ;(await server.socket(1)).cut()
    await vi.waitFor(() => expect(client.connection.phase).toBe('closed'))
    expect(client.connection.error).toMatchObject({ code: 'forbidden', message: 'Not you.' })
  })

  test('a handshake that failed with an error and no close is tried again, and one with both only once', async () => {
    const server = fakeServer()
    const client = fakeClientOf(server, noBackoff)
    ;(await server.socket(1)).onerror?.()
    await turns()
    expect(client.connection).toMatchObject({ phase: 'connecting', attempt: 1 })
    await vi.advanceTimersByTimeAsync(250)
    const second = await server.socket(2)
    second.onerror?.()
    second.cut()
    await turns()
    expect(client.connection).toMatchObject({ phase: 'connecting', attempt: 2 })
    expect((client.connection.nextTryAt as number) - Date.now()).toBe(500)
    client.close()
  })

  test('closed while it waits, it does not come back', async () => {
    const { server, client, line } = await openClient(noBackoff)
    line.cut()
    client.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.sockets).toHaveLength(1)
  })
})

describe('waking', () => {
  const page = () => {
    const world = new EventTarget()
    const document = Object.assign(new EventTarget(), { hidden: true })
    vi.stubGlobal('addEventListener', world.addEventListener.bind(world))
    vi.stubGlobal('removeEventListener', world.removeEventListener.bind(world))
    vi.stubGlobal('document', document)
    return { world, document }
  }

  test('at once when the network is back', async () => {
    const { world } = page()
    const { server, client, line } = await openClient(noBackoff)
    line.cut()
    world.dispatchEvent(new Event('online'))
    await server.socket(2)
    world.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(server.sockets).toHaveLength(2)
    client.close()
  })

  test('at once when somebody looks', async () => {
    const { document } = page()
    const { server, client, line } = await openClient(noBackoff)
    line.cut()
    document.dispatchEvent(new Event('visibilitychange'))
    await turns()
    expect(server.sockets).toHaveLength(1)
    document.hidden = false
    document.dispatchEvent(new Event('visibilitychange'))
    await server.socket(2)
    client.close()
  })

  test('nothing wakes what is open, or closed', async () => {
    const { world, document } = page()
    const { server, client } = await openClient(noBackoff)
    document.hidden = false
    const wake = () => [world.dispatchEvent(new Event('online')), document.dispatchEvent(new Event('visibilitychange'))]
    wake()
    client.close()
    wake()
    await turns()
    expect(server.sockets).toHaveLength(1)
  })
})

describe('heartbeat', () => {
  test('nothing is sent on a socket that has begun to close, and its commands wait for the next one', async () => {
    const { server, client, line } = await openClient(noBackoff)
    line.readyState = 2
    const sent = client.submit('Hello')
    await vi.advanceTimersByTimeAsync(15_000)
    expect(line.received).toEqual([])
    line.cut()
    await vi.advanceTimersByTimeAsync(250)
    const next = (await server.socket(2)).open(state(1))
    await turns()
    expect(next.commands).toMatchObject([{ type: 'submit', prompt: 'Hello' }])
    client.close()
    await expect(sent).rejects.toThrow()
  })

  test('[T17] a ping every 15 s; two that nobody answers are a dead line', async () => {
    const { server, client, line } = await openClient(noBackoff)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(line.received).toEqual([{ type: 'ping' }])
    line.tell({ type: 'pong', ts: Date.now() })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(line.received).toHaveLength(3)
    expect(line.closedWith).toBeNull()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(line.closedWith).toBe(4000)
    expect(client.connection.phase).toBe('reconnecting')
    await vi.advanceTimersByTimeAsync(250)
    expect((await server.socket(2)).after).toBe('0')
    client.close()
  })

  test('whatever is heard is a sign of life', async () => {
    const { client, line } = await openClient({ pingMs: 100 })
    for (let seq = 0; seq < 10; seq++) {
      await vi.advanceTimersByTimeAsync(200)
      line.tell({ type: 'delta', operations: [], prev: seq, seq: seq + 1 })
    }
    expect(line.closedWith).toBeNull()
    client.close()
  })

  test('a bare server is not pinged, and may be silent for ever', async () => {
    const { client, line } = await openClient({ pingMs: 100, first: state(undefined) })
    await vi.advanceTimersByTimeAsync(10_000)
    expect([line.received, line.closedWith]).toEqual([[], null])
    line.tell({ type: 'pong', ts: 1 })
    await vi.advanceTimersByTimeAsync(100)
    expect(line.received).toMatchObject([{ type: 'ping' }])
    client.close()
  })

  test.each([
    ['a handshake that nobody answers', false],
    ['a server that never says its state', true],
  ])('%s is a dead line too', async (_name, opens) => {
    const server = fakeServer()
    const client = fakeClientOf(server, { pingMs: 100 })
    const line = await server.socket(1)
    if (opens) line.open()
    await vi.advanceTimersByTimeAsync(400)
    expect(line.closedWith).toBe(4000)
    expect(line.received).toEqual([])
    expect(server.sockets.length).toBeGreaterThan(1)
    client.close()
  })
})
