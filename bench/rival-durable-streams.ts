// The server of durable streams, on files. Another process sends the tokens over HTTP.
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { BenchServer, ReplyPlan } from './fanout-reply.ts'
import { requireFetched } from './fetched.ts'

export const durableStreams = async (folder: string): Promise<BenchServer> => {
  const { DurableStreamTestServer } = requireFetched<{ DurableStreamTestServer: ServerClass }>(
    '@durable-streams/server',
  )
  // The server logs slow appends to standard output, which is for figures.
  console.info = () => {}
  const server = new DurableStreamTestServer({ port: 0, host: '127.0.0.1', dataDir: join(folder, 'streams') })
  const url = await server.start()
  const producer = startChild('./rival-durable-streams-producer.ts')
  let rooms = 0
  return {
    async endpoint() {
      const path = `/s${++rooms}`
      await producer.call('create', `${url}${path}`)
      return { wire: 'sse', port: Number(new URL(url).port), path: `${path}?offset=-1&live=sse` }
    },
    stream: (plan: ReplyPlan) => producer.call<number[]>('stream', plan),
  }
}

type ServerClass = new (options: { port: number; host: string; dataDir: string }) => { start(): Promise<string> }
