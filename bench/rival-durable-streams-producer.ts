// Writes to a server of durable streams through the producer that its documentation recommends.
import { serveCalls } from './child.ts'
import { type ReplyPlan, streamReply } from './fanout-reply.ts'
import { requireFetched } from './fetched.ts'

/** Tokens of this time go in one request. With the product's 16 ms the server cannot keep up with a thousand tokens a second. */
const MERGED_MS = 50

const { DurableStream, IdempotentProducer } = requireFetched<ProducerClient>('@durable-streams/client')
let stream: object

serveCalls({
  create: async (url: string) => {
    stream = await DurableStream.create({ url, contentType: 'application/json' })
  },
  stream: async (plan: ReplyPlan) => {
    const failures: Error[] = []
    const onError = (error: Error) => failures.push(error)
    const producer = new IdempotentProducer(stream, 'speaker', { lingerMs: MERGED_MS, onError })
    const sentAt = await streamReply(plan, (delta) =>
      producer.append(JSON.stringify({ type: 'text_delta', data: { delta } })),
    )
    await producer.flush()
    if (failures[0]) throw failures[0]
    return sentAt
  },
})

interface ProducerClient {
  DurableStream: { create(options: { url: string; contentType: string }): Promise<object> }
  IdempotentProducer: new (
    stream: object,
    id: string,
    options: { lingerMs: number; onError: (error: Error) => void },
  ) => { append(body: string): void; flush(): Promise<void> }
}
