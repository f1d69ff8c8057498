// The client of a voice line against a server that a test leads.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectFabricVoice, type FabricVoiceEvent, type FabricVoiceHandle, type FabricVoiceOptions } from '../index.ts'
import { VOICE_EARLY_BYTES_MAX, VOICE_FRAME_BYTES } from './fabric-voice.ts'
import { type FakeVoiceServer, fakeVoiceServer, OPEN } from './fake-voice-server.suite.ts'

const reconnect = { firstMs: 1, longestMs: 5 }
let server: FakeVoiceServer
const handles: FabricVoiceHandle[] = []

beforeEach(async () => {
  server = await fakeVoiceServer()
})
afterEach(() => {
  for (const handle of handles.splice(0)) handle.close()
  server.end()
})

const dial = (options: Partial<FabricVoiceOptions> = {}) => {
  const events: FabricVoiceEvent[] = []
  const handle = connectFabricVoice({
    url: server.url,
    reconnect,
    onEvent: (event) => events.push(event),
    ...options,
  })
  handles.push(handle)
  return { handle, events, types: () => events.map(({ type }) => type) }
}
const opened = async (options: Partial<FabricVoiceOptions> = {}) => {
  const client = dial(options)
  await expect.poll(() => client.handle.state).toBe('open')
  const line = server.lines.at(-1)!
  return { ...client, line }
}

describe('a line', () => {
  test('[V75] its address has the wishes of the client, its id, and a ticket in place of the token', async () => {
    const { line, handle } = await opened({
      authToken: 'secret',
      tenantId: 't',
      agent: 'helper',
      voice: 'alloy',
      model: 'gpt-realtime',
      audioFormat: 'pcm16',
      instructions: 'Be brief.',
      turns: 'manual',
      encoding: 'json',
    })
    expect(Object.fromEntries(line.query)).toEqual({
      tenant: 't',
      agent: 'helper',
      voice: 'alloy',
      model: 'gpt-realtime',
      audioFormat: 'pcm16',
      instructions: 'Be brief.',
      turns: 'manual',
      encoding: 'json',
      line: handle.line,
    })
    expect(line.protocols).toEqual(['bridle.v1', 'ticket.tick'])
    const other = await opened()
    expect(Object.fromEntries(other.line.query)).toEqual({ line: other.handle.line })
    expect(other.handle.line).not.toBe(handle.line)
  })

  test('[V76] audio comes as bytes of its item in both encodings, and the other messages as they are', async () => {
    const { line, events } = await opened()
    const transcript = { type: 'transcript', role: 'user', text: 'Hi', runId: 'r', messageId: '1' }
    line.say({ type: 'audio_delta', item: 'a' })
    line.play(1, 2)
    line.play(3, 4)
    line.say(
      { type: 'pong' },
      transcript,
      { type: 'audio_delta', item: 'b', audio: 'BQY=' },
      { type: 'audio_stop', item: 'b' },
    )
    await expect.poll(() => events.length).toBe(6)
    expect(events.slice(1)).toEqual([
      { type: 'audio_delta', item: 'a', audio: Uint8Array.of(1, 2) },
      { type: 'audio_delta', item: 'a', audio: Uint8Array.of(3, 4) },
      transcript,
      { type: 'audio_delta', item: 'b', audio: Uint8Array.of(5, 6) },
      { type: 'audio_stop', item: 'b' },
    ])
  })

  test('[V76] every command has its message, and long audio goes in frames', async () => {
    const { line, handle } = await opened({ turns: 'manual' })
    handle.sendAudio(new Int16Array(480))
    handle.sendAudio(new ArrayBuffer(VOICE_FRAME_BYTES * 2 + 2))
    handle.endTurn()
    handle.sendText('Hello')
    handle.submitToolResult({ id: 'c', output: { ok: true } })
    handle.cancelResponse()
    handle.cancel()
    handle.played('a', 119.6)
    handle.played('a', 140, true)
    await expect.poll(() => line.heard.length).toBe(11)
    expect(line.heard).toEqual([
      960,
      VOICE_FRAME_BYTES,
      VOICE_FRAME_BYTES,
      2,
      { type: 'audio', end: true },
      { type: 'text', text: 'Hello' },
      { type: 'tool_result', id: 'c', output: { ok: true } },
      { type: 'cancel_response' },
      { type: 'cancel_response' },
      { type: 'played', item: 'a', ms: 120 },
      { type: 'played', item: 'a', ms: 140, stopped: true },
    ])
    const other = await opened({ encoding: 'json' })
    other.handle.sendAudio(Uint8Array.of(0, 255))
    await expect.poll(() => other.line.heard).toEqual([{ type: 'audio', audio: 'AP8=' }])
  })

  test('[V77] what is sent before the line is open waits for it, and of audio the last five seconds', async () => {
    server.greet = () => {}
    const { handle, events } = dial()
    handle.sendText('First')
    const buffer = new Uint8Array(VOICE_EARLY_BYTES_MAX / 4)
    for (let at = 0; at < 6; at += 1) handle.sendAudio(buffer)
    handle.endTurn()
    await expect.poll(() => server.lines.length).toBe(1)
    const [line] = server.lines
    expect([line?.heard, handle.state]).toEqual([[], 'connecting'])
    line?.say(OPEN)
    await expect.poll(() => line?.heard.at(-1)).toEqual({ type: 'audio', end: true })
    expect(line?.heard[0]).toEqual({ type: 'text', text: 'First' })
    const frames = line?.heard.filter((each) => typeof each === 'number') ?? []
    expect(frames.reduce((sum, bytes) => sum + bytes, 0)).toBe(VOICE_EARLY_BYTES_MAX)
    expect(events).toEqual([{ ...OPEN, isReconnect: false }])
  })

  test('what is no message is reported, and the line goes on', async () => {
    const { line, events } = await opened()
    line.play(1, 2)
    line.say({ type: 'audio_delta', item: 'a', audio: '*' }, [])
    await expect.poll(() => events.filter(({ type }) => type === 'error').length).toBe(3)
    expect(events.slice(1)).toMatchObject([{ code: 'bad_message' }, { code: 'bad_message' }, { code: 'bad_message' }])
    line.say({ type: 'speech', state: 'started' })
    await expect.poll(() => events.at(-1)).toEqual({ type: 'speech', state: 'started' })
  })

  test('a bad address throws at once', () => {
    expect(() => connectFabricVoice({ url: 'nowhere' })).toThrow(TypeError)
  })
})

describe('a broken connection', () => {
  test('[V78] the line returns with its id and says so, several times', async () => {
    const { handle, events, types } = await opened()
    for (const round of [1, 2, 3]) {
      server.lines.at(-1)?.cut()
      await expect.poll(() => server.lines.length).toBe(round + 1)
      await expect.poll(() => handle.state).toBe('open')
    }
    expect(server.lines.map(({ query }) => query.get('line'))).toEqual(Array(4).fill(handle.line))
    const again = ['reconnecting', 'session_open']
    expect(types()).toEqual(['session_open', ...again, ...again, ...again])
    expect(
      events.filter(({ type }) => type === 'session_open').map((event) => 'isReconnect' in event && event.isReconnect),
    ).toEqual([false, true, true, true])
  })

  test('[V45] the line asks for the captions behind the last answer that ended', async () => {
    const { line, handle, events } = await opened()
    line.cut()
    await expect.poll(() => server.lines.length).toBe(2)
    await expect.poll(() => handle.state).toBe('open')
    server.lines.at(-1)?.say({ type: 'response_done', runId: 'r', status: 'completed', cursor: 'ev-7' })
    await expect.poll(() => events.at(-1)?.type).toBe('response_done')
    server.lines.at(-1)?.cut()
    await expect.poll(() => server.lines.length).toBe(3)
    expect(server.lines.map(({ query }) => query.get('after'))).toEqual([null, '0', 'ev-7'])
  })

  test('[V78] meanwhile a text is refused, and live audio is dropped', async () => {
    const { line, handle, events } = await opened()
    server.greet = () => {}
    line.cut()
    await expect.poll(() => handle.state).toBe('connecting')
    handle.sendText('Too early')
    handle.sendAudio(new Uint8Array(2))
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'not_connected' })
    await expect.poll(() => server.lines.length).toBe(2)
    server.lines[1]?.say(OPEN)
    await expect.poll(() => handle.state).toBe('open')
    handle.sendText('In time')
    await expect.poll(() => server.lines[1]?.heard).toEqual([{ type: 'text', text: 'In time' }])
  })

  test('[V78] a manual turn that was being spoken is lost as a whole, and the next one is not', async () => {
    const { line, handle, events } = await opened({ turns: 'manual' })
    handle.sendAudio(new Uint8Array(2))
    await expect.poll(() => line.heard.length).toBe(1)
    line.cut()
    await expect.poll(() => server.lines.length).toBe(2)
    await expect.poll(() => handle.state).toBe('open')
    handle.sendAudio(new Uint8Array(4))
    handle.endTurn()
    handle.sendAudio(new Uint8Array(6))
    handle.endTurn()
    await expect.poll(() => server.lines[1]?.heard).toEqual([6, { type: 'audio', end: true }])
    expect(events.filter(({ type }) => type === 'error')).toMatchObject([{ code: 'turn_lost' }])
    // Between two turns nothing is lost.
    server.lines[1]?.cut()
    await expect.poll(() => server.lines.length).toBe(3)
    await expect.poll(() => handle.state).toBe('open')
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })
})

describe('the end', () => {
  test('[V79] an error before the line is open is final, and its sentence is the reason', async () => {
    server.greet = (line) => {
      line.say({ type: 'error', code: 'line_busy', message: 'Somebody else speaks with this session.' })
      line.close(4409)
    }
    const { handle, events, types } = dial()
    await expect.poll(() => handle.state).toBe('closed')
    expect(types()).toEqual(['error', 'closed'])
    expect(events.at(-1)).toEqual({ type: 'closed', code: 1008, reason: 'Somebody else speaks with this session.' })
    expect(server.lines).toHaveLength(1)
  })

  test('[V79] a server that restarts refuses for now only', async () => {
    let tries = 0
    const { greet } = server
    server.greet = (line) => {
      tries += 1
      if (tries > 2) return greet(line)
      line.say({ type: 'error', code: 'stopping', message: 'The server stops.' })
      line.close(1012)
    }
    const { types } = await opened()
    expect(types()).toEqual(['error', 'reconnecting', 'error', 'reconnecting', 'session_open'])
  })

  test('[V79] credentials that the server refuses end the line with the reason', async () => {
    server.status = 401
    const { handle, types, events } = dial({ authToken: 'wrong' })
    await expect.poll(() => handle.state).toBe('closed')
    expect(types()).toEqual(['error', 'closed'])
    expect(events[0]).toMatchObject({ code: 'unknown', message: 'No.' })
  })

  test('[V80] each reader gets every event after its call, and ends with the line', async () => {
    const { line, handle } = await opened()
    const readers = [handle.events(), handle.events()]
    line.say({ type: 'speech', state: 'started' }, { type: 'speech', state: 'stopped' })
    const types: string[][] = await Promise.all(
      readers.map(async (reader, at) => {
        const seen: string[] = []
        for await (const event of reader) {
          seen.push(event.type)
          if (at === 1) break
          if (seen.length === 2) handle.close()
        }
        return seen
      }),
    )
    expect(types).toEqual([['speech', 'speech', 'closed'], ['speech']])
    handle.sendText('Too late')
    handle.sendAudio(new Uint8Array(2))
    expect(handle.state).toBe('closed')
  })
})
