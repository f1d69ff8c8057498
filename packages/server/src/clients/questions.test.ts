// Questions, answered through the clients of three wires against a real server.
import {
  connectFabricWs,
  type FabricAck,
  type FabricWsHandle,
  fabricClient,
  HarnessClient,
  type OpenQuestion,
  openQuestions,
  type QuestionAnswers,
} from '@bridle/client/index'
import { post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HarnessServer } from '../node/index.ts'

let server: HarnessServer
const closers: (() => void)[] = []

beforeAll(async () => {
  server = await HarnessServer.start({ port: 0, store: 'memory', tokenPaceMs: 0, log: () => {} })
})
afterAll(async () => {
  for (const close of closers) close()
  await server.close()
})

const db = { id: 'db', question: 'Which database?', options: ['SQLite', 'PostgreSQL'] }
const days = { id: 'days', question: 'Which days?', options: ['Monday', 'Friday'], multi_select: true }

/** `chunks` of text come first, so that the ids of approvals differ from session to session. */
const ask = (id: string, chunks: number, ...requests: object[]) =>
  post(
    `${server.url}/agents/scripted/${id}`,
    scriptBody({ text: 'abc', chunks }, ...requests.map((request) => ({ ask: request }))),
    { prefer: 'respond-async' },
  )

const harness = (id: string): HarnessClient => {
  const client = new HarnessClient({ url: `${server.url.replace('http', 'ws')}/ws?sessionId=${id}&agent=scripted` })
  closers.push(() => client.close())
  return client
}
const question = (client: HarnessClient, text: string): Promise<OpenQuestion> =>
  vi.waitFor(() => {
    const found = openQuestions(client.getSnapshot()).find(({ questions }) => questions?.[0]?.question === text)
    expect(found).toBeDefined()
    return found as OpenQuestion
  })

/** A fabric socket whose answers resolve with their ack. */
const fabricSocket = (id: string) => {
  const acks: FabricAck[] = []
  const handle: FabricWsHandle = connectFabricWs({
    url: `${server.url.replace('http', 'ws')}/sessions/${id}/ws?agent=scripted`,
    onEvent: () => {},
    onAck: (ack) => acks.push(ack),
  })
  closers.push(() => handle.close())
  let sent = 0
  const answer = async (approvalId: string, answers: QuestionAnswers): Promise<FabricAck> => {
    sent += 1
    const commandId = `${id}-${sent}`
    handle.send({ type: 'approve', approvalId, decision: 'approved', answers, commandId })
    return vi.waitFor(() => {
      const ack = acks.find((each) => each.commandId === commandId)
      expect(ack).toBeDefined()
      return ack as FabricAck
    })
  }
  return { answer }
}

const results = ({ messages }: ReturnType<HarnessClient['getSnapshot']>) =>
  messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ result }) => result ?? null))

test('[W29] [T34] three sessions are answered in the wrong order from three wires, and an answer that does not fit changes nothing', async () => {
  const ids = ['on-http', 'on-fabric', 'on-transport']
  for (const [index, id] of ids.entries())
    await ask(id, index + 1, { questions: [db, days] }, { questions: [{ ...db, question: 'And the other?' }] })
  const views = new Map(ids.map((id) => [id, harness(id)]))
  const view = (id: string) => views.get(id) as HarnessClient
  const http = fabricClient({ url: server.url })
  const fabric = fabricSocket('on-fabric')

  const answers: { readonly [id: string]: (approvalId: string, given: QuestionAnswers) => Promise<unknown> } = {
    'on-http': (approvalId, given) => http.answer('on-http', approvalId, { answers: given }),
    'on-fabric': async (approvalId, given) => {
      const ack = await fabric.answer(approvalId, given)
      if (!ack.ok) throw new Error(ack.message)
    },
    'on-transport': (approvalId, given) => view('on-transport').answer(approvalId, { answers: given }),
  }
  const given = (id: string): QuestionAnswers => ({ db: id === 'on-http' ? 'SQLite' : 'PostgreSQL', days: ['Friday'] })
  for (const id of ids.toReversed()) {
    const open = await question(view(id), 'Which database?')
    expect(open.questions?.map((each) => each.id)).toEqual(['db', 'days'])
    const answer = answers[id] as (typeof answers)[string]
    await expect(answer(open.id, { db: 'Oracle', days: [] })).rejects.toThrow('"Oracle" is not an option')
    await expect(answer(open.id, { db: 'SQLite' })).rejects.toThrow('Question "days" has no answer.')
    // The question of one session is none of another.
    const other = ids.find((each) => each !== id) as string
    await expect(http.answer(other, open.id, { answers: given(id) })).rejects.toMatchObject({ status: 404 })
    expect((await question(view(id), 'Which database?')).id).toBe(open.id)
    await answer(open.id, given(id))
  }
  for (const id of ['on-fabric', 'on-http', 'on-transport'])
    await answers[id]?.((await question(view(id), 'And the other?')).id, { db: 'SQLite' })
  for (const id of ids)
    await vi.waitFor(() =>
      expect(results(view(id).getSnapshot())).toEqual([{ answers: given(id) }, { answers: { db: 'SQLite' } }]),
    )
})

test('[W29] [T34] of clients that answer at the same time one is heard, and the others learn who was first', async () => {
  const ids = ['race-1', 'race-2', 'race-3']
  for (const id of ids) await ask(id, 1, { questions: [db] })
  const http = fabricClient({ url: server.url })
  for (const id of ids) {
    const [first, second, fabric] = [harness(id), harness(id), fabricSocket(id)]
    const open = await question(first, 'Which database?')
    await question(second, 'Which database?')
    const outcomes = await Promise.allSettled([
      first.answer(open.id, { answers: { db: 'SQLite' } }),
      second.answer(open.id, { answers: { db: 'PostgreSQL' } }),
      http.answer(id, open.id, { answers: { db: 'SQLite' } }),
      fabric.answer(open.id, { db: 'PostgreSQL' }).then((ack) => {
        if (!ack.ok) throw Object.assign(new Error(ack.message), { code: 'approval_settled' })
      }),
    ])
    await vi.waitFor(() => expect(results(first.getSnapshot())).toHaveLength(1))
    const [result] = results(first.getSnapshot()) as [{ answers: { db: string } }]
    // The same answer again is the same reply.
    const isWinner = (index: number) => (index % 2 === 0 ? 'SQLite' : 'PostgreSQL') === result.answers.db
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, index) => (isWinner(index) ? 'fulfilled' : 'rejected')),
    )
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason.message).toMatch('The question was already answered')
    expect(openQuestions(second.getSnapshot())).toEqual([])
  }
})
