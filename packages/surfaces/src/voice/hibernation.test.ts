// A line whose object slept: the client notices nothing, and its provider is connected when it is needed again.

import { eventId } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { scriptBody } from '../http/test-client.suite.ts'
import { voiceApp } from './voice.suite.ts'

const text = (answer: string) => scriptBody({ text: answer }).prompt
const key = { tenant: 'default', agent: 'voice', id: 's' }

test('[V44] after a sleep the line goes on: no second session_open, the same wishes, audio and captions', async () => {
  const { dial, lines, host, app, post } = voiceApp()
  const socket = await dial('/sessions/s/voice?line=mine&audioFormat=g711_ulaw&instructions=Slowly&voice=marin')
  await socket.until('session_open')
  await socket.say({ type: 'text', text: text('One') })
  await socket.until('response_done')
  const head = (await host.find(key))?.state.head ?? 0
  // This turn is written while the object sleeps, or before it is ready again.
  await socket.wake(app.ports, head)
  await post('/agents/voice/s', scriptBody({ text: 'Two' }))
  await socket.until('response_done', 2)
  await socket.hear(new Uint8Array(160))
  const { request, calls, client } = lines.last
  client.audio('item', new Uint8Array(8))
  expect(lines.lines).toHaveLength(2)
  expect(request).toMatchObject({
    ...{ key, line: 'mine', format: 'g711_ulaw', voice: 'marin', instructions: 'Slowly', isResumed: true },
  })
  expect(calls).toEqual([160])
  expect(socket.types().filter((type) => type === 'session_open')).toHaveLength(1)
  expect(socket.received.slice(-2)).toEqual([{ type: 'audio_delta', item: 'item' }, new Uint8Array(8)])
  expect(socket.messages.flatMap((each) => (each.type === 'transcript' ? [each.text] : []))).toEqual([
    text('One'),
    'One',
    text('Two'),
    'Two',
  ])
})

test('[V44] captions of events behind the last one that was sent follow the wake', async () => {
  const { dial, app, post, host } = voiceApp()
  const socket = await dial('/sessions/s/voice')
  await socket.until('session_open')
  await socket.say({ type: 'text', text: text('One') })
  await socket.until('response_done')
  const head = (await host.find(key))?.state.head ?? 0
  socket.receiver.onClosed()
  await post('/agents/voice/s', scriptBody({ text: 'Two' }))
  await socket.wake(app.ports, head)
  await socket.until('response_done', 2)
  expect(socket.messages.at(-2)).toMatchObject({ type: 'transcript', text: 'Two' })
})

test('[V44] a line that cannot be opened again says why and closes', async () => {
  const { dial, lines, app } = voiceApp()
  const socket = await dial('/sessions/s/voice')
  await socket.until('session_open')
  lines.fault = { code: 'provider_key', message: 'Set OPENAI_API_KEY.' }
  await socket.wake(app.ports, 0)
  expect(await socket.closed()).toMatchObject({ code: 1008 })
  expect(socket.errors()).toEqual(['provider_key'])
})

test('[V45] a client that reconnects with its cursor gets the captions that it missed', async () => {
  const { dial, post } = voiceApp()
  const first = await dial('/sessions/s/voice')
  await first.until('session_open')
  await first.say({ type: 'text', text: text('One') })
  await first.until('response_done')
  const cursors = first.messages.flatMap((each) => ('cursor' in each ? [each.cursor] : []))
  first.hangUp()
  await post('/agents/voice/s', scriptBody({ text: 'Two' }))
  const captions = []
  for (const [index, cursor] of cursors.entries()) {
    const socket = await dial(`/sessions/s/voice?after=${cursor}`)
    await socket.until('response_done', 2 - index)
    captions.push(socket.messages.flatMap((each) => (each.type === 'transcript' ? [each.text] : [])))
    socket.hangUp()
  }
  expect(captions).toEqual([
    [text('One'), 'One', text('Two'), 'Two'],
    [text('Two'), 'Two'],
  ])
})

test('[V45] a cursor of another log sends nothing old', async () => {
  const { dial, post, host } = voiceApp()
  const first = await dial('/sessions/s/voice')
  await first.until('session_open')
  await first.say({ type: 'text', text: text('One') })
  await first.until('response_done')
  const cursor = first.messages.flatMap((each) => ('cursor' in each ? [each.cursor] : [])).at(-1)
  await host.remove(key)
  // The session of this id is another one now, and longer.
  for (const word of ['Two', 'Three']) await post('/agents/voice/s', scriptBody({ text: word }))
  for (const after of [cursor, 'ev-9999']) {
    const socket = await dial(`/sessions/s/voice?after=${after}`)
    await socket.until('session_open')
    await socket.say({ type: 'ping' })
    const { state, incarnations } = await host.open(key)
    expect(socket.received).toEqual([
      expect.objectContaining({ type: 'session_open', cursor: eventId(state.head, incarnations.own) }),
      expect.objectContaining({ type: 'pong' }),
    ])
    socket.hangUp()
  }
})
