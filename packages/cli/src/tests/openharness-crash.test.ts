// Shells of OpenHarness in front of a real server that serves a procedure from its folder, and is killed while its runs wait.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { post } from '@bridle/surfaces/http/test-client.suite'
import type { ActionDirective, ResponseMessage } from '@bridle/wire/openharness/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

const packageFolder = fileURLToPath(new URL('../../../bridle', import.meta.url))

/** A procedure with a step of every kind. */
const onboard = `
import { appendFileSync } from 'node:fs'
import { sop } from 'bridle'

export default sop({
  id: 'onboard',
  steps: [
    { id: 'hello', say: 'Welcome.' },
    { id: 'form', directive: { action_type: 'render_ui', payload: { component: 'Form', message: 'A form.' } } },
    { id: 'name', ask: 'Your name?' },
    { id: 'sure', approve: ({ name }) => \`Create \${name}?\` },
    { id: 'choice', branch: ({ sure }) => (sure ? undefined : 'bye') },
    {
      id: 'create',
      args: ({ name }) => ({ name }),
      call: ({ name }) => {
        appendFileSync('ledger.txt', \`create \${name}\\n\`)
        return name
      },
    },
    { id: 'stars', waitFor: 'stars' },
    { id: 'done', say: ({ create, stars }) => \`\${create} has \${stars} stars.\` },
    { id: 'leave', branch: () => 'end' },
    { id: 'bye', say: 'Goodbye.' },
  ],
})
`

let world: CliWorkspace
beforeEach(async () => {
  world = new CliWorkspace()
  mkdirSync(join(world.folder, 'agents'))
  mkdirSync(join(world.folder, 'node_modules'))
  symlinkSync(packageFolder, join(world.folder, 'node_modules', 'bridle'))
  writeFileSync(join(world.folder, 'agents', 'onboard.ts'), onboard)
  await world.boot()
})
afterEach(() => world.remove())

const restart = async () => {
  await world.kill()
  await world.boot()
}
const send = async (context: object, request_id: string, capabilities = {}) => {
  const message = { protocol_version: '1.0.0', request_id, capabilities, request: { context } }
  const { response } = (await post(`${world.url}/v1/openharness`, message)).body as unknown as ResponseMessage
  return response.error?.code ?? response.action_directives ?? []
}
const tokenOf = (directives: unknown, id: 'approve' | 'deny'): string => {
  const question = (directives as readonly ActionDirective[]).at(-1)
  expect(question?.action_type).toBe('request_approval')
  const { options } = (question as unknown as { payload: { options: { id: string; continuation_token: string }[] } })
    .payload
  return options.find((option) => option.id === id)?.continuation_token ?? ''
}
const goOn = (continuation_token: string, request_id: string, user_intent?: string) =>
  send({ ...(user_intent !== undefined && { user_intent }), continuation: { continuation_token } }, request_id)
const text = (said: string) => expect.objectContaining({ action_type: 'render_message', payload: { text: said } })
const question = (message: string) =>
  expect.objectContaining({ action_type: 'request_approval', payload: expect.objectContaining({ message }) })
const start = (session_id: string, capabilities = {}) =>
  send({ session_id, user_intent: 'go', task_hint: { sop_id: 'onboard' } }, 'go', capabilities)

const say = (session_id: string, said: string, request_id: string) =>
  send({ session_id, user_intent: `@script ${JSON.stringify([{ text: said }])}` }, request_id)

test('[OH135] [OH145] [N74] a procedure of the folder goes on with the tokens from before each kill -9, and gives its line back', {
  timeout: 120_000,
}, async () => {
  const scripted = '@script [{"approve":"write"},{"text":"Written."}]'
  // The procedure of s1 runs beside its line, in s1:onboard; those of the others are the first thing in theirs.
  expect(await say('s1', 'Hello.', 'hello')).toEqual([text('Hello.')])
  const [one, two, three, tool] = await Promise.all([
    start('s1', { 'openharness.ui.rich_cards': true }),
    start('s2'),
    start('s3'),
    send({ session_id: 's4', user_intent: scripted, task_hint: { plugin_id: 'scripted' } }, 'go'),
  ])
  const card = { action_type: 'render_ui', payload: { component: 'Form', message: 'A form.' } }
  expect(one).toEqual([text('Welcome.'), card, question('Your name?')])
  for (const answer of [two, three]) expect(answer).toEqual([text('Welcome.'), text('A form.'), question('Your name?')])
  await restart()
  // The same request has the same tokens, and those from before the kill hold: of procedures, and of tools.
  expect(await start('s2')).toEqual(two)
  expect(await goOn(tokenOf(tool, 'approve'), 'a')).toEqual([text('Written.')])
  const sure = await Promise.all([
    goOn(tokenOf(one, 'approve'), 'name', 'Ann'),
    goOn(tokenOf(two, 'approve'), 'name', 'Bob'),
    // A text without a token answers the question, too.
    send({ session_id: 's3', user_intent: 'Cid' }, 'name'),
  ])
  expect(sure).toEqual(['Ann', 'Bob', 'Cid'].map((name) => [question(`Create ${name}?`)]))
  await restart()
  expect(await send({ session_id: 's3', user_intent: 'Cid' }, 'name')).toEqual(sure[2])
  expect(await goOn(tokenOf(sure[1], 'deny'), 'sure')).toEqual([text('Goodbye.')])
  // Both runs wait for their signal now, and their requests end with the server.
  for (const each of [sure[0], sure[2]]) void goOn(tokenOf(each, 'approve'), 'sure').catch(() => {})
  const ledger = () => {
    try {
      return readFileSync(join(world.folder, 'ledger.txt'), 'utf8').trim().split('\n').toSorted()
    } catch {
      return []
    }
  }
  await expect.poll(ledger, { timeout: 20_000 }).toEqual(['create Ann', 'create Cid'])
  await expect.poll(async () => (await Promise.all(['s1:onboard', 's3'].map(isWaiting))).every(Boolean)).toBe(true)
  await restart()
  const answers = [goOn(tokenOf(sure[0], 'approve'), 'sure'), goOn(tokenOf(sure[2], 'approve'), 'sure')]
  for (const [id, payload] of [
    ['s1:onboard', 5],
    ['s3', 3],
  ] as const)
    expect((await post(`${world.url}/sessions/${id}/signal`, { name: 'stars', payload })).status).toBeLessThan(300)
  expect(await Promise.all(answers)).toEqual([[text('Ann has 5 stars.')], [text('Cid has 3 stars.')]])
  expect(await goOn(tokenOf(sure[0], 'approve'), 'another')).toBe('continuation_used')
  expect(await goOn(tokenOf(sure[1], 'approve'), 'sure')).toBe('continuation_used')
  expect(ledger()).toEqual(['create Ann', 'create Cid'])
  const lines = ['s1', 's2', 's3']
  const talk = () => Promise.all(lines.map((id) => say(id, `Back in ${id}.`, 'back')))
  expect(await talk()).toEqual(lines.map((id) => [text(`Back in ${id}.`)]))
  await restart()
  expect(await talk()).toEqual(lines.map((id) => [text(`Back in ${id}.`)]))
  expect(await send({ session_id: 's3', user_intent: 'Cid' }, 'name')).toEqual([text('Cid has 3 stars.')])
  expect(ledger()).toEqual(['create Ann', 'create Cid'])
})

/** The step before the signal is over, so that a kill cannot leave its outcome unknown. */
const isWaiting = async (id: string): Promise<boolean> => {
  const events = await fetch(`${world.url}/sessions/${id}?agent=onboard`)
  return JSON.stringify(await events.json()).includes('waiting')
}
