// A server that is killed while it speaks: the log has what was said, and the line goes on in the next process.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { type StubEvent, startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import type { VoiceServerMessage } from '@bridle/wire/voice/wire'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { audioArtifacts, makeAskingSession, readKeptAudio } from './kept-audio.suite.ts'
import { ServerProcess } from './server-process.suite.ts'

const wordsOf = ({ content = [] }: StubEvent): string =>
  (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript ?? '').join('|')

const dial = async (url: string) => {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  const messages: VoiceServerMessage[] = []
  const items = new Set<string>()
  socket.on('error', () => {})
  socket.on('message', (data, isBinary) => {
    if (isBinary) return
    const message = JSON.parse(String(data)) as VoiceServerMessage
    messages.push(message)
    // The listener hears everything at once, so that no answer but the last is interrupted.
    if (message.type === 'response_done')
      for (const item of items) socket.send(JSON.stringify({ type: 'played', item, ms: 1e6 }))
    if (message.type === 'audio_delta') items.add(message.item)
  })
  const until = (type: VoiceServerMessage['type']) =>
    vi.waitUntil(() => messages.some((message) => message.type === type), { timeout: 30_000 })
  const say = (text: string) => socket.send(JSON.stringify({ type: 'text', text }))
  await until('session_open')
  return { socket, messages, until, say }
}

test('[V91] [V96] [V105] kill -9 in the middle of a spoken answer: what was heard stays, the next turn is answered at once, and no kept audio is broken', async () => {
  const conversations: string[][] = []
  const stub = await startRealtimeStub({
    plan: (_n, _session, items) => {
      const words = items.map(wordsOf)
      conversations.push(words)
      const isLong = words.at(-1)?.startsWith('second')
      return { says: isLong ? 'word '.repeat(300) : `Answer to ${words.at(-1)}`, chunkMs: isLong ? 20 : 0 }
    },
  })
  const data = mkdtempSync(join(tmpdir(), 'bridle-voice-crash-'))
  const server = new ServerProcess(data, { cwd: data, env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: stub.url } })
  const ids = ['a', 'b', 'c']
  const dialAll = () => Promise.all(ids.map((id) => dial(`${server.url}/sessions/${id}/voice?line=${id}`)))
  const prompts = async (id: string) => {
    const { body } = await get(`${server.url}/sessions/${id}`)
    return (body as { messages: { role: string; content: string; stopReason?: string }[] }).messages
  }
  const marks = async (id: string) => {
    const { body } = await get(`${server.url}/sessions/${id}/log`)
    return (body as unknown as { entries: HeardEntry[] }).entries.flatMap(({ type, payload }) =>
      type === 'answer_heard' ? [payload] : [],
    )
  }
  try {
    await server.boot()
    for (const id of ids) await makeAskingSession(server.url, id, 'voice')
    for (const [index, { say, until, messages, socket }] of (await dialAll()).entries()) {
      say(`first ${ids[index]}`)
      await until('response_done')
      messages.splice(0)
      say(`second ${ids[index]}`)
      await until('text_delta')
      await vi.waitUntil(async () => (await marks(ids[index] ?? '')).length > 0, { timeout: 30_000 })
      // The second listener is away already: its line waits for it.
      if (index === 1) socket.terminate()
    }
    await server.kill('SIGKILL')
    await server.boot()
    for (const id of ids) {
      const messages = await prompts(id)
      expect(messages.map(({ content }) => content).slice(0, 3)).toEqual([
        `first ${id}`,
        `Answer to first ${id}`,
        `second ${id}`,
      ])
      // The answer has the words that were heard, and nothing is written behind them.
      const heard = (await marks(id)).at(-1)?.chars ?? 0
      expect([messages[3]?.stopReason, messages[3]?.content]).toEqual([
        'interrupted',
        'word '.repeat(300).slice(0, heard),
      ])
      expect(heard).toBeLessThan(1_000)
      // The audio of the first answer may have been on its way; each that is there is a whole file.
      const { length } = await audioArtifacts(server.url, id)
      expect(length).toBeLessThanOrEqual(2)
      await readKeptAudio(server.url, id, length)
    }
    for (const [index, { say, socket }] of (await dialAll()).entries()) {
      const id = ids[index] ?? ''
      say(`third ${id}`)
      await vi.waitUntil(
        async () =>
          (await prompts(id)).some(
            ({ content }) => content.startsWith(`Answer to `) && content.endsWith(`third ${id}`),
          ),
        { timeout: 30_000 },
      )
      const last = conversations.findLast((words) => words.at(-1)?.endsWith(`third ${id}`)) ?? []
      expect(last.slice(0, 2)).toEqual([`first ${id}`, `Answer to first ${id}`])
      expect(last.some((words) => words.endsWith(`second ${id}`))).toBe(true)
      // The line says the third answer alone, and the provider knows of the second what was heard.
      const second = (await prompts(id))[3]?.content ?? ''
      expect(last.filter((words) => words.startsWith('word')).map((words) => words.trim())).toEqual([second.trim()])
      expect((await prompts(id)).filter(({ role }) => role === 'user')).toHaveLength(3)
      socket.terminate()
    }
  } finally {
    await server.kill('SIGKILL')
    await stub.close()
    rmSync(data, { recursive: true, force: true })
  }
})

const sender = `
import { appendFileSync } from 'node:fs'
import { agent, tool } from 'bridle'
import { scriptedModel } from 'bridle/testing'

export default agent({
  name: 'sender',
  model: scriptedModel(() => ({ text: 'Written.' })),
  tools: [
    tool({
      name: 'send', description: 'Sends.', approve: true, effect: 'idempotent',
      run: ({ who }, { stepKey }) => appendFileSync('ledger.txt', who + ' ' + stepKey + '\\n'),
    }),
  ],
})
`

test('[V91] kill -9 while calls of spoken turns wait: they are approved in the next process, done once, and spoken of', async () => {
  const stub = await startRealtimeStub({
    plan: (_n, _session, items) => {
      const who = items.map(wordsOf).find((words) => words.startsWith('to '))
      const hasResult = items.some(({ type }) => type === 'function_call_output')
      return hasResult ? { says: `Sent ${who}.` } : { call: { name: 'send', args: { who } } }
    },
  })
  const data = mkdtempSync(join(tmpdir(), 'bridle-voice-crash-'))
  for (const folder of ['agents', 'node_modules']) mkdirSync(join(data, folder))
  symlinkSync(fileURLToPath(new URL('../../../bridle', import.meta.url)), join(data, 'node_modules', 'bridle'))
  writeFileSync(join(data, 'agents', 'sender.ts'), sender)
  const server = new ServerProcess(join(data, 'data'), {
    cwd: data,
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: stub.url },
  })
  const ids = ['a', 'b', 'c']
  const dialAll = () => Promise.all(ids.map((id) => dial(`${server.url}/sessions/${id}/voice?agent=sender&line=${id}`)))
  const approvals = async () =>
    ((await get(`${server.url}/approvals?status=pending`)).body as unknown as { approvals: Approval[] }).approvals
  try {
    await server.boot()
    for (const [index, { say }] of (await dialAll()).entries()) say(`to ${ids[index]}`)
    await vi.waitUntil(async () => (await approvals()).length === 3, { timeout: 30_000 })
    await server.kill('SIGKILL')
    await server.boot()
    const lines = await dialAll()
    for (const { id, sessionId } of await approvals())
      await post(`${server.url}/sessions/${sessionId}/approvals/${id}/approve`, {})
    for (const [index, { until, messages, socket }] of lines.entries()) {
      await until('response_done')
      expect(messages).toContainEqual(
        expect.objectContaining({ type: 'transcript', role: 'assistant', text: `Sent to ${ids[index]}.` }),
      )
      socket.terminate()
    }
    const keys = new Set(readFileSync(join(data, 'ledger.txt'), 'utf8').trim().split('\n'))
    expect([...keys].map((line) => line.slice(0, 4)).toSorted()).toEqual(['to a', 'to b', 'to c'])
  } finally {
    await server.kill('SIGKILL')
    await stub.close()
    rmSync(data, { recursive: true, force: true })
  }
})

interface HeardEntry {
  readonly type: string
  readonly payload: { readonly chars: number }
}

interface Approval {
  readonly id: string
  readonly sessionId: string
}
