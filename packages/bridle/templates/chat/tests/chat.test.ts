// The client that the page uses, against a real server with the practice model: no key, no network.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { HarnessClient, type HarnessState } from 'bridle/client'
import { type HarnessServer, startDevServer } from 'bridle/node'

// The tests use the practice model, also where .env or the shell names a real one.
delete process.env.BRIDLE_MODEL
const { default: helper } = await import('../agents/helper.ts')

const folder = mkdtempSync(join(tmpdir(), 'chat-'))
let server: HarnessServer
before(async () => {
  process.chdir(folder)
  server = await startDevServer({ port: 0, agents: [helper], store: 'memory', data: folder, log: () => {} })
})
after(() => server.close())

const connect = (user: string) =>
  new HarnessClient({ url: `${server.url.replace('http', 'ws')}/ws?userId=${user}&agent=helper` })
const until = (client: HarnessClient, isIt: (state: HarnessState) => boolean) =>
  new Promise<HarnessState>((resolve) => {
    const look = () => {
      if (isIt(client.getSnapshot())) resolve(client.getSnapshot())
    }
    client.subscribe(look)
    look()
  })
const answers = ({ messages }: HarnessState) =>
  messages.filter(({ role, status }) => role === 'assistant' && status === 'complete').map(({ content }) => content)
const ask = async (client: HarnessClient, prompt: string) => {
  const before = answers(client.getSnapshot()).length
  await client.submit(prompt)
  return answers(await until(client, (state) => answers(state).length > before)).at(-1)
}

test('two visitors have conversations of their own', async () => {
  const [ada, bob] = [connect('ada'), connect('bob')]
  assert.equal(await ask(ada, 'My name is Ada.'), 'Nice to meet you, Ada.')
  assert.equal(await ask(bob, 'What is my name?'), 'You have not told me.')
  assert.equal(await ask(ada, 'What is my name?'), 'Your name is Ada.')
  ada.close()
  bob.close()
})

test('a note waits for its approval', async () => {
  const client = connect('eve')
  const answer = ask(client, 'Send a note to Bob: lunch at noon')
  const { approvals = [] } = await until(client, ({ approvals = [] }) => approvals.length > 0)
  await client.approve(approvals[0]?.id ?? '', 'approved')
  assert.match((await answer) ?? '', /The note to Bob is in outbox\.txt\.$/)
  assert.equal(readFileSync('outbox.txt', 'utf8'), 'to Bob: lunch at noon\n')
  client.close()
})
