// The AI SDK's message stream, made resumable through Redis: clients that did not request the reply follow it there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownChildren } from './child.ts'
import { type BenchServer, type ReplyPlan, streamReply } from './fanout-reply.ts'
import { listen, plainLog } from './fanout-world.ts'
import { requireFetched } from './fetched.ts'

const REDIS_START_MS = 5_000

export const aiOnRedis = async (folder: string): Promise<BenchServer> => {
  const { createUIMessageStream, JsonToSseTransformStream, UI_MESSAGE_STREAM_HEADERS } = requireFetched<AiModule>('ai')
  const { createResumableStreamContext } = requireFetched<ResumableStreamModule>('resumable-stream')
  const { createClient } = requireFetched<RedisModule>('redis')
  const socket = await startRedis(folder)
  const connect = async () => {
    const client = createClient({ socket: { path: socket } })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const streams = createResumableStreamContext({
    waitUntil: () => {},
    publisher: await connect(),
    subscriber: await connect(),
  })
  const save = plainLog(folder)

  let rooms = 0
  let unclaimed: ReadableStream<string> | undefined
  let start: (plan: ReplyPlan) => Promise<number[]> = async () => []
  const server = createServer(async (_, response) => {
    // The first client requests the reply; the others follow it.
    const own = unclaimed
    unclaimed = undefined
    const stream = own ?? (await streams.resumeExistingStream(`s${rooms}`))
    response.writeHead(stream ? 200 : 204, UI_MESSAGE_STREAM_HEADERS).flushHeaders()
    for await (const chunk of stream ?? []) response.write(chunk)
    response.end()
  })
  const port = await listen(server)

  return {
    others: ownChildren(),
    async endpoint() {
      const begin = Promise.withResolvers<ReplyPlan>()
      const end = Promise.withResolvers<number[]>()
      const chunks = createUIMessageStream({
        execute: async ({ writer }) => {
          writer.write({ type: 'start' })
          writer.write({ type: 'text-start', id: '0' })
          const plan = await begin.promise
          const sentAt = await streamReply(plan, (delta) => writer.write({ type: 'text-delta', id: '0', delta }))
          writer.write({ type: 'text-end', id: '0' })
          end.resolve(sentAt)
        },
        // The documentation stores a reply when it is complete.
        originalMessages: [],
        onEnd: ({ messages }) => save(messages),
      })
      const sse = () => chunks.pipeThrough(new JsonToSseTransformStream())
      unclaimed = await streams.createNewResumableStream(`s${++rooms}`, sse)
      start = (plan) => {
        begin.resolve(plan)
        return end.promise
      }
      return { wire: 'sse', port, path: '/' }
    },
    stream: (plan) => start(plan),
  }
}

/** On a Unix socket: cheaper than a port, and private to this process. */
const startRedis = async (folder: string): Promise<string> => {
  const socket = join(folder, 'redis.sock')
  const settings = { port: '0', unixsocket: socket, dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const redis = spawn('redis-server', args, { stdio: 'ignore' })
  await once(redis, 'spawn')
  for (const until = Date.now() + REDIS_START_MS; !existsSync(socket); await sleep(10)) {
    if (redis.exitCode !== null || Date.now() > until) throw new Error('redis-server did not start')
  }
  return socket
}

interface AiModule {
  createUIMessageStream(options: {
    execute(options: { writer: { write(chunk: object): void } }): Promise<void>
    originalMessages: []
    onEnd(ended: { messages: object[] }): void
  }): ReadableStream<object>
  JsonToSseTransformStream: new () => TransformStream<object, string>
  UI_MESSAGE_STREAM_HEADERS: Record<string, string>
}
interface ResumableStreamModule {
  createResumableStreamContext(options: { waitUntil: () => void; publisher: RedisClient; subscriber: RedisClient }): {
    createNewResumableStream(id: string, make: () => ReadableStream<string>): Promise<ReadableStream<string>>
    resumeExistingStream(id: string): Promise<ReadableStream<string> | null | undefined>
  }
}
interface RedisModule {
  createClient(options: { socket: { path: string } }): RedisClient
}
interface RedisClient {
  on(event: 'error', call: () => void): void
  connect(): Promise<unknown>
}
