// The stub of the provider, tried with a client that is not ours: what our line learns from the stub, another client understands, too.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fetchPinned } from '../../../../../scripts/pinned-tools.ts'
import { type RealtimeStub, startRealtimeStub } from './realtime-stub.suite.ts'

/** The parts of `@openai/agents-realtime` that the test uses. */
interface Library {
  readonly RealtimeAgent: new (options: object) => object
  readonly RealtimeSession: new (agent: object, options: object) => RealtimeSession
  readonly OpenAIRealtimeWebSocket: new (options: object) => object
  readonly tool: (options: object) => object
}
interface RealtimeSession {
  connect(options: { readonly apiKey: string }): Promise<void>
  sendMessage(text: string): void
  sendAudio(audio: ArrayBuffer, options?: { readonly commit: boolean }): void
  interrupt(): void
  approve(item: unknown): Promise<void>
  close(): void
  on(event: string, call: (...args: never[]) => void): void
  readonly history: readonly {
    readonly role?: string
    readonly content?: readonly { readonly transcript?: string }[]
  }[]
}

let library: Library
let stub: RealtimeStub
beforeAll(async () => {
  const fetched = fetchPinned('matrix/realtime', 'agents-realtime')
  if ('missing' in fetched) throw new Error(fetched.missing)
  const main = join(fetched.folder, 'node_modules/@openai/agents-realtime/dist/index.mjs')
  library = (await import(pathToFileURL(main).href)) as Library
})
afterAll(() => stub?.close())

test('turns, a tool with an approval, and an interruption', async () => {
  stub = await startRealtimeStub({
    key: 'sk-test',
    plan: (n) =>
      [{ says: 'Hello there.' }, { call: { name: 'send', args: { who: 'ann' } } }, { says: 'Sent.' }, LONG][n] ?? {},
  })
  const sent: unknown[] = []
  const send = library.tool({
    name: 'send',
    description: 'Sends.',
    parameters: {
      type: 'object',
      properties: { who: { type: 'string' } },
      required: ['who'],
      additionalProperties: false,
    },
    strict: true,
    needsApproval: true,
    execute: (input: unknown) => {
      sent.push(input)
      return 'done'
    },
  })
  const agent = new library.RealtimeAgent({ name: 'talker', instructions: 'Talk.', tools: [send] })
  const url = `${stub.url.replace(/^http/, 'ws')}/realtime?model=gpt-realtime`
  const transport = new library.OpenAIRealtimeWebSocket({ url })
  const session = new library.RealtimeSession(agent, { transport, tracingDisabled: true })
  const errors: unknown[] = []
  let audioBytes = 0
  session.on('error', (error) => errors.push(error))
  session.on('audio', ({ data }: { data: ArrayBuffer }) => {
    audioBytes += data.byteLength
  })
  session.on('tool_approval_requested', (_context: never, _agent: never, request: { approvalItem: unknown }) => {
    void session.approve(request.approvalItem)
  })
  const said = () =>
    session.history.flatMap(({ role, content = [] }) => (role === 'assistant' ? [content[0]?.transcript] : []))
  const answered = (text: string) => vi.waitUntil(() => said().includes(text), { timeout: 10_000 })

  await session.connect({ apiKey: 'sk-test' })
  session.sendMessage('Hello')
  await answered('Hello there.')
  expect(audioBytes).toBeGreaterThan(0)
  session.sendMessage('Send it to Ann')
  await answered('Sent.')
  expect(sent).toEqual([{ who: 'ann' }])
  const heardBefore = audioBytes
  session.sendMessage('Talk on')
  await vi.waitUntil(() => audioBytes > heardBefore, { timeout: 10_000 })
  session.interrupt()
  await vi.waitUntil(() => stub.events('response.cancel').length > 0, { timeout: 10_000 })
  expect(errors).toEqual([])
  session.close()
})

const LONG = { says: 'word '.repeat(500), chunkMs: 10 }
