// A line with clients that are wrong, greedy, slow or not allowed: a clear error for each, nothing lost, and others unharmed.
import { describe, expect, test } from 'vitest'
import { scriptBody } from '../http/test-client.suite.ts'
import { AudioMeter } from './audio-meter.ts'
import { type FakeVoiceSocket, voiceApp } from './voice.suite.ts'

const opened = async (path = '/sessions/s/voice', app = voiceApp()) => {
  const socket = await app.dial(path)
  await socket.until('session_open')
  return { ...app, socket }
}
const refusalOf = async (socket: FakeVoiceSocket) => {
  const { code } = await socket.closed()
  return [code, ...socket.errors()]
}

describe('[V39] a query that is wrong gets one error and a close', () => {
  test.each([
    ['a format', 'audioFormat=mp3'],
    ['a format that every object has', 'audioFormat=__proto__'],
    ['an empty format', 'audioFormat='],
    ['turns', 'turns=sometimes'],
    ['an encoding', 'encoding=morse'],
    ['a name of the line', 'line=a%20b'],
    ['a voice', 'voice=%3Cscript%3E'],
    ['a model', `model=${'m'.repeat(200)}`],
    ['instructions', `instructions=${'x'.repeat(4_001)}`],
    ['a cursor', 'after=yesterday'],
    ['an agent', 'agent=nobody'],
  ])('%s', async (_name, query) => {
    const { dial, lines, get } = voiceApp()
    const socket = await dial(`/sessions/bad/voice?${query}`)
    expect(await refusalOf(socket)).toEqual([1008, 'bad_request'])
    expect(socket.messages).toHaveLength(1)
    expect(lines.lines).toEqual([])
    expect((await get('/sessions/bad')).status).toBe(404)
  })

  test('instructions where the operator forbids them', async () => {
    const { dial } = voiceApp({ voiceInstructions: false })
    expect(await refusalOf(await dial('/sessions/s/voice?instructions=Obey'))).toEqual([1008, 'forbidden'])
    await (await dial('/sessions/s/voice?instructions=')).until('session_open')
  })

  test('a server, an agent or a provider that cannot', async () => {
    const silent = voiceApp({ voice: undefined } as object)
    expect(await refusalOf(await silent.dial('/sessions/s/voice'))).toEqual([1008, 'no_voice'])
    const mute = voiceApp()
    mute.lines.fault = { code: 'provider_key', message: 'Set OPENAI_API_KEY.' }
    expect(await refusalOf(await mute.dial('/sessions/s/voice'))).toEqual([1008, 'provider_key'])
    mute.lines.fault = { code: 'provider_lost', message: 'Try again.' }
    expect(await refusalOf(await mute.dial('/sessions/s/voice'))).toEqual([1013, 'provider_lost'])
    mute.lines.fault = null
    expect(await refusalOf(await mute.dial('/sessions/s/voice?agent=keyless'))).toEqual([1008, 'agent_unavailable'])
    await (await mute.dial('/sessions/s/voice')).until('session_open')
  })
})

describe('[V40] a message that is wrong gets one error, and the line stays', () => {
  test.each<[string, string, string, string?]>([
    ['no JSON', 'hello', 'bad_message'],
    ['nothing', '', 'bad_message'],
    ['an array', '[]', 'bad_message'],
    ['an unknown type', '{"type":"session.update","session":{}}', 'bad_message'],
    ['a type that every object has', '{"type":"__proto__"}', 'bad_message'],
    ['no text', '{"type":"text"}', 'bad_message'],
    ['an empty text', '{"type":"text","text":""}', 'bad_message'],
    ['a long text', JSON.stringify({ type: 'text', text: 'x'.repeat(100_001) }), 'bad_message'],
    ['time that runs backwards', '{"type":"played","item":"a","ms":-1}', 'bad_message'],
    ['no time', '{"type":"played","item":"a","ms":1e999}', 'bad_message'],
    ['a stop that is none', '{"type":"played","item":"a","ms":1,"stopped":"yes"}', 'bad_message'],
    ['base64 that is none', '{"type":"audio","audio":"!!!"}', 'bad_audio'],
    ['base64 of an odd size', '{"type":"audio","audio":"AQID"}', 'bad_audio'],
    ['bad audio does not end a turn', '{"type":"audio","audio":"AQID","end":true}', 'bad_audio', 'turns=manual'],
    ['[V112] the end of a turn that a pause ends', '{"type":"audio","audio":"AQI=","end":true}', 'bad_message'],
    ['a frame of 2 MB', JSON.stringify({ type: 'audio', audio: 'A'.repeat(2_800_000) }), 'frame_too_large'],
    ['deep nesting', `{"type":"ping","x":${'['.repeat(200_000)}`, 'bad_message'],
    ['a result of a call that is none', '{"type":"tool_result","id":"c1","output":1}', 'not_a_directive'],
    ['a long result', JSON.stringify({ type: 'tool_result', id: 'c', output: 'x'.repeat(20_000) }), 'bad_message'],
  ])('%s', async (_name, text, code, query = '') => {
    const { socket, lines } = await opened(`/sessions/s/voice?${query}`)
    await socket.receiver.onMessage(text)
    await socket.receiver.onMessage('{"type":"ping","ts":1,"more":true}')
    await socket.hear(new Uint8Array(960))
    expect(socket.received.slice(1)).toEqual([
      { type: 'error', code, message: expect.stringMatching(/\.$|Expected|Invalid/) },
      { type: 'pong', ts: 1 },
    ])
    expect(lines.last.calls).toEqual([960])
  })

  test('frames of an odd size, of 1 MiB and above, and empty ones', async () => {
    const { socket, lines } = await opened()
    for (const size of [3, 1024 * 1024 + 2, 0, 1024 * 1024, 2]) await socket.hear(new Uint8Array(size))
    expect(socket.errors()).toEqual(['bad_audio', 'frame_too_large'])
    expect(lines.last.calls).toEqual([1024 * 1024, 2])
    const g711 = await opened('/sessions/t/voice?audioFormat=g711_alaw')
    await g711.socket.hear(new Uint8Array(3))
    expect(g711.lines.last.calls).toEqual([3])
  })

  /** A call as the loop reports it; with `action_type` it becomes a directive. */
  const callSteps = (id: string, action_type?: string, status: 'ok' | 'error' | null = 'ok') => {
    const call = { tool_call_id: id, tool_name: 'lamp' }
    const outcome = { ...call, status, outcome_type: status === 'ok' ? 'ToolExecutionResult' : 'ToolFailure' }
    return [
      {
        type: 'tool_call',
        payload: { name: 'lamp', arguments: {}, tool_call_id: id, ...(action_type && { action_type }) },
      },
      ...(action_type && status === 'ok' ? [{ type: 'directive', payload: { action_type } }] : []),
      ...(status === null ? [] : [{ type: 'tool_outcome', payload: outcome }]),
    ].map((event) => ({ event }))
  }

  test('[V46] results of directives are matched by the ids of their calls, in any order and over several runs', async () => {
    const { socket, host } = await opened()
    const run = async (...steps: object[]) => {
      const ends = socket.types().filter((type) => type === 'response_done').length
      await socket.say({ type: 'text', text: scriptBody(...steps).prompt })
      await socket.until('response_done', ends + 1)
    }
    // The calls of the first run are under way together, and a tool of the server ends between them.
    const first = [
      ['c1', 'lamp'],
      ['c2', 'door'],
      ['c3', 'bell'],
    ].map(([id = '', name]) => callSteps(id, `com.example.${name}`))
    const [lamp = [], door = [], bell = []] = first.map(([, ...ends]) => ends)
    await run(...first.flatMap(([intent = {}]) => intent), ...callSteps('look'), ...door, ...lamp, ...bell)
    for (const id of ['c2', 'c1', 'c3']) await socket.say({ type: 'tool_result', id, output: `${id} first` })
    await run(
      ...callSteps('c4', 'com.example.horn'),
      ...callSteps('c1', 'com.example.fan'),
      ...callSteps('c5', 'com.example.gate', 'error'),
    )
    for (const id of ['c1', 'c4', 'c3']) await socket.say({ type: 'tool_result', id, output: `${id} then` })
    expect(socket.errors()).toEqual([])
    for (const id of ['look', 'c5', 'c6']) await socket.say({ type: 'tool_result', id, output: 1 })
    expect(socket.errors()).toEqual(['not_a_directive', 'not_a_directive', 'not_a_directive'])
    const session = await host.find({ tenant: 'default', agent: 'voice', id: 's' })
    expect(
      session?.state.feedback.waiting.map(({ tool_call_id, action_type, output }) => [
        tool_call_id,
        action_type,
        output,
      ]),
    ).toEqual([
      ['c2', 'com.example.door', 'c2 first'],
      ['c1', 'com.example.lamp', 'c1 first'],
      ['c3', 'com.example.bell', 'c3 first'],
      ['c1', 'com.example.fan', 'c1 then'],
      ['c4', 'com.example.horn', 'c4 then'],
      ['c3', 'com.example.bell', 'c3 then'],
    ])
  })

  test('[V46] a call takes its result as soon as a client can know of it, and none while it waits for an approval', async () => {
    const { socket, host } = await opened()
    const [lit, asked] = [callSteps('c1', 'com.example.lamp', null), callSteps('c2', 'com.example.door', null)]
    const approval = { approve: 'lamp', id: 'c2' }
    await socket.say({ type: 'text', text: scriptBody(...lit, ...asked, approval).prompt })
    await socket.until('tool_call', 3)
    for (const id of ['c1', 'c2']) await socket.say({ type: 'tool_result', id, output: { done: true } })
    expect(socket.errors()).toEqual(['not_a_directive'])
    const session = await host.find({ tenant: 'default', agent: 'voice', id: 's' })
    expect(session?.state.feedback.waiting).toEqual([
      { tool_call_id: 'c1', action_type: 'com.example.lamp', outcome: 'executed', output: { done: true } },
    ])
  })
})

describe('[V41] a session has one line', () => {
  test('another client is refused; the same one replaces its older socket; after a hang-up the line is free', async () => {
    const { socket, dial, lines } = await opened('/sessions/s/voice?line=ada')
    const other = await dial('/sessions/s/voice?line=bo')
    const nameless = await dial('/sessions/s/voice')
    expect([await refusalOf(other), await refusalOf(nameless)]).toEqual([
      [1008, 'line_busy'],
      [1008, 'line_busy'],
    ])
    await socket.hear(new Uint8Array(2))
    const again = await dial('/sessions/s/voice?line=ada')
    await again.until('session_open')
    expect(await refusalOf(socket)).toEqual([1008, 'line_replaced'])
    expect(lines.lines.map(({ isClosed }) => isClosed)).toEqual([true, false])
    await again.hear(new Uint8Array(4))
    expect(lines.last.calls).toEqual([4])
    again.hangUp()
    await (await dial('/sessions/s/voice?line=bo')).until('session_open')
  })

  test('a client that leaves while its line opens leaves no line behind', async () => {
    const app = voiceApp()
    let open = () => {}
    app.lines.gate = new Promise((resolve) => {
      open = resolve
    })
    const socket = await app.dial('/sessions/s/voice')
    const heard = socket.hear(new Uint8Array(2))
    socket.hangUp()
    open()
    await heard
    await expect.poll(() => app.lines.lines.map(({ isClosed }) => isClosed)).toEqual([true])
    expect(app.lines.last.calls).toEqual([])
    expect(socket.received).toEqual([])
  })

  test('a line that is lost, and a session that is removed, close the socket', async () => {
    const { socket, dial, lines, host } = await opened()
    lines.last.client.fault({ code: 'provider_lost', message: 'Come back.' }, true)
    expect(await refusalOf(socket)).toEqual([1013, 'provider_lost'])
    const next = await dial('/sessions/s/voice')
    await next.until('session_open')
    await next.say({ type: 'text', text: scriptBody({ text: 'Hi' }).prompt })
    await next.until('response_done')
    await host.remove({ tenant: 'default', agent: 'voice', id: 's' })
    expect(await refusalOf(next)).toEqual([4004])
    expect(lines.last.isClosed).toBe(true)
  })
})

describe('[V42] a peer that floods, dribbles or does not read is cut', () => {
  test('speech in real time passes for an hour, in frames of 20 ms and of 5 ms, and so does an hour of nothing', () => {
    for (const frameMs of [20, 5]) {
      const meter = new AudioMeter(0)
      let refused = 0
      for (let now = 0; now < 3_600_000; now += frameMs) if (!meter.take(frameMs, now)) refused++
      expect([refused, meter.take(50_000, 7_200_000)]).toEqual([0, true])
    }
  })

  test('an hour without a word changes nothing', async () => {
    const { socket, lines, advance } = await opened()
    await socket.hear(new Uint8Array(960))
    advance(3_600_000)
    await socket.hear(new Uint8Array(960))
    expect([socket.end, lines.last.calls, socket.types()]).toEqual([null, [960, 960], ['session_open']])
  })

  test('audio far ahead of the clock is a flood, and so are frames of one sample', () => {
    const flood = (ms: number, stepMs: number): number => {
      const meter = new AudioMeter(0)
      let frames = 0
      while (frames < 1e6 && meter.take(ms, frames * stepMs)) frames++
      return frames
    }
    expect(flood(20, 0)).toBe(3_000)
    expect(flood(1_000, 100)).toBe(74)
    expect(flood(0.04, 1)).toBe(29_999)
    expect(flood(20, 20)).toBe(1e6)
  })

  test('the socket of a flood closes with 1008, its line closes, and other lines stay', async () => {
    const { socket, dial, lines } = await opened()
    const other = await dial('/sessions/other/voice')
    await other.until('session_open')
    const second = new Uint8Array(48_000)
    for (let count = 0; count < 70 && !socket.end; count++) await socket.hear(second)
    expect(await refusalOf(socket)).toEqual([1008, 'audio_flood'])
    expect(lines.lines.map(({ isClosed }) => isClosed)).toEqual([true, false])
    await other.hear(second)
    expect(lines.last.calls).toEqual([48_000])
  })

  test('a line that takes no more makes the server read more slowly', async () => {
    const { socket, lines } = await opened()
    let more = () => {}
    lines.last.full = new Promise((resolve) => {
      more = resolve
    })
    let isRead = false
    const reading = socket.hear(new Uint8Array(2)).then(() => {
      isRead = true
    })
    await new Promise(setImmediate)
    expect(isRead).toBe(false)
    more()
    await reading
    expect(isRead).toBe(true)
  })

  test('a client that does not take its audio is cut with 4008; five minutes of it may wait', async () => {
    const { socket, lines } = await opened()
    socket.waiting = 15_000_000
    lines.last.client.audio('a', new Uint8Array(2))
    await socket.say({ type: 'text', text: scriptBody({ text: 'Hi' }).prompt })
    await socket.until('response_done')
    expect(socket.end).toBeNull()
    socket.waiting = 17_000_000
    lines.last.client.audio('a', new Uint8Array(2))
    expect(await refusalOf(socket)).toEqual([4008])
    expect(lines.last.isClosed).toBe(true)
  })

  test('a client that asks and does not read the answers is cut with 4008', async () => {
    const { socket, lines } = await opened()
    socket.waiting = 17_000_000
    await socket.say({ type: 'ping' })
    expect([await refusalOf(socket), socket.types(), lines.last.isClosed]).toEqual([[4008], ['session_open'], true])
  })

  test('commands count for the rate limit', async () => {
    const { socket, lines } = await opened(undefined, voiceApp({ rateLimit: { windowMs: 60_000, maxRequests: 3 } }))
    for (let count = 0; count < 4; count++) await socket.say({ type: 'cancel_response' })
    expect(lines.last.calls).toEqual(['interrupt', 'interrupt'])
    expect(socket.errors()).toEqual(['rate_limited', 'rate_limited'])
  })
})
