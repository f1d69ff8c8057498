// A line from end to end, with a fake provider: who may open it, audio both ways, captions from the log.

import type { VoiceServerMessage } from '@bridle/wire/voice/wire'
import { describe, expect, test, vi } from 'vitest'
import { scriptBody } from '../http/test-client.suite.ts'
import { voiceApp } from './voice.suite.ts'

const script = (...steps: unknown[]): string => scriptBody(...steps).prompt

describe('opening', () => {
  test('[V30] [V31] an unknown id makes a session of the agent voice, and session_open comes first', async () => {
    const { dial, lines, get } = voiceApp()
    const socket = await dial('/sessions/new-1/voice?line=my-line')
    await socket.until('session_open')
    expect(socket.received).toEqual([
      {
        type: 'session_open',
        sessionId: 'new-1',
        agent: 'voice',
        line: 'my-line',
        mode: 'realtime',
        model: 'fake-realtime',
        voice: 'fake-voice',
        audioFormat: 'pcm16',
        sampleRate: 24_000,
        turns: 'silence',
        cursor: expect.stringMatching(/^ev-\d+$/),
      },
    ])
    expect(lines.last.request).toMatchObject({ format: 'pcm16', turns: 'silence', user: null })
    // A line on which nobody spoke leaves nothing behind.
    expect((await get('/sessions/new-1')).status).toBe(404)
    await socket.say({ type: 'text', text: script({ text: 'Hi' }) })
    await socket.until('response_done')
    expect((await get('/sessions/new-1')).body).toMatchObject({ sessionId: 'new-1', agent: 'voice' })
  })

  test('[V30] ?agent= names the agent of a new session; a known session keeps its own', async () => {
    const { dial, lines, post } = voiceApp()
    const first = await dial('/sessions/other/voice?agent=hooked')
    await first.until('session_open')
    await post('/agents/scripted/known', scriptBody({ text: 'Hi' }))
    const second = await dial('/sessions/known/voice')
    await second.until('session_open')
    expect(lines.lines.map(({ request }) => request.key)).toMatchObject([
      { agent: 'hooked', id: 'other' },
      { agent: 'scripted', id: 'known' },
    ])
  })

  test('[V32] the query says what the client wants, in our names or those of the provider', async () => {
    const { dial, lines } = voiceApp()
    const query = new URLSearchParams({
      voice: 'marin',
      model: 'gpt-realtime',
      audioFormat: 'audio/pcmu',
      instructions: 'Speak slowly.',
      turns: 'manual',
      encoding: 'json',
    })
    const socket = await dial(`/sessions/s/voice?${query}`)
    await socket.until('session_open')
    expect(lines.last.request).toMatchObject({
      format: 'g711_ulaw',
      voice: 'marin',
      model: 'gpt-realtime',
      instructions: 'Speak slowly.',
      turns: 'manual',
    })
    expect(socket.messages[0]).toMatchObject({ audioFormat: 'g711_ulaw', sampleRate: 8_000, voice: 'marin' })
  })
})

describe('audio', () => {
  test('[V33] both ways as binary frames; an item is announced before its first frame', async () => {
    const { dial, lines } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    // Audio that comes before the line is open waits for it.
    const early = socket.hear(new Uint8Array(960))
    await socket.until('session_open')
    await early
    await socket.hear(new Uint8Array(480))
    const { client } = lines.last
    for (const [item, size] of [
      ['a', 2],
      ['a', 4],
      ['b', 6],
    ] as const)
      client.audio(item, new Uint8Array(size))
    client.interrupted('b')
    expect(lines.last.calls).toEqual([960, 480])
    expect(socket.received.slice(1)).toEqual([
      { type: 'audio_delta', item: 'a' },
      new Uint8Array(2),
      new Uint8Array(4),
      { type: 'audio_delta', item: 'b' },
      new Uint8Array(6),
      { type: 'audio_stop', item: 'b' },
    ])
  })

  test('[V34] both ways as base64, for a client that cannot send bytes', async () => {
    const { dial, lines } = voiceApp()
    const socket = await dial('/sessions/s/voice?encoding=json&turns=manual')
    await socket.until('session_open')
    await socket.say({ type: 'audio', audio: 'AQIDBA==' })
    await socket.say({ type: 'audio', audio: 'AQI=', end: true })
    await socket.say({ type: 'audio', end: true })
    lines.last.client.audio('a', Uint8Array.of(1, 2, 3))
    expect(lines.last.calls).toEqual([4, 2, 'end', 'end'])
    expect(socket.received.slice(1)).toEqual([{ type: 'audio_delta', item: 'a', audio: 'AQID' }])
  })

  test('[V35] text, cancel_response and played reach the line, and speech and faults the client', async () => {
    const { dial, lines } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    await socket.until('session_open')
    await socket.say({ type: 'cancel_response' })
    await socket.say({ type: 'played', item: 'a', ms: 120 })
    await socket.say({ type: 'played', item: 'a', ms: 140, stopped: true })
    await socket.say({ type: 'ping', ts: 5 })
    lines.last.client.speech('started')
    lines.last.client.fault({ code: 'speech_not_understood', message: 'Say it again.' }, false)
    expect(lines.last.calls).toEqual(['interrupt', 'played a 120', 'played a 140 stopped'])
    expect(socket.received.slice(1)).toEqual([
      { type: 'pong', ts: 5 },
      { type: 'speech', state: 'started' },
      { type: 'error', code: 'speech_not_understood', message: 'Say it again.' },
    ])
    expect(socket.end).toBeNull()
  })
})

describe('captions', () => {
  test('[V36] transcripts of both sides, deltas, tool calls and the end come from the log', async () => {
    const { dial } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    await socket.until('session_open')
    const prompt = script(
      { text: 'Hello' },
      { tool: 'look', id: 'c1', args: { at: 1 }, result: 'seen' },
      { text: ' there' },
    )
    await socket.say({ type: 'text', text: prompt })
    await socket.until('response_done')
    const [user, ...rest] = withoutIds(socket.messages.slice(1))
    expect(user).toEqual({ type: 'transcript', role: 'user', text: prompt })
    expect(rest.filter(({ type }) => type !== 'text_delta')).toEqual([
      { type: 'tool_call', id: expect.stringContaining('c1'), name: 'look', input: { at: 1 } },
      { type: 'transcript', role: 'assistant', text: 'Hello there' },
      { type: 'response_done', status: 'completed' },
    ])
    const deltas = socket.messages.flatMap((message) => (message.type === 'text_delta' ? [message.delta] : []))
    expect(deltas.join('')).toBe('Hello there')
  })

  test('[V36] prompts of other wires are captions, too; three sessions do not mix', async () => {
    const { dial, post } = voiceApp()
    const sockets = await Promise.all(['a', 'b', 'c'].map((id) => dial(`/sessions/${id}/voice`)))
    await Promise.all(sockets.map((socket) => socket.until('session_open')))
    await Promise.all(['a', 'b', 'c'].map((id) => post(`/agents/voice/${id}`, scriptBody({ text: `I am ${id}` }))))
    await Promise.all(sockets.map((socket) => socket.until('response_done')))
    const answers = sockets.map(({ messages }) =>
      messages.flatMap((each) => (each.type === 'transcript' && each.role === 'assistant' ? [each.text] : [])),
    )
    expect(answers).toEqual([['I am a'], ['I am b'], ['I am c']])
  })

  test('[V36] a runner that claims a prompt makes no caption of it', async () => {
    const { dial } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    await socket.until('session_open')
    const payload = { text: 'I never said this.', run_id: 'r-9', message_id: 'm-9', attachments: [] }
    await socket.say({ type: 'text', text: script({ event: { type: 'prompt_queued', payload } }, { text: 'Hello' }) })
    await socket.until('response_done')
    const spoken = socket.messages.flatMap((each) => (each.type === 'transcript' ? [[each.role, each.messageId]] : []))
    expect(spoken).toEqual([
      ['user', 'm-2'],
      ['assistant', 'm-4'],
    ])
  })

  test('[V37] an approval is a tool_call that says what it waits for', async () => {
    const { dial, host } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    await socket.until('session_open')
    await socket.say({ type: 'text', text: script({ approve: 'pay', id: 'c1', args: { eur: 3 } }, { text: 'Paid' }) })
    const { approval } = await vi.waitUntil(() => waiting(socket.messages))
    const key = { tenant: 'default', agent: 'voice', id: 's' }
    await host.send(key, { type: 'approve', approvalId: approval?.id ?? '', decision: 'approved' })
    await socket.until('response_done')
    expect(socket.messages.at(-1)).toMatchObject({ type: 'response_done', status: 'completed' })
  })

  test('[V38] an interruption leaves what was heard, also after the end of the run; a cancel ends the answer', async () => {
    const { dial, host } = voiceApp()
    const socket = await dial('/sessions/s/voice')
    await socket.until('session_open')
    const key = { tenant: 'default', agent: 'voice', id: 's' }
    await socket.say({ type: 'text', text: script({ text: 'One two three' }) })
    await socket.until('response_done')
    const first = socket.messages.findLast(({ type }) => type === 'response_done') as { runId: string }
    await host.send(key, { type: 'interrupt', runId: first.runId, heardChars: 7, audioMs: 500 })
    await socket.until('response_done', 2)
    expect(withoutIds(socket.messages.slice(-2))).toEqual([
      { type: 'transcript', role: 'assistant', text: 'One two', interrupted: true },
      { type: 'response_done', status: 'interrupted' },
    ])
    await socket.say({ type: 'text', text: script({ text: 'Four five' }, { sleepMs: 60_000 }) })
    await socket.until('text_delta', 2)
    const run = (await host.find(key))?.state.lifecycle.run?.runId ?? ''
    await host.send(key, { type: 'interrupt', runId: run, heardChars: 4 })
    await socket.until('response_done', 3)
    await socket.say({ type: 'text', text: script({ text: 'Six' }, { sleepMs: 60_000 }) })
    while (((await host.find(key))?.state.lifecycle.run?.runId ?? run) === run) await new Promise(setImmediate)
    await socket.until('text_delta', 3)
    await host.send(key, { type: 'cancel', reason: 'interrupted' })
    await socket.until('response_done', 4)
    const ends = withoutIds(socket.messages).filter(({ type }) => type === 'response_done')
    expect(ends.map(({ status }) => status)).toEqual(['completed', 'interrupted', 'interrupted', 'interrupted'])
    expect(withoutIds(socket.messages).at(-2)).toEqual({ type: 'transcript', role: 'assistant', text: 'Six' })
  })
})

const waiting = (messages: readonly VoiceServerMessage[]) =>
  messages.flatMap((each) => (each.type === 'tool_call' && each.approval ? [each] : []))[0]

const withoutIds = (messages: readonly VoiceServerMessage[]): Record<string, unknown>[] =>
  messages.map((message) => {
    const {
      runId: _run,
      messageId: _message,
      cursor: _cursor,
      ...rest
    } = { runId: '', messageId: '', cursor: '', ...message }
    return rest
  })
