// A server of the voice benchmark in a separate process: the product with its log on disk, or a plain pipe between two sockets.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { HarnessServer } from '@bridle/server/node/index'
import { WebSocket, WebSocketServer } from 'ws'
import { serveCalls, usage } from './child.ts'
import { listen } from './fanout-world.ts'

interface VoiceServer {
  /** The address of a new line. */
  url(): string
}

const [kind = '', provider = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'bench-voice-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const ours = async (): Promise<VoiceServer> => {
  const talker = agent({
    name: 'talker',
    instructions: 'Tell stories.',
    model: scriptedModel(() => ({ text: 'Nobody listens.' })),
  })
  const server = await HarnessServer.start({
    port: 0,
    data: join(folder, 'data'),
    agentsRoot: folder,
    agents: [talker],
    env: { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: `http://127.0.0.1:${provider}/v1` },
    log: () => {},
    rateLimit: { windowMs: 1_000, maxRequests: 100_000 },
  })
  let lines = 0
  return { url: () => `${server.url.replace('http', 'ws')}/sessions/s${++lines}/voice?agent=talker` }
}

/**
 * The least that a bridge to this provider does: audio becomes base64 in JSON on the way there, and bytes again on the way back. It has
 * no log, no session, no limits and no interruptions.
 */
const pipe = async (): Promise<VoiceServer> => {
  const server = createServer()
  const clients = new WebSocketServer({ server, perMessageDeflate: false })
  clients.on('connection', (client) => {
    const upstream = new WebSocket(`ws://127.0.0.1:${provider}/v1/realtime`, { perMessageDeflate: false })
    client.on('error', () => {})
    upstream.on('error', () => {})
    client.on('close', () => upstream.close())
    upstream.on('open', () => client.send('{"type":"session_open"}'))
    client.on('message', (data, isBinary) => {
      if (!isBinary) return upstream.send('{"type":"response.create"}')
      upstream.send(`{"type":"input_audio_buffer.append","audio":"${(data as Buffer).toString('base64')}"}`)
    })
    upstream.on('message', (data) => {
      const event = JSON.parse(String(data)) as { type: string; delta: string }
      if (event.type === 'response.output_audio.delta') client.send(Buffer.from(event.delta, 'base64'))
      else if (event.type === 'response.output_audio_transcript.delta')
        client.send(JSON.stringify({ type: 'text_delta', delta: event.delta }))
    })
  })
  const port = await listen(server)
  return { url: () => `ws://127.0.0.1:${port}/` }
}

const serving = kind === 'ours' ? ours() : pipe()
serving.catch(() => {})
serveCalls({
  urls: async (count: number) => {
    const server = await serving
    return Array.from({ length: count }, () => server.url())
  },
  usage: () => usage(),
})
