// The agent on a real server, with the practice model: no key, no network.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fabricClient } from 'bridle/client'
import { type HarnessServer, startDevServer } from 'bridle/node'

// The tests use the practice model, also where .env or the shell names a real one.
delete process.env.BRIDLE_MODEL
const { default: helper } = await import('../agents/helper.ts')

const folder = mkdtempSync(join(tmpdir(), 'helper-'))
let server: HarnessServer
before(async () => {
  process.chdir(folder)
  server = await startDevServer({ port: 0, agents: [helper], store: 'memory', data: folder, log: () => {} })
})
after(() => server.close())

const client = () => fabricClient({ url: server.url })
const ask = async (session: string, prompt: string) => (await client().invoke('helper', session, { prompt })).result

test('it remembers what was said in a session, and nothing of another one', async () => {
  assert.equal(await ask('ada', 'My name is Ada.'), 'Nice to meet you, Ada.')
  assert.equal(await ask('bob', 'What is my name?'), 'You have not told me.')
  assert.equal(await ask('ada', 'What is my name?'), 'Your name is Ada.')
})

/** Sends a note to Bob, and answers the question about it with the other arguments, where there are any. */
const sendNote = async (session: string, args?: { to: string; text: string }) => {
  const answer = ask(session, 'Send a note to Bob: lunch at noon')
  for await (const event of client().events('helper', session)) {
    if (event.type !== 'approval_requested') continue
    await client().approve(session, event.data.approvalId, args && { args })
    break
  }
  return answer
}

test('it sends a note only after an approval', async () => {
  assert.match(String(await sendNote('notes')), /The note to Bob is in outbox\.txt\.$/)
  assert.equal(readFileSync('outbox.txt', 'utf8'), 'to Bob: lunch at noon\n')
})

test('it sends the note as the person has changed it, and says what became of it', async () => {
  const answer = String(await sendNote('changed', { to: 'Eve', text: 'lunch at two' }))
  assert.match(answer, /The note to Eve is in outbox\.txt\.$/)
  assert.doesNotMatch(answer, /arguments/)
  assert.match(readFileSync('outbox.txt', 'utf8'), /to Eve: lunch at two\n$/)
})
