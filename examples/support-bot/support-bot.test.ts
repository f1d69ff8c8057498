// The support bot with three customers at a time, and the requests of its README.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fabricClient } from 'bridle/client'
import { createHarness, type EmbeddedHarness } from 'bridle/node'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

vi.stubEnv('BRIDLE_MODEL', '')
const { default: support } = await import('./agents/support.ts')
const data = mkdtempSync(join(tmpdir(), 'bridle-support-'))
let harness: EmbeddedHarness
beforeAll(async () => {
  harness = await createHarness({ agents: [support], data, token: 't', env: {}, log: () => {} })
})
afterAll(async () => {
  await harness.close()
  rmSync(data, { recursive: true, force: true })
})
const fabric = fabricClient({
  url: 'http://bot',
  authToken: 't',
  fetch: (url, init) => harness.fetch(new Request(url, init)),
})
const ask = async (id: string, prompt: string) => (await fabric.ask('support', id, prompt).result).result

test('three customers, interleaved: answers with their source, and a memory of each conversation', async () => {
  const customers = ['Ada', 'Bo', 'Cy']
  await Promise.all(customers.map((name) => ask(name, `My name is ${name}.`)))
  expect(await Promise.all(customers.map((name) => ask(name, 'How long does shipping take?')))).toEqual(
    customers.map(() => 'Orders leave our warehouse within one working day. [shipping]'),
  )
  expect(await ask('Bo', 'My light flickers. Is there a warranty?')).toContain('[warranty]')
  expect(await Promise.all(customers.map((name) => ask(name, 'What is my name?')))).toEqual(
    customers.map((name) => `You are ${name}.`),
  )
  expect(await ask('new', 'What is my name?')).toBe('You have not told me yet.')
  const { citations } = await fabric.session('Bo')
  expect(citations.map(({ id }) => id)).toContain('warranty')
})

test('a person takes over, with other words, or does not', async () => {
  const taken = fabric.ask('support', 'Ada', 'I want to talk to a person about my invoice.')
  for await (const event of taken)
    if (event.type === 'approval_requested')
      await fabric.approve('Ada', event.data.approvalId, { args: { summary: 'A question about invoice 7.' } })
  expect((await taken.result).result).toContain('Your ticket is number 1.')
  const refused = fabric.ask('support', 'Cy', 'Do you sell bicycles?')
  for await (const event of refused)
    if (event.type === 'approval_requested') await fabric.reject('Cy', event.data.approvalId, { reason: 'Not ours.' })
  expect((await refused.result).result).toContain('I could not reach a person.')
})

test('the README shows what happens', async () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
  const [question = ''] = [...readme.matchAll(/ -d '(\{"prompt.*)'/g)].map(([, body = '']) => JSON.parse(body).prompt)
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  expect(await fabric.invoke('support', 'ada', { prompt: question })).toEqual(shown)
})
